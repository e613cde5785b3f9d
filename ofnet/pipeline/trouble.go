package pipeline

import (
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// lastHop is the TTL of a packet that a router does not pass on (RFC 1812 section 5.3.1).
const lastHop = 1

// Troubles is what brings packets that the router does not pass on to the agent, which tells their senders, through a
// meter: the holder's, which bounds them. The agent holds it by a lease (flow.Leased): without an agent these packets are
// dropped all the same, and no one is told.
func Troubles(self string, meter uint32) []flow.Flow {
	tell := flow.Do(flow.ToMeter(meter), flow.Output(flow.PortController))
	var out []flow.Flow
	add := func(t flow.TableID, terms ...flow.Term) {
		for _, family := range []flow.Term{flow.IP(), flow.IPv6()} {
			f := flow.New(t, routePriority(128, rankOurs)+1, flow.NewMatch(append(terms[:len(terms):len(terms)], family)...), tell)
			f.Cookie = flow.NewCookie(flow.Leased, round, flow.Owner(ofnet.Key{Kind: ofnet.KindSwitch, Name: self + " troubles"}))
			out = append(out, f)
		}
	}
	add(tRoute, flow.Eq(flow.IPTTL, lastHop), hasNot(bitHost), hasNot(bitTunnel))
	add(tNowhere, has(bitEndpoint))
	for _, protocol := range []uint64{ofnet.ProtocolTCP, ofnet.ProtocolUDP, ofnet.ProtocolSCTP} { // no one answers a service's pings either
		add(tUnserved, has(bitEndpoint), flow.Eq(flow.IPProto, protocol))
	}
	return out
}

// HasExpired says of a packet that Troubles caught in a table that its last hop is behind it.
func HasExpired(table flow.TableID) bool { return table == tRoute }

// IsUnserved says of a packet that Troubles caught in a table that it is for a service that has no one to lead it to; if it
// has not expired either, no one has the address that it is for.
func IsUnserved(table flow.TableID) bool { return table == tUnserved }

// Inject is what a packet of the agent's own is sent with to reach an endpoint of a tenant by its address, wherever that
// is, as the router would send it. Numbers are as Origin tells them; no rules judge it.
func Inject(segment uint32, tenant uint16) flow.Actions {
	return flow.Do(load(regNetwork, segment), flow.Load(zone(), uint64(tenant)),
		on(bitEndpoint), on(bitRouted), on(bitSkip), on(bitNoCommit), flow.Resubmit(tRoute))
}
