// SPDX-License-Identifier: Apache-2.0

package kubeservice

import (
	"net/netip"
	"slices"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
)

// Site is the host for which services are translated.
type Site struct {
	Node string // its name in Kubernetes; "" if it is no node
	Zone string // of the node; "": none
	// HostOf returns the label of the host that is the node of that name and has the address itself; "" if the address is another's.
	HostOf func(node string, a netip.Addr) string
	// Owns reports whether Contiv allocated an address of a service's status; nil: each one.
	Owns func(v *record.KubernetesService, a netip.Addr) bool
	// Lends reports whether a service may have a port at an address that another owner has; nil: it may.
	Lends func(v *record.KubernetesService, a netip.Addr, protocol uint8, port uint16) bool
}

// outside returns the addresses of a service that also serve external clients, in order, and those of them that it borrows: externalIPs,
// and addresses that another controller has written into its status, are claims. It omits an address at which one of the ports is
// unavailable.
func (at *Site) outside(v *record.KubernetesService) (all, borrowed []netip.Addr) {
	for _, a := range ordered(v.ExternalIPs, v.LoadBalancerIPs) {
		if slices.Contains(v.ClusterIPs, a) {
			continue
		}
		if slices.Contains(v.LoadBalancerIPs, a) && (at.Owns == nil || at.Owns(v, a)) {
			all = append(all, a)
			continue
		}
		if at.Lends != nil && slices.ContainsFunc(v.Ports, func(p record.ServicePort) bool { return !at.Lends(v, a, p.Protocol, p.Port) }) {
			continue
		}
		all, borrowed = append(all, a), append(borrowed, a)
	}
	return all, borrowed
}

// Name returns the name of a service of Kubernetes among those of the host: the names of Contiv's own services have a colon,
// not a slash.
func Name(v *record.KubernetesService) string { return v.ID.Path() }

// Translate returns a tenant's service from its record and slices, in any order; nil if there is nothing to forward: it only has a name, or
// no address yet.
func Translate(v *record.KubernetesService, list []*record.EndpointSlice, tenant string, at *Site) *ofnet.Service {
	if v.Headless || v.Type == record.ServiceExternalName || len(v.ClusterIPs) == 0 {
		return nil
	}
	out := &ofnet.Service{Name: Name(v), Tenant: tenant, Cluster: ordered(v.ClusterIPs),
		ClusterLocal: v.InternalLocal, ExternalLocal: v.ExternalLocal}
	out.External, out.Borrowed = at.outside(v)
	if len(v.SourceRanges) > 0 {
		out.Guarded = slices.DeleteFunc(ordered(v.LoadBalancerIPs), func(a netip.Addr) bool { return !slices.Contains(out.External, a) })
		out.Sources = slices.SortedFunc(slices.Values(v.SourceRanges), netip.Prefix.Compare)
	}
	if v.AffinitySeconds > 0 {
		out.Affinity = ofnet.Affinity{Client: true, Timeout: time.Duration(v.AffinitySeconds) * time.Second}
	}
	for i := range v.Ports {
		p := &v.Ports[i]
		if out.Port(p.Protocol, p.Port) != nil {
			continue // Kubernetes has none twice
		}
		out.Ports = append(out.Ports, ofnet.ServicePort{Name: p.Name, Protocol: p.Protocol, Port: p.Port, NodePort: p.NodePort,
			Backends: backends(p, list, at)})
	}
	return out
}

// ordered returns the addresses of lists, ordered and distinct.
func ordered(lists ...[]netip.Addr) []netip.Addr {
	out := slices.Concat(lists...)
	slices.SortFunc(out, netip.Addr.Compare)
	return slices.Compact(out)
}
