package ownership

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/daemon/record"
)

// Protocols of ports (IANA).
const (
	protocolTCP = 6
	protocolUDP = 17
)

// closed are ports of hosts that no service has there, with the protocol: netmaster's, agents', the store's, the API server's and the kubelet's, ssh, and the
// tunnels'.
func closed(protocol uint8) []uint16 {
	switch protocol {
	case protocolTCP:
		return []uint16{22, 179, 2379, 2380, 6443, 9090, 9999, 10000, 10250, 10256, 10257, 10259}
	case protocolUDP:
		return []uint16{4789}
	}
	return nil
}

// Refused says why a service may not have a port at an address that it does not own, "" when it may: no one has addresses of containers, of the private subnet
// of hosts, or of a host alone; where the API server is, not its port; and at addresses of hosts and netmasters no port of the control plane, and none that
// another service has at every node.
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

// machine is who has an address of its own, in words, "" when no host, netmaster or node has it; and the ports at which daemons of Contiv listen on such.
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

// Gave says whether an address of a service's status was given by Contiv: it is of a network of the service's tenant, and the service is no other
// controller's.
func Gave(v *record.KubernetesService, a netip.Addr, networks []*record.Network) bool {
	if v.LoadBalancerClass != "" && v.LoadBalancerClass != BalancerClass {
		return false
	}
	return slices.ContainsFunc(networks, func(n *record.Network) bool { return n.Subnet.Contains(a) || n.Subnet6.Contains(a) })
}

// BalancerClass is the class of load balancers that Contiv gives addresses to.
const BalancerClass = "contiv.io/load-balancer"
