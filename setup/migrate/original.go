// SPDX-License-Identifier: Apache-2.0

// Package migrate reads the configuration of a cluster of the original Contiv, from its netmaster or from a dump of its etcd, and translates
// it: the objects for a new cluster, what differs in them, and the steps for each host.
package migrate

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
)

// Original is what a cluster of the original Contiv has.
type Original struct {
	Objects   map[string][]json.RawMessage // as its API lists them, by the kind's type name
	Tags      map[identity.Network]int     // VLAN ids in use
	Endpoints []Endpoint
	Hosts     []string // labels of the hosts with an agent, if known
	Accounts  int      // users, permissions and settings of the auth proxy, of which only the number is read
}

// Endpoint is a container that runs.
type Endpoint struct {
	Network   identity.Network
	Container string // name, or id
	Host      string // label
	Address   string
}

// kinds returns the kinds that a cluster of the original may have, in the order in which they are created: those that its netmaster serves.
func kinds() []*model.Kind {
	served := []string{"tenant", "network", "endpointGroup", "policy", "rule", "netprofile", "extContractsGroup", "serviceLB", "appProfile", "Bgp", "global", "aciGw"}
	return slices.DeleteFunc(model.Order(), func(k *model.Kind) bool { return !slices.Contains(served, k.Name) })
}

// network returns a network from its id in records, "network.tenant". A network's name may have dots, a tenant's too: the known networks
// decide. An id that none of them has becomes the name.
func (o *Original) network(id string) identity.Network {
	for _, text := range o.Objects["network"] {
		var n struct{ TenantName, NetworkName string }
		if json.Unmarshal(text, &n) == nil && n.NetworkName+"."+n.TenantName == id {
			return identity.Network{Tenant: n.TenantName, Name: n.NetworkName}
		}
	}
	return identity.Network{Name: id}
}

// hosts returns the labels of all hosts, in order.
func (o *Original) hosts() []string {
	out := slices.Clone(o.Hosts)
	for i := range o.Endpoints {
		out = append(out, o.Endpoints[i].Host)
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(label string) bool { return strings.TrimSpace(label) == "" })
}
