package cniserver

import (
	"context"
	"fmt"
	"strings"
)

// Labels on a pod that choose its network.
const (
	labelTenant  = "io.contiv.tenant"
	labelNetwork = "io.contiv.network"
	labelGroup   = "io.contiv.net-group"
)

// What a pod gets that asks for nothing.
const (
	defaultTenant  = "default"
	defaultNetwork = "default-net"
)

// identity is what a container asked for.
type identity struct {
	tenant, network, group string
	podNamespace, podName  string
	podUID                 string
	labels                 map[string]string
}

// parseArgs reads CNI_ARGS, "K=V;K=V". Keys of others are kept: the specification lets them be there.
func parseArgs(text string) (map[string]string, error) {
	args := map[string]string{}
	for part := range strings.SplitSeq(text, ";") {
		if part == "" {
			continue
		}
		k, v, ok := strings.Cut(part, "=")
		if !ok || k == "" {
			return nil, fmt.Errorf("CNI_ARGS: %q is not KEY=VALUE", part)
		}
		args[k] = v
	}
	return args, nil
}

// identify finds out what the container asked for. The strongest word is CNI_ARGS, then the network configuration,
// then labels of the pod or of Mesos, then labels in the network configuration.
func identify(ctx context.Context, pods Labels, args map[string]string, conf *Conf) (identity, error) {
	id := identity{podNamespace: args["K8S_POD_NAMESPACE"], podName: args["K8S_POD_NAME"], podUID: args["K8S_POD_UID"]}
	sources := []map[string]string{
		{labelTenant: args["CONTIV_TENANT"], labelNetwork: args["CONTIV_NETWORK"], labelGroup: args["CONTIV_GROUP"]},
		{labelTenant: conf.Tenant, labelNetwork: conf.Network, labelGroup: conf.Group},
	}
	if pods != nil && id.podNamespace != "" && id.podName != "" {
		labels, err := pods.Labels(ctx, id.podNamespace, id.podName, id.podUID)
		if err != nil {
			return id, fmt.Errorf("labels of the pod: %w", err)
		}
		id.labels = labels
		sources = append(sources, labels)
	}
	if m := conf.Args.Mesos; m != nil {
		id.labels = m.labels()
		sources = append(sources, id.labels)
	}
	sources = append(sources, conf.Labels, map[string]string{labelTenant: defaultTenant, labelNetwork: defaultNetwork})
	first := func(label string) string {
		for _, s := range sources {
			if s[label] != "" {
				return s[label]
			}
		}
		return ""
	}
	id.tenant, id.network, id.group = first(labelTenant), first(labelNetwork), first(labelGroup)
	return id, nil
}
