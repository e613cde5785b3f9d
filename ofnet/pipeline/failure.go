// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// lastHop is the TTL of a packet that a router does not forward (RFC 1812 section 5.3.1).
const lastHop = 1

// Failures are the flows of LeaseMessages, which send packets that the router does not forward to the agent, which sends their senders an
// error message. Without an agent these packets are dropped silently.
func Failures() []flow.Flow {
	do := LeaseMessages.toAgent(flow.Output(flow.PortController))
	var out []flow.Flow
	add := func(t flow.TableID, terms ...flow.Term) {
		for _, family := range []flow.Term{flow.IP(), flow.IPv6()} {
			out = append(out, LeaseMessages.flow(t, routePriority(128, rankOurs)+1, flow.NewMatch(append(terms[:len(terms):len(terms)], family)...), do))
		}
	}
	add(tRoute, flow.Eq(flow.IPTTL, lastHop), hasNot(bitHost), hasNot(bitTunnel))
	add(tNowhere, has(bitEndpoint))
	add(tShut, has(bitEndpoint))
	for _, protocol := range []uint64{ofnet.ProtocolTCP, ofnet.ProtocolUDP, ofnet.ProtocolSCTP} { // a service's pings have no answer either
		for _, from := range []int{bitEndpoint, bitHost, bitUplink} {
			add(tUnserved, has(from), flow.Eq(flow.IPProto, protocol))
		}
	}
	return out
}

// HasExpired reports whether the hop limit of a packet that Failures caught in a table is exceeded.
func HasExpired(table flow.TableID) bool { return table == tRoute }

// IsRefused reports whether a packet that Failures caught in a table is for a service without backends, or for a destination that is closed
// to endpoints. If it has not expired either, its destination address is unused.
func IsRefused(table flow.TableID) bool { return table == tUnserved || table == tShut }

// Inject returns the actions that send a packet of the agent to an endpoint of a tenant by its address, anywhere, as the router would send
// it. Numbers are those of Origin; no rules judge it.
func Inject(segment uint32, tenant uint16) flow.Actions {
	return flow.Do(load(regNetwork, segment), flow.Load(zone(), uint64(tenant)),
		on(bitEndpoint), on(bitRouted), on(bitSkip), on(bitNoCommit), flow.Resubmit(tRoute))
}

// Reply returns the actions that send a message about a packet that Failures caught to its sender, and the link address of the message: if
// routed, as the router would send it; otherwise to the packet's origin, which is the host itself or a machine on a VLAN, and in the name
// of its destination. ok is false if there is no path any longer.
func Reply(s *ofnet.State, m flow.Match) (do flow.Actions, mac ofnet.MAC, routed, ok bool) {
	segment, tenant := Origin(m)
	flags, _ := m.Uint(regFlags)
	switch {
	case flags&(1<<bitHost) != 0:
		return flow.Do(flow.Output(s.Local.Host)), RouterMAC, false, s.Local.Host != 0
	case flags&(1<<bitUplink) == 0:
		return Inject(segment, tenant), RouterMAC, true, true
	case segment == outside:
		return Inject(segment, tenant), RouterMAC, false, true
	}
	for n := range s.Segments.Values() {
		if n.ID == segment && n.Encap == ofnet.VLAN && s.Local.Uplink != 0 {
			return flow.Do(append(pushTag(n), toUplink(s))...), uplinkMAC(s), false, true
		}
	}
	return flow.Actions{}, mac, false, false
}
