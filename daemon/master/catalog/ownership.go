// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"iter"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/daemon/ownership"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/pipeline"
	"github.com/contiv/contiv/table"
)

// kubeAddresses are the addresses of a service of Kubernetes: its own, and whether it names others.
type kubeAddresses struct {
	id     identity.KubernetesService
	own    []netip.Addr
	claims bool
	doors  []doorway // of every node
}

// doorway is a port of a node.
type doorway struct {
	protocol uint8
	port     uint16
}

var atNodes = table.ByEach[identity.KubernetesService](func(s *kubeAddresses, to []doorway) []doorway { return append(to, s.doors...) })

var claimants = table.By[identity.KubernetesService](func(s *kubeAddresses) bool { return s.claims })

func nodeRows(v *View) *of[record.KubernetesNode] { return &v.nodes }

// addressed updates the addresses of a service of Kubernetes whose record has changed.
func (v *View) addressed(key string) {
	id, err := identity.ParseKubernetesService(key)
	if err != nil {
		return
	}
	s := v.KubernetesService(id)
	if s == nil {
		v.kubeAddresses.Delete(id)
		return
	}
	now := &kubeAddresses{id: id, own: s.ClusterIPs, claims: len(s.ExternalIPs)+len(s.LoadBalancerIPs) > 0}
	for i := range s.Ports {
		if p := &s.Ports[i]; p.NodePort != 0 {
			now.doors = append(now.doors, doorway{p.Protocol, p.NodePort})
		}
	}
	v.kubeAddresses.Set(id, now)
}

// Ownership returns the records that determine the owners of addresses.
func (v *View) Ownership() *ownership.Facts {
	private := ofnet.DefaultPrivate()
	if g := v.Global(); g != nil && g.PvtSubnet.IsValid() {
		private = g.PvtSubnet.Masked()
	}
	return &ownership.Facts{Hosts: v.hosts.Values(), Nodes: v.nodes.Values(), Private: []netip.Prefix{private, pipeline.Private6(private)},
		Masters: func(yield func(*record.Service) bool) {
			for _, m := range v.Services(record.ServiceMaster) {
				if !yield(&m) {
					return
				}
			}
		},
		Networks: func(yield func(*record.Network) bool) {
			for n := range v.networks.Values() {
				if !yield(n.Record) {
					return
				}
			}
		},
		API: slices.Values(v.SlicesOf(apiServer)),
		AtNodes: func(protocol uint8, port uint16) iter.Seq[*record.KubernetesService] {
			return func(yield func(*record.KubernetesService) bool) {
				for s := range atNodes.In(&v.kubeAddresses, doorway{protocol, port}).Values() {
					if r := v.KubernetesService(s.id); r != nil && !yield(r) {
						return
					}
				}
			}
		},
		Services: func(yield func(netip.Addr, string) bool) {
			for s := range v.serviceLBs.Values() {
				if s.IP.IsValid() && !yield(s.IP, "service "+s.ID.String()) {
					return
				}
			}
			for s := range v.kubeAddresses.Values() {
				for _, a := range s.own {
					if !yield(a, "service "+s.id.Path()) {
						return
					}
				}
			}
		}}
}

// RefusedAddresses returns the addresses that services of Kubernetes name and do not get, by the services' names.
func (v *View) RefusedAddresses() []ownership.Refusal {
	var list []ownership.Borrower
	for s := range claimants.In(&v.kubeAddresses, true).Values() {
		r := v.KubernetesService(s.id)
		if r == nil || r.Headless || len(r.ClusterIPs) == 0 {
			continue
		}
		b := ownership.Borrower{KubernetesService: r, Tenant: v.TenantOfService(s.id)}
		for n := range networksOfTenant.In(&v.networks, b.Tenant).Values() {
			b.Networks = append(b.Networks, n.Record)
		}
		list = append(list, b)
	}
	if len(list) == 0 {
		return nil
	}
	return v.Ownership().Refusals(list)
}
