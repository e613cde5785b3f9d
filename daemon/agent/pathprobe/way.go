package pathprobe

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet"
)

// Way is one from this host to another.
type Way struct {
	Host    string     // at the other end
	Network string     // whose tag the frames have on the trunk, "tenant:network"; "": it is the tunnel
	Tag     uint32     // of the network
	End     netip.Addr // of the tunnel
	segment uint32     // number of the network
}

// name is what people call the way.
func (w *Way) name() string {
	if w.Network == "" {
		return fmt.Sprintf("the tunnel to host %s (%s)", w.Host, w.End)
	}
	return fmt.Sprintf("VLAN %d to host %s", w.Tag, w.Host)
}

// mostWays is how many ways are kept; fewPeers is how many other hosts of a VLAN are asked at least.
const (
	mostWays = 4096
	fewPeers = 3
)

// waysOf are the ways that endpoints of this host have need of, in a fixed order: tunnels to the hosts with which it shares a tenant's VXLAN
// networks, and by the trunk, with each VLAN network's tag, those to the hosts that have endpoints of it. When there are too many, each host has
// the next few of a VLAN in the order of labels, so that still each host's tag is known to some.
func waysOf(s *ofnet.State) []Way {
	tenants, vlans := map[string]bool{}, []*ofnet.Segment{}
	for n := range s.Segments.Values() {
		switch here := s.Present(ofnet.Place{Segment: n.Name, Host: s.Self}) > 0; {
		case here && n.Encap == ofnet.VXLAN && s.Local.Tunnel != 0:
			tenants[n.Tenant] = true
		case here && n.Encap == ofnet.VLAN && s.Local.Uplink != 0:
			vlans = append(vlans, n)
		}
	}
	hosts := make([]*ofnet.Host, 0, s.Hosts.Len())
	for h := range s.Hosts.Values() {
		hosts = append(hosts, h)
	}
	slices.SortFunc(hosts, func(a, b *ofnet.Host) int { return cmp.Compare(a.Label, b.Label) })
	slices.SortFunc(vlans, func(a, b *ofnet.Segment) int { return cmp.Compare(a.Name, b.Name) })
	var out []Way
	var shared []*ofnet.Segment
	for tenant := range tenants {
		for n := range s.SegmentsOf(tenant) {
			if n.Encap == ofnet.VXLAN {
				shared = append(shared, n)
			}
		}
	}
	for _, h := range hosts {
		has := func(n *ofnet.Segment) bool { return s.Present(ofnet.Place{Segment: n.Name, Host: h.Label}) > 0 }
		if h.Label != s.Self && h.VTEP.IsValid() && slices.ContainsFunc(shared, has) {
			out = append(out, Way{Host: h.Label, End: h.VTEP})
		}
	}
	for i, n := range vlans {
		most := max(fewPeers, (mostWays-len(out))/(len(vlans)-i))
		for _, h := range after(hosts, s.Self) {
			if most > 0 && s.Present(ofnet.Place{Segment: n.Name, Host: h.Label}) > 0 {
				out = append(out, Way{Host: h.Label, Network: n.Name, Tag: n.Tag, segment: n.ID})
				most--
			}
		}
	}
	return out
}

// after are the other hosts, from the one that follows self on, and around.
func after(hosts []*ofnet.Host, self string) []*ofnet.Host {
	at, _ := slices.BinarySearchFunc(hosts, self, func(h *ofnet.Host, label string) int { return cmp.Compare(h.Label, label) })
	if at == len(hosts) || hosts[at].Label != self {
		return slices.Concat(hosts[at:], hosts[:at])
	}
	return slices.Concat(hosts[at+1:], hosts[:at])
}
