// SPDX-License-Identifier: Apache-2.0

package hostaccess

import (
	"cmp"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// nodePorts adds the ports at which this host accepts connections for services: the kernel directs them to the switch, which chooses.
// Connections that may be answered by another host get this host's source address, so that the answer comes back here; all others keep
// their client's address.
func (e *Engine) nodePorts(t *link.Translation, hosts *machines) {
	services := e.Flows.Services()
	var ports []link.Published
	for _, six := range []bool{false, true} {
		private, all := e.Flows.Private(), netip.IPv4Unspecified()
		if six {
			private, all = pipeline.Private6(private), netip.IPv6Unspecified()
		}
		by := hosts.self(private.Addr())
		for _, v := range services {
			if !by.IsValid() && !v.ExternalLocal || !slices.ContainsFunc(v.Cluster, func(a netip.Addr) bool { return a.Is6() == six }) {
				continue
			}
			for _, p := range v.Ports {
				if p.NodePort == 0 {
					continue
				}
				ports = append(ports, byNodePort(v, &p, netip.AddrPortFrom(all, p.NodePort), private, by.IsValid())...)
			}
		}
		t.Kept = append(t.Kept, pipeline.NodePortAddr(private, true))
		if by.IsValid() {
			a := pipeline.NodePortAddr(private, false)
			t.Hidden = append(t.Hidden, link.Hidden{Prefix: netip.PrefixFrom(a, a.BitLen()), By: by})
		}
	}
	slices.SortFunc(ports, func(a, b link.Published) int {
		return cmp.Or(cmp.Compare(a.Protocol, b.Protocol), a.From.Compare(b.From), a.To.Compare(b.To))
	})
	t.Ports = append(t.Ports, ports...) // a container's port counts before
}

// byNodePort leads from a port of the host to a service that has a node port. Processes of the host, which is then reached by its own
// address, are within the cluster: any backend serves them, whatever the service's policy for clients outside.
func byNodePort(v *ofnet.Service, p *ofnet.ServicePort, from netip.AddrPort, private netip.Prefix, met bool) []link.Published {
	to := func(local bool) netip.AddrPort {
		return netip.AddrPortFrom(pipeline.NodePortAddr(private, local), p.NodePort)
	}
	out := []link.Published{{Protocol: p.Protocol, From: from, To: to(v.ExternalLocal)}}
	if v.ExternalLocal && met {
		out = append(out, link.Published{Protocol: p.Protocol, From: from, To: to(false), Own: true})
	}
	return out
}

// serviceRoutes adds the host's routes to the services of Kubernetes, by its own address. Addresses in a subnet that has a route already
// need none.
func (e *Engine) serviceRoutes(ways []link.GatewayRoute, hosts *machines) []link.GatewayRoute {
	private := e.Flows.Private()
	subnets := len(ways)
	for _, v := range e.Flows.Services() {
		if len(v.Cluster) == 0 {
			continue
		}
		for _, a := range v.Addresses() {
			if v.Borrows(a) {
				continue // the host reaches it as without the service
			}
			via, from := pipeline.NextHop(private), hosts.self(a)
			if a.Is6() {
				via = pipeline.NextHop(pipeline.Private6(private))
			}
			to := netip.PrefixFrom(a, a.BitLen())
			known := slices.ContainsFunc(ways[:subnets], func(w link.GatewayRoute) bool { return w.To.Contains(a) })
			if from.IsValid() && !known && hosts.within(to) == "" {
				ways = append(ways, link.GatewayRoute{To: to, Via: via, From: from})
			}
		}
	}
	slices.SortFunc(ways, func(a, b link.GatewayRoute) int {
		return cmp.Or(a.To.Addr().Compare(b.To.Addr()), cmp.Compare(a.To.Bits(), b.To.Bits()))
	})
	return slices.CompactFunc(ways, func(a, b link.GatewayRoute) bool { return a.To == b.To })
}
