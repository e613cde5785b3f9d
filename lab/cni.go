// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/containernetworking/cni/libcni"
)

// CNIOnHost calls the CNI plugin in bin for a container. It runs on the host itself, in the namespaces of the host's
// process 1, and prints the result of an ADD.
func CNIOnHost(ctx context.Context, op, bin string, c Container, out io.Writer) error {
	conf, err := json.Marshal(map[string]any{
		"cniVersion": "1.0.0", "name": "contiv-lab", "type": "contivk8s",
		"tenant": c.Tenant, "network": c.Network, "group": c.Group,
	})
	if err != nil {
		return err
	}
	network, err := libcni.NetworkPluginConfFromBytes(conf)
	if err != nil {
		return err
	}
	cni := libcni.NewCNIConfigWithCacheDir([]string{bin}, cniCache, nil)
	rt := &libcni.RuntimeConf{
		ContainerID: containerID(c), NetNS: "/run/netns/" + c.Name, IfName: "eth0", CacheDir: cniCache,
		Args: [][2]string{{"IgnoreUnknown", "1"}},
	}
	switch op {
	case "add":
		result, err := cni.AddNetwork(ctx, network, rt)
		if err != nil {
			return err
		}
		return result.PrintTo(out)
	case "del":
		return cni.DelNetwork(ctx, network, rt)
	case "check":
		return cni.CheckNetwork(ctx, network, rt)
	}
	return fmt.Errorf("cni operation %q: want add, del or check", op)
}
