package pipeline

import (
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/table"
)

// An Input is something of a State that flows are made of. It says whose flows may not be the same in two States because of it, by calling
// to with these owners, with some of them several times.
type Input func(before, after *ofnet.State, to owners)

// owners takes owners of flows.
type owners func(ofnet.Key)

// rows is an Input of the rows of a table. whose tells who is made of a row, in its State: it is asked about each row that is not the
// same, as it was and as it is.
func rows[K comparable, V any](of func(*ofnet.State) *table.Table[K, *V], whose func(s *ofnet.State, row *V, to owners)) *Input {
	in := Input(func(before, after *ofnet.State, to owners) {
		if table.Same(of(before), of(after)) {
			return // as most are: to say so without an iterator is faster
		}
		for c := range table.Changes(of(before), of(after)) {
			if c.Had {
				whose(before, c.Before, to)
			}
			if c.Has {
				whose(after, c.After, to)
			}
		}
	})
	return &in
}

// facts is an Input of what follows from the rows of a table together: fact tells it of something that a row is about, and whose tells
// who is made of it. Whose is asked where the fact is another one, and not about each row.
func facts[K comparable, V any, X, F comparable](of func(*ofnet.State) *table.Table[K, *V], about func(*V) X, fact func(*ofnet.State, X) F,
	whose func(s *ofnet.State, x X, to owners)) *Input {
	in := Input(func(before, after *ofnet.State, to owners) {
		if table.Same(of(before), of(after)) {
			return
		}
		seen := map[X]struct{}{}
		look := func(row *V) {
			x := about(row)
			if _, ok := seen[x]; ok {
				return
			}
			seen[x] = struct{}{}
			if fact(before, x) != fact(after, x) {
				whose(before, x, to)
				whose(after, x, to)
			}
		}
		for c := range table.Changes(of(before), of(after)) {
			if c.Had {
				look(c.Before)
			}
			if c.Has {
				look(c.After)
			}
		}
	})
	return &in
}

// setting is an Input of something that a State has once.
func setting(same func(before, after *ofnet.State) bool, whose func(s *ofnet.State, to owners)) *Input {
	in := Input(func(before, after *ofnet.State, to owners) {
		if !same(before, after) {
			whose(before, to)
			whose(after, to)
		}
	})
	return &in
}

// The tables, for rows and facts.

func hostRows(s *ofnet.State) *table.Table[string, *ofnet.Host]        { return s.Hosts }
func tenantRows(s *ofnet.State) *table.Table[string, *ofnet.Tenant]    { return s.Tenants }
func segmentRows(s *ofnet.State) *table.Table[string, *ofnet.Segment]  { return s.Segments }
func groupRows(s *ofnet.State) *table.Table[string, *ofnet.Group]      { return s.Groups }
func ruleRows(s *ofnet.State) *table.Table[identity.Rule, *ofnet.Rule] { return s.Rules }
func attachmentRows(s *ofnet.State) *table.Table[identity.Attachment, *ofnet.Attachment] {
	return s.Attachments
}
func classPolicyRows(s *ofnet.State) *table.Table[string, *ofnet.ClassPolicy] { return s.ClassPolicies }
func judgementRows(s *ofnet.State) *table.Table[string, *ofnet.Judgement]     { return s.Judgements }
func serviceRows(s *ofnet.State) *table.Table[string, *ofnet.Service]         { return s.Services }
func endpointRows(s *ofnet.State) *table.Table[string, *ofnet.Endpoint]       { return s.Endpoints }
func routeRows(s *ofnet.State) *table.Table[string, *ofnet.Route]             { return s.Routes }
func nextHopRows(s *ofnet.State) *table.Table[string, *ofnet.NextHops]        { return s.NextHops }

// Affected calls to with each owner whose flows may not be the same in two States, with some of them several times. It takes time in
// proportion to what is not the same.
func (p *Pipeline) Affected(before, after *ofnet.State, to func(owner ofnet.Key)) {
	for _, in := range p.inputs {
		(*in)(before, after, to)
	}
}
