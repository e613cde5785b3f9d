// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// Protocols of ports (IANA).
const (
	protocolTCP = 6
	protocolUDP = 17
)

// closed are ports of hosts that no service may use there, with the protocol: netmaster's, agents', the store's, the API server's and the
// kubelet's, ssh, and the tunnels'.
func closed(protocol uint8) []uint16 {
	switch protocol {
	case protocolTCP:
		return []uint16{22, 179, 2379, 2380, 6443, 9090, 9999, 10000, 10250, 10256, 10257, 10259}
	case protocolUDP:
		return []uint16{4789}
	}
	return nil
}

// Refused returns why a service may not have a port at an address that it does not own, "" if it may: no service may use addresses of
// containers, of the private subnet of hosts, or of loopback; at the API server's address not its port; and at addresses of hosts and
// netmasters no port of the control plane, and none that another service has at every node.
func (f *Facts) Refused(v *record.KubernetesService, a netip.Addr, protocol uint8, port uint16) (why string) {
	if !a.IsValid() || a.IsUnspecified() || a.IsLoopback() || a.IsMulticast() || a.IsLinkLocalUnicast() {
		return "it is not an address by which others reach one machine"
	}
	for n := range each(f.Networks) {
		if n.Subnet.Contains(a) || n.Subnet6.Contains(a) {
			return "it is in the subnet of network " + n.ID.String()
		}
	}
	for _, p := range f.Private {
		if p.Contains(a) {
			return "it is in the private subnet of hosts and containers"
		}
	}
	for s := range each(f.API) {
		for i := range s.Endpoints {
			if s.Endpoints[i].Address == a && slices.ContainsFunc(s.Ports, func(p record.SlicePort) bool { return p.Protocol == protocol && p.Port == port }) {
				return fmt.Sprintf("port %d there is the API server's", port)
			}
		}
	}
	whose, daemons := f.machine(a)
	if whose != "" && (slices.Contains(closed(protocol), port) || slices.Contains(daemons, record.ServicePort{Protocol: protocol, Port: port})) {
		return fmt.Sprintf("it is an address of %s, where port %d is kept for hosts themselves", whose, port)
	}
	if whose != "" && f.AtNodes != nil {
		for o := range f.AtNodes(protocol, port) {
			if o.ID != v.ID {
				return fmt.Sprintf("it is an address of %s, where port %d is the node port of service %s/%s", whose, port, o.ID.Namespace, o.ID.Name)
			}
		}
	}
	return ""
}

// machine describes the owner of a machine's address, "" if no host, netmaster or node has it; and the ports at which daemons of Contiv
// listen there.
func (f *Facts) machine(a netip.Addr) (whose string, daemons []record.ServicePort) {
	tcp := func(port int) {
		daemons = append(daemons, record.ServicePort{Protocol: protocolTCP, Port: uint16(port)})
	}
	for h := range each(f.Hosts) {
		if slices.Contains(h.Registered(), a) || slices.ContainsFunc(h.Own, func(p netip.Prefix) bool { return p.Addr() == a }) {
			whose = "host " + h.Label
		}
		if h.Control.IsValid() {
			tcp(int(h.Control.Port()))
		}
		daemons = append(daemons, record.ServicePort{Protocol: protocolUDP, Port: uint16(h.Port)})
	}
	for m := range each(f.Masters) {
		if master(m, a) {
			whose = "a netmaster"
		}
		tcp(m.Port)
	}
	for end, host := range each2(f.Ends) {
		if end == a {
			whose = "host " + host
		}
	}
	for n := range each(f.Nodes) {
		if slices.Contains(n.Addresses, a) {
			whose = "node " + n.Name
		}
	}
	return whose, daemons
}

// Gave reports whether an address of a service's status was given by Contiv: it is of a network of the service's tenant, and the service
// belongs to no other controller.
func Gave(v *record.KubernetesService, a netip.Addr, networks []*record.Network) bool {
	if v.LoadBalancerClass != "" && v.LoadBalancerClass != BalancerClass {
		return false
	}
	return slices.ContainsFunc(networks, func(n *record.Network) bool { return n.Subnet.Contains(a) || n.Subnet6.Contains(a) })
}

// BalancerClass is the class of load balancers that Contiv gives addresses to.
const BalancerClass = "contiv.io/load-balancer"

// Borrower is a service of a tenant that names addresses in addition to its cluster addresses.
type Borrower struct {
	*record.KubernetesService
	Tenant   string
	Networks []*record.Network // of the tenant
}

// Refusal is an address that a service names but does not have.
type Refusal struct {
	Service identity.KubernetesService
	Addr    netip.Addr
	Port    record.ServicePort // the first that conflicts
	Why     string
}

// String describes the refused port, its address and the reason.
func (r *Refusal) String() string {
	name := map[uint8]string{protocolTCP: "tcp", protocolUDP: "udp"}[r.Port.Protocol]
	if name == "" {
		name = "sctp"
	}
	return fmt.Sprintf("%s, %s/%d: %s", r.Addr, name, r.Port.Port, r.Why)
}

// Refusals are the addresses that services name and do not have: those refused by Refused, those that another service owns, and those whose
// port an earlier service by name borrows, in the same tenant. They are ordered by the services' names, then by address.
func (f *Facts) Refusals(list []Borrower) (out []Refusal) {
	owned := map[netip.Addr]string{}
	for a, service := range each2(f.Services) {
		owned[a] = service
	}
	name := func(b *Borrower) string { return b.ID.Path() }
	list = slices.SortedFunc(slices.Values(list), func(a, b Borrower) int { return cmp.Compare(name(&a), name(&b)) })
	type door struct {
		tenant   string
		addr     netip.Addr
		protocol uint8
		port     uint16
	}
	lent := map[door]string{}
	for i := range list {
		b := &list[i]
		for _, a := range b.borrowed() {
			at := slices.IndexFunc(b.Ports, func(p record.ServicePort) bool { return f.Refused(b.KubernetesService, a, p.Protocol, p.Port) != "" })
			switch {
			case at >= 0:
				out = append(out, Refusal{b.ID, a, b.Ports[at], f.Refused(b.KubernetesService, a, b.Ports[at].Protocol, b.Ports[at].Port)})
				continue
			case owned[a] != "" && len(b.Ports) > 0:
				out = append(out, Refusal{b.ID, a, b.Ports[0], owned[a] + " owns it"})
				continue
			}
			for _, p := range b.Ports {
				d := door{b.Tenant, a, p.Protocol, p.Port}
				if first := lent[d]; first != "" {
					out = append(out, Refusal{b.ID, a, p, "service " + first + " has it, whose name comes first"})
				} else {
					lent[d] = name(b)
				}
			}
		}
	}
	return out
}

// borrowed returns the addresses that a service names and neither owns nor was given, ordered.
func (b *Borrower) borrowed() []netip.Addr {
	out := slices.Concat(b.ExternalIPs, b.LoadBalancerIPs)
	slices.SortFunc(out, netip.Addr.Compare)
	return slices.DeleteFunc(slices.Compact(out), func(a netip.Addr) bool {
		return slices.Contains(b.ClusterIPs, a) || slices.Contains(b.LoadBalancerIPs, a) && Gave(b.KubernetesService, a, b.Networks)
	})
}
