// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"fmt"
	"net/netip"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// Announcement informs the machines behind the uplink of the location of an address.
type Announcement struct {
	Addr    netip.Addr
	MAC     ofnet.MAC
	Actions flow.Actions // send a frame there
}

// Announcements returns those of all local endpoints on VLANs, and of services whose front this host is, by content: the key changes with
// the endpoint, its port and the active uplink.
func Announcements(s *ofnet.State) map[string]Announcement {
	out := map[string]Announcement{}
	up := s.Local.ActiveUplink()
	if up == 0 {
		return out
	}
	for e := range s.On(s.Self) {
		m, ok := resolve(s, e)
		if !ok || m.net.Encap != ofnet.VLAN {
			continue
		}
		mac := m.MAC
		if m.net.Mode == ofnet.Routing {
			mac = uplinkMAC(s)
		}
		do := flow.Do(append(pushTag(m.net), flow.Output(up))...)
		for _, a := range []netip.Addr{m.IP4, m.IP6} {
			if a.IsValid() {
				out[fmt.Sprintf("%s at %s by %d, tag %d, port %d, %x", e.ID, a, up, m.net.Tag, m.Port, mac)] = Announcement{Addr: a, MAC: mac, Actions: do}
			}
		}
	}
	announceServices(out, s, up)
	return out
}

// announceServices adds the addresses of services that this host answers for on a VLAN: if another host takes over, machines outside are
// informed.
func announceServices(out map[string]Announcement, s *ofnet.State, up uint32) {
	for name, v := range s.Services.All() {
		for _, a := range v.External {
			n := trunkOf(s, v.Tenant, a)
			if n == nil {
				continue
			}
			if b, ok := balancingOf(s, name, a.Is6()); ok && b.leads(s, a) && b.fronts(s, a) {
				mac := uplinkMAC(s)
				out[fmt.Sprintf("%s at %s by %d, tag %d, %x", name, a, up, n.Tag, mac)] = Announcement{Addr: a, MAC: mac,
					Actions: flow.Do(append(pushTag(n), flow.Output(up))...)}
			}
		}
	}
}

// trunkOf returns the VLAN of a tenant that an address belongs to, or nil.
func trunkOf(s *ofnet.State, tenant string, a netip.Addr) *ofnet.Segment {
	for n := range s.SegmentsOf(tenant) {
		if n.Encap == ofnet.VLAN && (n.Prefix4.Contains(a) || n.Prefix6.Contains(a)) {
			return n
		}
	}
	return nil
}
