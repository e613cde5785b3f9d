// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// Lease is a set of flows that a part of an agent holds in the switch (flow.Leased) while it works: they send packets to the agent through
// a meter. The order determines the numbers of the meters.
type Lease int

// All leases.
const (
	LeaseNames       Lease = iota // queries to name servers
	LeaseMessages                 // packets that were not forwarded, whose senders get an error message
	LeaseProbes                   // probes of this agent and of others
	LeaseClaims                   // claims of endpoints' addresses by machines behind the uplink
	LeaseConnections              // packets that are dropped, for the log of connections
	leases
)

// terms are the name of a lease in `netctl flows`, the packets per second that its meter lets pass, and the burst.
func (l Lease) terms() (name string, rate, burst uint32) {
	switch l {
	case LeaseNames:
		return "names", 2000, 2000
	case LeaseMessages:
		return "messages", 200, 100
	case LeaseProbes:
		return "probes", 2000, 2000
	case LeaseClaims:
		return "claims", 20, 20
	case LeaseConnections:
		return "connections", 100, 100
	}
	return "", 0, 0
}

// Owner is the key that the cookies of the lease's flows name.
func (l Lease) Owner() ofnet.Key {
	name, _, _ := l.terms()
	return ofnet.Key{Kind: ofnet.KindAgent, Name: name}
}

// Cookie returns the cookie of the lease's flows.
func (l Lease) Cookie() flow.Cookie {
	return flow.NewCookie(flow.Leased, round, flow.Owner(l.Owner()))
}

// Meter returns the meter that limits the packets to the agent.
func (l Lease) Meter() flow.Meter {
	_, rate, burst := l.terms()
	return flow.Meter{ID: flow.LeasedMeters + uint32(l), Packets: true, Rate: rate, Burst: burst}
}

// toAgent sends packets to the agent through the lease's meter.
func (l Lease) toAgent(send flow.Action) flow.Actions {
	return flow.Do(flow.ToMeter(l.Meter().ID), send)
}

// flow returns a flow of the lease.
func (l Lease) flow(t flow.TableID, priority uint16, m flow.Match, do flow.Actions) flow.Flow {
	f := flow.New(t, priority, m, do)
	f.Cookie = l.Cookie()
	return f
}

// LeaseOf returns the owner of a leased flow by its cookie; ok is false for other flows.
func LeaseOf(c flow.Cookie) (owner ofnet.Key, ok bool) {
	for l := range leases {
		if l.Cookie() == c {
			return l.Owner(), true
		}
	}
	return owner, false
}
