package desired

import (
	"net/netip"
	"slices"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
)

// A service of Kubernetes owns its cluster addresses and those that Contiv gives to load balancers. Its externalIPs, and what another controller writes into its
// status, are claims: anyone who may write services may name any address.

// balancerClass is the class of load balancers that Contiv gives addresses to.
const balancerClass = "contiv.io/load-balancer"

// gave reports whether an address of a service's status was given by Contiv: it is of a network of the service's tenant, and the service is no other controller's.
func (r *records) gave(v *record.KubernetesService, a netip.Addr) bool {
	if v.LoadBalancerClass != "" && v.LoadBalancerClass != balancerClass {
		return false
	}
	for n := range networksOfTenant.In(r.networks, r.tenantOf(v.ID.Namespace)).Values() {
		if n.Subnet.Contains(a) || n.Subnet6.Contains(a) {
			return true
		}
	}
	return false
}

// closed are ports of hosts that no service has there, with the protocol: netmaster's, agents', the store's, the API server's and the kubelet's, ssh, and the
// tunnels'.
func closed(protocol uint8) []uint16 {
	switch protocol {
	case ofnet.ProtocolTCP:
		return []uint16{22, 179, 2379, 2380, 6443, 9090, 9999, 10000, 10250, 10256, 10257, 10259}
	case ofnet.ProtocolUDP:
		return []uint16{4789}
	}
	return nil
}

// lends reports whether a service may have a port at an address that is not its own: at none of containers, of the private subnet of hosts, or of a host alone;
// where the API server is, not its port; and at addresses of hosts and netmasters no port of the control plane.
func (r *records) lends(a netip.Addr, protocol uint8, port uint16) bool {
	if !a.IsValid() || a.IsUnspecified() || a.IsLoopback() || a.IsMulticast() || a.IsLinkLocalUnicast() {
		return false
	}
	for n := range r.networks.Values() {
		if n.Subnet.Contains(a) || n.Subnet6.Contains(a) {
			return false
		}
	}
	for s := range slicesOfService.In(r.kube.slices, apiServer).Values() {
		for i := range s.Endpoints {
			if s.Endpoints[i].Address == a && slices.ContainsFunc(s.Ports, func(p record.SlicePort) bool { return p.Protocol == protocol && p.Port == port }) {
				return false
			}
		}
	}
	own, ofHost := r.ofHost(a)
	return !ofHost || !slices.Contains(closed(protocol), port) && !slices.Contains(own, netip.AddrPortFrom(a, port))
}

// ofHost reports whether an address is a host's or a netmaster's, and where daemons of Contiv listen there.
func (r *records) ofHost(a netip.Addr) (at []netip.AddrPort, ok bool) {
	for h := range r.machines.Values() {
		ok = ok || h.VTEP == a || h.Control.Addr() == a || h.Node4 == a || h.Node6 == a
		at = append(at, h.Control, netip.AddrPortFrom(h.VTEP, uint16(h.Port)))
	}
	for m := range r.masters.Values() {
		if own, err := netip.ParseAddr(m.HostAddr); err == nil {
			ok = ok || own == a
			at = append(at, netip.AddrPortFrom(own, uint16(m.Port)))
		}
	}
	for h := range r.hosts.Values() {
		ok = ok || h.VTEP == a
	}
	for n := range r.kube.nodes.Values() {
		ok = ok || slices.Contains(n.Addresses, a)
	}
	return at, ok
}

// borrowers adds the services that claim addresses, where those have changed that are others'.
func (o objects) borrowers(before, after *records) {
	moved := false
	changed(before, after, networks, func(*records, string, *record.Network) { moved = true })
	changed(before, after, masters, func(*records, string, *record.Service) { moved = true })
	changed(before, after, machines, func(*records, string, *record.Host) { moved = true })
	changed(before, after, hosts, func(*records, string, *ofnet.Host) { moved = true })
	changed(before, after, kubeNodes, func(*records, string, *record.KubernetesNode) { moved = true })
	changed(before, after, endpointSlices, func(_ *records, _ string, s *record.EndpointSlice) { moved = moved || s.Of() == apiServer })
	if !moved {
		return
	}
	for v := range after.kube.services.Values() {
		if len(v.ExternalIPs)+len(v.LoadBalancerIPs) > 0 {
			o.kubeService(after, v.ID)
		}
	}
}
