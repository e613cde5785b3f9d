// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/table"
)

// An Input is a part of a State that flows depend on. It calls to with the owners whose flows may differ between two States because of that
// part, possibly several times.
type Input func(before, after *ofnet.State, to owners)

// owners receives owners of flows.
type owners func(ofnet.Key)

// rows is an Input of the rows of a table. whose returns the owners whose flows depend on a row, in its State: it is called for each
// changed row, with the old and the new one.
func rows[K comparable, V any](of func(*ofnet.State) *table.Table[K, *V], whose func(s *ofnet.State, row *V, to owners)) *Input {
	in := Input(func(before, after *ofnet.State, to owners) {
		if table.Same(of(before), of(after)) {
			return // the usual case, which needs no iterator
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

// facts is an Input of a property that several rows of a table determine together: fact returns the property of the subject of a row, and
// whose the owners whose flows depend on it. whose is called if the property has changed, and not for each row.
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

// setting is an Input of a single value of a State.
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

// Affected calls to with each owner whose flows may differ between two States, possibly several times. It takes time in proportion to the
// differences.
func (p *Pipeline) Affected(before, after *ofnet.State, to func(owner ofnet.Key)) {
	for _, in := range p.inputs {
		(*in)(before, after, to)
	}
}
