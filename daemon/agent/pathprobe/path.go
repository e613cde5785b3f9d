// SPDX-License-Identifier: Apache-2.0

package pathprobe

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet"
)

// Path is a path from this host to another.
type Path struct {
	Host    string     // at the other end
	Network string     // whose tag the frames have on the trunk, "tenant:network"; "": the tunnel
	Tag     uint32     // of the network
	End     netip.Addr // of the tunnel
	segment uint32     // number of the network
}

// name describes the path in findings.
func (w *Path) name() string {
	if w.Network == "" {
		return fmt.Sprintf("the tunnel to host %s (%s)", w.Host, w.End)
	}
	return fmt.Sprintf("VLAN %d to host %s", w.Tag, w.Host)
}

// maxPaths is the maximum number of paths; fewPeers is the minimum number of other hosts probed for a VLAN.
const (
	maxPaths = 4096
	fewPeers = 3
)

// pathsOf returns the paths that local endpoints need, in a fixed order: tunnels to the hosts with which this host shares a tenant's VXLAN
// networks, and by the trunk, with each VLAN network's tag, those to the hosts that have endpoints of it. If there are too many, each host
// has the next few of a VLAN in the order of labels, so that still some host probes each host's tag.
func pathsOf(s *ofnet.State) []Path {
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
	var out []Path
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
			out = append(out, Path{Host: h.Label, End: h.VTEP})
		}
	}
	for i, n := range vlans {
		most := max(fewPeers, (maxPaths-len(out))/(len(vlans)-i))
		for _, h := range after(hosts, s.Self) {
			if most > 0 && s.Present(ofnet.Place{Segment: n.Name, Host: h.Label}) > 0 {
				out = append(out, Path{Host: h.Label, Network: n.Name, Tag: n.Tag, segment: n.ID})
				most--
			}
		}
	}
	return out
}

// after returns the other hosts, starting after self, in a circle.
func after(hosts []*ofnet.Host, self string) []*ofnet.Host {
	at, _ := slices.BinarySearchFunc(hosts, self, func(h *ofnet.Host, label string) int { return cmp.Compare(h.Label, label) })
	if at == len(hosts) || hosts[at].Label != self {
		return slices.Concat(hosts[at:], hosts[:at])
	}
	return slices.Concat(hosts[at+1:], hosts[:at])
}
