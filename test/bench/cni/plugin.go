// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/containernetworking/cni/libcni"

	"github.com/contiv/contiv/ofnet/link"
)

// plugin is a CNI plugin with its network.
type plugin struct {
	name string
	cni  *libcni.CNIConfig
	conf *libcni.NetworkConfigList
	host *link.Namespace // where it is started
}

// newPlugin returns a plugin that the runtime starts in the network namespace host; its state is kept below dir.
func newPlugin(name, bin, dir, host, config string) (*plugin, error) {
	conf, err := libcni.ConfListFromBytes(fmt.Appendf(nil, `{"cniVersion":"1.0.0","name":%q,"plugins":[%s]}`, name, config))
	if err != nil {
		return nil, err
	}
	ns, err := link.OpenNamespace(host)
	if err != nil {
		return nil, err
	}
	return &plugin{name: name, conf: conf, host: ns,
		cni: libcni.NewCNIConfigWithCacheDir([]string{bin}, filepath.Join(dir, "cache-"+name), nil)}, nil
}

func (p *plugin) runtime(sandbox string) *libcni.RuntimeConf {
	return &libcni.RuntimeConf{ContainerID: p.name + "-" + sandbox, NetNS: netnsDir + sandbox, IfName: "eth0",
		Args: [][2]string{{"IgnoreUnknown", "1"}}}
}

// add and del return how long the operation took, as the runtime sees it: from its call to the plugin's exit.
func (p *plugin) add(ctx context.Context, sandbox string) (took time.Duration, err error) {
	err = p.host.Do(func() error {
		begin := time.Now()
		_, err := p.cni.AddNetworkList(ctx, p.conf, p.runtime(sandbox))
		took = time.Since(begin)
		return err
	})
	return took, err
}

func (p *plugin) del(ctx context.Context, sandbox string) (took time.Duration, err error) {
	err = p.host.Do(func() error {
		begin := time.Now()
		err := p.cni.DelNetworkList(ctx, p.conf, p.runtime(sandbox))
		took = time.Since(begin)
		return err
	})
	return took, err
}

const netnsDir = "/run/netns/"

// sandboxes makes n network namespaces whose names begin with prefix.
func sandboxes(ctx context.Context, prefix string, n int) ([]string, error) {
	names := make([]string, n)
	var batch strings.Builder
	for i := range names {
		names[i] = fmt.Sprintf("%s%d", prefix, i)
		fmt.Fprintln(&batch, "netns add", names[i])
	}
	return names, ip(ctx, batch.String())
}

// removeSandboxes removes network namespaces by name.
func removeSandboxes(ctx context.Context, names []string) error {
	return ip(ctx, "netns del "+strings.Join(names, "\nnetns del ")+"\n")
}

// ip runs a batch of ip(8).
func ip(ctx context.Context, batch string) error {
	cmd := exec.CommandContext(ctx, "ip", "-batch", "-")
	cmd.Stdin = strings.NewReader(batch)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("ip -batch: %w\n%s", err, out)
	}
	return nil
}

// stateDir makes the directory of what the plugins keep.
func stateDir() (dir string, remove func(), err error) {
	dir, err = os.MkdirTemp("", "bench-cni")
	return dir, func() { _ = os.RemoveAll(dir) }, err
}
