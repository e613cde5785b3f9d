// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/table"
)

// Forgotten lists the connections that the switch must delete between two States: those of an address whose endpoint is gone, so that the
// next one does not inherit them; and UDP through a service to a removed backend, since an active client would never leave it. It
// implements bridge.Forgetter.
//
// Connections that rules deny are not among them: marked as refused, a connection is cut in both directions; if it were deleted, the
// answering side would open it again.
func (*Pipeline) Forgotten(before, after *ofnet.State) (out []flow.Connections) {
	for c := range table.Changes(before.Tenants, after.Tenants) {
		if c.Had && !c.Has { // the tenant has left this host
			out = append(out, flow.Connections{Zone: c.Before.ID}, flow.Connections{Zone: c.Before.ID | hairpinZone})
		}
	}
	for c := range table.Changes(before.Segments, after.Segments) {
		if c.Had && !c.Has {
			for e := range after.Members(c.Key) {
				out = append(out, forgottenAddresses(before, after, e, nil)...)
			}
		}
	}
	for c := range table.Changes(before.Endpoints, after.Endpoints) {
		if c.Had {
			out = append(out, forgottenAddresses(before, after, c.Before, c.After)...)
		}
	}
	for c := range table.Changes(before.Services, after.Services) {
		if c.Had {
			out = append(out, forgottenBackends(after, c.Before, c.After)...)
		}
	}
	return out
}

// forgottenAddresses adds connections with an address that an endpoint no longer has; is is nil if the endpoint is gone.
func forgottenAddresses(before, after *ofnet.State, was, is *ofnet.Endpoint) (out []flow.Connections) {
	n := before.Segments.Get(was.Segment)
	if n == nil {
		n = after.Segments.Get(was.Segment) // its segment is new
	}
	if n == nil {
		return nil
	}
	t := after.Tenants.Get(n.Tenant)
	if t == nil || !before.Tracked(t.Name) && !after.Tracked(t.Name) {
		return nil
	}
	for _, a := range []netip.Addr{was.IP4, was.IP6} {
		if !a.IsValid() || is != nil && (is.IP4 == a || is.IP6 == a) {
			continue
		}
		for _, protocol := range forgettable(a) {
			// Behind a service the address is only the sender of the answers.
			out = append(out, flow.Connections{Zone: t.ID, Protocol: protocol, Orig: flow.Tuple{Src: a}},
				flow.Connections{Zone: t.ID, Protocol: protocol, Reply: flow.Tuple{Src: a}})
			if before.HasServices(t.Name) || after.HasServices(t.Name) {
				out = append(out, flow.Connections{Zone: t.ID | hairpinZone, Protocol: protocol, Orig: flow.Tuple{Src: a}})
			}
		}
	}
	return out
}

// forgettable are the protocols to name when connections of an address are deleted; 0 is all. Open vSwitch 3.1 aborts if a connection over
// ICMPv6 is among them: it reverses the type in the key of its answer as if it were ICMP. Pings over IPv6 therefore last until none is sent
// for half a minute, and table state judges each of them, as it does SCTP.
func forgettable(a netip.Addr) []uint8 {
	if a.Is6() {
		return []uint8{ofnet.ProtocolTCP, ofnet.ProtocolUDP}
	}
	return []uint8{ofnet.ProtocolAny}
}

// forgottenBackends adds UDP connections to backends that a service no longer has. TCP connections end by themselves, and continue until
// then.
func forgottenBackends(after *ofnet.State, was, is *ofnet.Service) (out []flow.Connections) {
	t := after.Tenants.Get(was.Tenant)
	if t == nil {
		return nil
	}
	for i := range was.Ports {
		p := &was.Ports[i]
		if p.Protocol != ofnet.ProtocolUDP {
			continue
		}
		for _, b := range p.Backends {
			for _, a := range was.Addresses() {
				if a.Is4() == b.Addr.Is4() && !leads(is, a, p, b) {
					out = append(out, flow.Connections{Zone: t.ID, Protocol: p.Protocol, Orig: flow.Tuple{Dst: a, DstPort: p.Port},
						Reply: flow.Tuple{Src: b.Addr, SrcPort: b.Target}})
				}
			}
		}
	}
	return out
}

// leads reports whether a service, nil for none, directs connections to an address and port of its own to a backend.
func leads(v *ofnet.Service, a netip.Addr, port *ofnet.ServicePort, to ofnet.Backend) bool {
	if v == nil || !slices.Contains(v.Cluster, a) && !slices.Contains(v.External, a) {
		return false
	}
	p := v.Port(port.Protocol, port.Port)
	if p == nil {
		return false
	}
	return p.Has(to.Addr, to.Target)
}
