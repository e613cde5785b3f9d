// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// netpol applies policies in addition to the rules of groups, by the classes of sender and receiver: the sender's policies on the sender's
// host, the receiver's on the receiver's. It receives packets that the rules allow, except those judged already and those that the other
// end judges.
type netpol struct{}

func (netpol) Name() string { return "netpol" }

func (netpol) Tables() []flow.Table {
	return []flow.Table{
		{ID: tAdminOut, Name: "admin_out", Miss: flow.Do(flow.GotoTable(tNetpolOut)), Asks: "admin policies of the sender's class"},
		{ID: tNetpolOut, Name: "netpol_out", Miss: flow.Do(flow.GotoTable(tReplicate)), Asks: "namespace and baseline policies of the sender's class"},
		{ID: tAdminIn, Name: "admin_in", Miss: flow.Do(flow.GotoTable(tNetpolIn)), Asks: "admin policies of the receiver's class"},
		{ID: tNetpolIn, Name: "netpol_in", Miss: flow.Do(flow.GotoTable(tCommit)), Asks: "namespace and baseline policies of the receiver's class"},
	}
}

// Priorities. Levels of the admin and baseline stages have a block each, and in it a rule has its own, by its place: nothing is renumbered,
// unless a level needs more than its block, which moves the blocks above it. Clauses and the flow of their conjunction have the same
// priority.
const (
	netpolExempt   = 60000 // echo replies, and the host itself
	netpolUnnamed  = 52000 // of StageNamespace: plus a number below ofnet.Levels
	netpolIsolated = 51500 // no policy of StageNamespace has admitted it
	netpolFirst    = 100   // of the other stages: the place of the last rule of the last priority
)

// slots is the number of places of a level: one more than rules have, for the closing flow.
const slots = ofnet.MaxSlots + 1

// slotPriority is the priority of the flows of a rule at a place in a level, from 0; the closing flow comes after the last.
func slotPriority(l ofnet.Level, room ofnet.Room, slot int) uint16 {
	if l.Stage == ofnet.StageNamespace {
		return netpolUnnamed + l.Number
	}
	return uint16(netpolFirst + (ofnet.LastPriority-int(l.Number))*slots + room.Above + room.Slots - slot)
}

func (netpol) Reads() []*Input {
	return []*Input{
		rows(classPolicyRows, func(s *ofnet.State, p *ofnet.ClassPolicy, to owners) {
			l := p.Level()
			to(l.Key())
			if s.Wide(l) {
				for _, above := range s.Above(l) {
					to(above.Key())
				}
			}
		}),
		setting(func(a, b *ofnet.State) bool {
			return a.Self == b.Self && a.Private == b.Private && slices.Equal(a.Own, b.Own)
		}, allSwitches),
	}
}

// allSwitches is the switch as an owner.
func allSwitches(s *ofnet.State, to owners) { to(ofnet.Key{Kind: ofnet.KindSwitch, Name: s.Self}) }

func (netpol) Flows(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	switch owner.Kind {
	case ofnet.KindSwitch:
		netpolSwitch(out, s)
	case ofnet.KindLevel:
		netpolLevel(out, s, owner)
	}
}

// netpolSwitch returns the flows that do not depend on policies.
func netpolSwitch(out *flow.Set, s *ofnet.State) {
	own := s.Own
	if s.Private.IsValid() {
		own = append([]netip.Addr{HostAddr(s.Private), HostAddr(Private6(s.Private))}, own...)
	}
	for _, d := range []ofnet.Direction{ofnet.In, ofnet.Out} {
		side := classSideOf(d)
		pass := flow.Do(flow.GotoTable(side.after))
		out.Add(flow.New(side.admin, netpolExempt, flow.NewMatch(has(bitReply)), pass))
		for _, a := range own {
			field, terms := side.peer4, []flow.Term(nil)
			if a.Is6() {
				field = side.peer6
			}
			if d == ofnet.In {
				terms = append(terms, has(bitHost)) // any sender could claim to be the host
			}
			out.Add(flow.New(side.admin, netpolExempt, flow.NewMatch(append(terms, flow.EqAddr(field, a))...), pass))
		}
		out.Add(flow.New(side.netpol, netpolIsolated, flow.NewMatch(flow.EqBits(flow.Bit(flow.Metadata, side.isolated), 1)), flow.Do(load(side.decided, numberIsolated), flow.GotoTable(tRefuse))))
	}
}
