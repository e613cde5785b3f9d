// SPDX-License-Identifier: Apache-2.0

package bridge_test

import (
	"errors"
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// TestHits reads the counters of rules: those of a rule's flows together, and of no other feature. The fake counts a
// flow's priority.
func TestHits(t *testing.T) {
	sw, p := bridge.NewFake(), pipeline.Default()
	r := bridge.NewReconciler("h0", p, sw, quick)
	if _, err := r.Hits(t.Context(), p.Number("policy")); !errors.Is(err, bridge.ErrNotConnected) {
		t.Errorf("before there is a switch: want %v, got %v", bridge.ErrNotConnected, err)
	}
	start(t, r)
	s := ofnettest.Many(2, 0)
	rule := &ofnet.Rule{ID: ofnettest.RuleID("t:g", "r1"), Direction: ofnet.In, Priority: 10, Protocol: ofnet.ProtocolTCP, Deny: true}
	ofnettest.SetRule(s, "t:g", rule)
	r.Update(1, func(own *ofnet.State) {
		own.Local, own.Hosts, own.Tenants, own.Segments, own.Groups, own.Endpoints =
			s.Local, s.Hosts, s.Tenants, s.Segments, s.Groups, s.Endpoints
		ofnettest.CopyRules(own, s)
	})
	wait(t, r, 1)
	hits, err := r.Hits(t.Context(), p.Number("policy"))
	if err != nil {
		t.Fatal(err)
	}
	key := ofnet.Key{Kind: ofnet.KindRule, Name: "t:g:g:r1"}
	flows := p.Compile(s, ofnet.Tier{Group: "t:g", Direction: ofnet.In, Priority: 10}.Key()).Flows
	want := bridge.Hits{Flows: len(flows)}
	for _, f := range flows {
		want.Packets += uint64(f.Priority)
		want.Bytes += 100 * uint64(f.Priority)
	}
	if got := hits[flow.Owner(key)]; len(flows) != 2 || got != want {
		t.Errorf("counters of two flows: want %+v, got %+v", want, got)
	}
	if len(hits) != 2 { // the rule, and the switch's own flows in the tables
		t.Errorf("owners of flows in the tables of rules: want 2, got %d", len(hits))
	}
	if got, err := r.HitsOf(t.Context(), flows[1].Cookie); err != nil || got != want {
		t.Errorf("counters by cookie: want %+v, got %+v, %v", want, got, err)
	}
	if got, err := r.HitsOf(t.Context(), flows[1].Cookie+1); err != nil || got != (bridge.Hits{}) {
		t.Errorf("counters of no flow: want none, got %+v, %v", got, err)
	}
	live, err := r.Flows(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, f := range live {
		switch f.Owner {
		case key:
			named++
		case ofnet.Key{}:
			t.Errorf("flow without a cause: %s", f.Flow)
		}
	}
	if named != len(flows) {
		t.Errorf("flows that name the rule: want %d, got %d", len(flows), named)
	}
}
