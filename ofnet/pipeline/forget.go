package pipeline

import (
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// Forgotten lists the connections that the switch must forget because key changed: those of an address whose endpoint has
// gone, so that nobody inherits them; and UDP through a service to a backend that was taken from it, since a client that
// goes on would never leave it. Call it when s has changed, and before s.Touch. It is bridge.Forgetter.
//
// What rules deny is not among them: marked as refused, a connection is cut in both directions; forgotten, the side that
// answers would open it anew.
func (*Pipeline) Forgotten(s *ofnet.State, key ofnet.Key) []flow.Connections {
	switch key.Kind {
	case ofnet.KindEndpoint:
		return forgottenEndpoint(s, key.Name)
	case ofnet.KindService:
		return forgottenBackends(s, key.Name)
	}
	return nil
}

// forgottenEndpoint: what has the address at one end. When the tenant itself has left this host, all of its zone.
func forgottenEndpoint(s *ofnet.State, id string) (out []flow.Connections) {
	tenant, addrs := s.ListedAddresses(id)
	if tenant.ID == 0 {
		return nil
	}
	now := s.Endpoints[id]
	for _, a := range addrs {
		if now != nil && (now.IP4 == a || now.IP6 == a) {
			continue
		}
		if s.Tenants[tenant.Name] == nil {
			return []flow.Connections{{Zone: tenant.ID}, {Zone: tenant.ID | hairpinZone}}
		}
		if tracked, _ := s.Tracking(tenant.Name); !tracked {
			return nil
		}
		for _, protocol := range forgettable(a) {
			// Behind a service the address is the sender of the answers alone.
			out = append(out, flow.Connections{Zone: tenant.ID, Protocol: protocol, Orig: flow.Tuple{Src: a}},
				flow.Connections{Zone: tenant.ID, Protocol: protocol, Reply: flow.Tuple{Src: a}})
			if len(s.ServicesOf(tenant.Name)) > 0 {
				out = append(out, flow.Connections{Zone: tenant.ID | hairpinZone, Protocol: protocol, Orig: flow.Tuple{Src: a}})
			}
		}
	}
	return out
}

// forgettable are the protocols to name when connections of an address are to be forgotten; 0 is all. Open vSwitch 3.1 ends, by
// abort, when one over ICMPv6 is among them: it turns the type of its answer's key round as if it were of ICMP. Pings over
// IPv6 so last until nobody has sent one for half a minute, and table state has each of them judged, as it has what is of SCTP.
func forgettable(a netip.Addr) []uint8 {
	if a.Is6() {
		return []uint8{ofnet.ProtocolTCP, ofnet.ProtocolUDP}
	}
	return []uint8{ofnet.ProtocolAny}
}

// forgottenBackends: UDP to backends that a service has no more. TCP has an end of its own, and goes on until then.
func forgottenBackends(s *ofnet.State, name string) (out []flow.Connections) {
	was, is := s.ListedService(name), s.Services[name]
	if was == nil {
		return nil
	}
	t := s.Tenants[was.Tenant]
	if t == nil {
		return nil
	}
	for _, p := range was.Ports {
		if p.Protocol != ofnet.ProtocolUDP {
			continue
		}
		for _, a := range was.Backends {
			if is != nil && is.Address == was.Address && slices.Contains(is.Ports, p) && slices.Contains(is.Backends, a) {
				continue
			}
			out = append(out, flow.Connections{Zone: t.ID, Protocol: p.Protocol, Orig: flow.Tuple{Dst: was.Address, DstPort: p.Port}, Reply: flow.Tuple{Src: a, SrcPort: p.Target}})
		}
	}
	return out
}
