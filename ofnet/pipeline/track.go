// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// track sends the packets of tenants that have rules or services through the connection tracker, one zone per tenant, and stores which were
// admitted. The packets of other tenants skip the second pass.
type track struct{}

func (track) Name() string { return "track" }

func (track) Tables() []flow.Table {
	return []flow.Table{
		{ID: tTrack, Name: "track", Asks: "does the tenant need the connection tracker"},
		{ID: tState, Name: "state", Miss: flow.Do(flow.GotoTable(tService)), Asks: "what does the tracker say"},
		{ID: tVerdict, Name: "verdict", Asks: "what the rules said of an answer"},
		{ID: tCommit, Name: "commit", Miss: flow.Do(flow.GotoTable(tDeliver)), Asks: "remember the connection"},
		{ID: tRefuse, Name: "refuse", Asks: "remember that it is refused"},
	}
}

func (track) Reads() []*Input {
	tenant := func(_ *ofnet.State, tenant string, to owners) { to(ofnet.Key{Kind: ofnet.KindTenant, Name: tenant}) }
	return []*Input{readsTenant,
		facts(ruleRows, func(r *ofnet.Rule) string { return r.ID.Tenant }, (*ofnet.State).Tracking, tenant),
		facts(attachmentRows, func(a *ofnet.Attachment) string { return a.ID.Tenant }, (*ofnet.State).Tracking, tenant),
		facts(groupRows, func(g *ofnet.Group) string { return g.Tenant }, (*ofnet.State).Tracking, tenant),
		facts(segmentRows, func(n *ofnet.Segment) string { return n.Tenant }, (*ofnet.State).Tracking, tenant),
		facts(judgementRows, func(j *ofnet.Judgement) string { return j.Tenant }, (*ofnet.State).Tracking, tenant),
		facts(serviceRows, func(v *ofnet.Service) string { return v.Tenant }, (*ofnet.State).Tracking, tenant)}
}

func (track) Flows(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	switch owner.Kind {
	case ofnet.KindTenant:
		if t := s.Tenants.Get(owner.Name); t != nil {
			tracking := s.Tracking(owner.Name)
			trackTenant(out, t, tracking.On, uint64(tracking.Generation))
		}
	case ofnet.KindSwitch:
		trackSwitch(out)
	}
}

func trackTenant(out *flow.Set, t *ofnet.Tenant, tracked bool, generation uint64) {
	pass := flow.Do(flow.GotoTable(tPeer))
	if tracked {
		pass = flow.Do(flow.Track(flow.CT{ZoneFrom: zone(), NAT: &flow.NAT{}, Recirc: true, Table: tState}))
	}
	for _, family := range []flow.Term{flow.IP(), flow.IPv6()} {
		out.Add(flow.New(tTrack, 10, flow.NewMatch(family, inTenant(t)), pass))
	}
	if !tracked {
		return
	}
	out.Add(flow.New(tState, 170, flow.NewMatch(flow.State(flow.CTEst|flow.CTTracked, flow.CTRpl),
		flow.Eq(flow.CTMark, generation), inTenant(t)), flow.Do(on(bitSkip), flow.GotoTable(tHairpin))))
	note := []flow.Action{
		flow.Load(flow.All(flow.CTMark), generation),
		flow.Move(flow.All(regRuleOut), flow.Range(flow.CTLabel, 0, 31)),
		flow.Move(flow.All(regRuleIn), flow.Range(flow.CTLabel, 32, 63)),
	}
	commit := func(priority uint16, note []flow.Action, terms ...flow.Term) {
		out.Add(flow.New(tCommit, priority, flow.NewMatch(append(terms, inTenant(t))...),
			flow.Do(flow.Track(flow.CT{Commit: true, ZoneFrom: zone(), Exec: note}), flow.GotoTable(tDeliver))))
	}
	met := append(note[:3:3], flow.Load(flow.Bit(flow.CTLabel, labelMet), 1))
	for _, family := range []flow.Term{flow.TCP(), flow.TCP6()} {
		commit(60, met, family, flow.State(flow.CTNew|flow.CTTracked, 0), hasNot(bitOpening))
	}
	block := flow.Track(flow.CT{Commit: true, ZoneFrom: zone(), Exec: []flow.Action{flow.Load(flow.All(flow.CTMark), markBlocked|generation)}})
	for _, family := range []flow.Term{flow.IP(), flow.IPv6()} {
		commit(50, note, family)
		out.Add(flow.New(tRefuse, 50, flow.NewMatch(family, flow.State(flow.CTEst|flow.CTTracked, 0), inTenant(t)), flow.Do(block)))
	}
	answersOfTenant(out, t, generation, note, block)
}

func trackSwitch(out *flow.Set) {
	add := func(t flow.TableID, priority uint16, do flow.Actions, terms ...flow.Term) {
		out.Add(flow.New(t, priority, flow.NewMatch(terms...), do))
	}
	judged := flow.Do(on(bitSkip), flow.GotoTable(tPeer))
	add(tState, 200, flow.Actions{}, flow.State(flow.CTInv|flow.CTTracked, 0))
	// The answer to a ping that passed untracked, before the tenant's first rule: it opens nothing, so it is judged by itself.
	for _, answer := range []flow.Term{flow.Eq(flow.ICMPType, 0), flow.Eq(flow.ICMPv6Type, 129)} {
		add(tState, 201, flow.Do(on(bitNoCommit), flow.GotoTable(tPeer)), flow.State(flow.CTInv|flow.CTTracked, 0), answer)
	}
	// Above the flows that match ct_mark, so that the megaflow of a new connection does not.
	opening := flow.Do(on(bitOpening), flow.GotoTable(tService))
	for _, family := range []flow.Term{flow.TCP(), flow.TCP6()} {
		const syn, ack = 0x02, 0x10
		add(tState, 196, opening, flow.State(flow.CTNew|flow.CTTracked, flow.CTRel), family, flow.EqMask(flow.TCPFlags, syn, syn|ack))
	}
	add(tState, 195, flow.Do(flow.GotoTable(tService)), flow.State(flow.CTNew|flow.CTTracked, flow.CTRel))
	for _, echo := range []flow.Term{flow.ICMP(), flow.ICMP6()} {
		add(tState, 185, flow.Do(on(bitReply), on(bitNoCommit), flow.GotoTable(tPeer)),
			flow.State(flow.CTEst|flow.CTRpl|flow.CTTracked, flow.CTRel), echo)
	}
	answers(out)
	add(tState, 180, judged, flow.State(flow.CTRel|flow.CTTracked, 0))
	// The tracker of the userspace datapath ignores SCTP's ports: the admission of one association does not apply to another between the
	// same ends.
	for _, family := range []flow.Term{flow.IP(), flow.IPv6()} {
		add(tState, 175, flow.Do(flow.GotoTable(tService)), flow.State(flow.CTEst|flow.CTTracked, flow.CTRpl), family, sctp())
	}
	// A ping over IPv6 outlasts the endpoint that it was admitted to (see forgottenAddresses): the next endpoint with the address may not
	// allow it.
	add(tState, 175, flow.Do(flow.GotoTable(tService)), flow.State(flow.CTEst|flow.CTTracked, flow.CTRpl), flow.ICMP6())
	// The rest was admitted by older rules.
	add(tState, 10, opening, flow.State(flow.CTEst|flow.CTTracked, flow.CTRpl), flow.EqBit(flow.CTLabel, labelMet, false))
	add(tCommit, 100, flow.Do(flow.GotoTable(tDeliver)), has(bitNoCommit))
}
