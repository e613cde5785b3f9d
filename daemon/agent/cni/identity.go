// SPDX-License-Identifier: Apache-2.0

package cni

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/attach"
	"github.com/contiv/contiv/daemon/record"
)

// The defaults of a container. netmaster decides for pods.
const (
	defaultTenant  = "default"
	defaultNetwork = "default-net"
)

// parseArgs parses CNI_ARGS, "K=V;K=V". Unknown keys are kept, as the specification allows.
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

// identify returns the container's identity and place. CNI_ARGS have precedence, then the network configuration, then labels of Mesos, then
// labels in the network configuration. netmaster decides the rest of a pod's by Kubernetes' data; labels in the configuration are defaults.
// For a container that is no pod they are also its labels, by which services select it.
func identify(q *attach.Request, args map[string]string, conf *Conf) {
	asked := first(record.Place{Tenant: args["CONTIV_TENANT"], Network: args["CONTIV_NETWORK"], Group: args["CONTIV_GROUP"]},
		record.Place{Tenant: conf.Tenant, Network: conf.Network, Group: conf.Group})
	base := record.PlaceOf(conf.Labels)
	pod := model.PodRequest{Namespace: args["K8S_POD_NAMESPACE"], Name: args["K8S_POD_NAME"], UID: args["K8S_POD_UID"],
		Tenant: base.Tenant, Network: base.Network, Group: base.Group}
	q.Name = pod.Name
	switch m := conf.Args.Mesos; {
	case m != nil:
		q.Labels = m.labels()
		asked = first(asked, record.PlaceOf(q.Labels), base, record.Place{Tenant: defaultTenant, Network: defaultNetwork})
	case pod.Namespace != "" && pod.Name != "":
		q.Pod = &pod
	default:
		q.Labels = conf.Labels
		asked = first(asked, base, record.Place{Tenant: defaultTenant, Network: defaultNetwork})
	}
	q.Tenant, q.Network, q.Group = asked.Tenant, asked.Network, asked.Group
}

// first returns the first non-empty value of each part.
func first(places ...record.Place) (out record.Place) {
	for _, p := range places {
		out = record.Place{Tenant: cmp.Or(out.Tenant, p.Tenant), Network: cmp.Or(out.Network, p.Network), Group: cmp.Or(out.Group, p.Group)}
	}
	return out
}
