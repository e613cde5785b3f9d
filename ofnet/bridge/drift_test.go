// SPDX-License-Identifier: Apache-2.0

package bridge_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// meddle removes a flow, changes one, adds one and changes a group, and returns these.
func meddle(t *testing.T, have flow.Set, tamper func(flow.Delta)) (removed, changed, added flow.Flow, group flow.Group) {
	t.Helper()
	for i := range have.Flows {
		switch f := &have.Flows[i]; {
		case removed.Cookie == 0 && f.Table == 4 && f.Priority == 100:
			removed = *f
		case changed.Cookie == 0 && f.Table == 32 && f.Priority == 100:
			changed = *f
			changed.Actions = flow.Actions{}
		}
	}
	added = flow.New(4, 77, flow.NewMatch(flow.Eq(flow.InPort, 999)), flow.Do(flow.GotoTable(8)))
	group = have.Groups[0]
	group.Buckets = flow.NewBuckets(flow.Bucket{Actions: flow.Do(flow.Output(7))})
	tamper(flow.Delta{DelFlows: []flow.Flow{removed}, ModFlows: []flow.Flow{changed}, AddFlows: []flow.Flow{added}, ModGroups: []flow.Group{group}})
	return removed, changed, added, group
}

// A check reports each foreign change of the switch with its owner, and changes nothing; a repair undoes exactly these changes.
func TestDrift(t *testing.T) {
	for _, w := range worlds() {
		t.Run(w.name, func(t *testing.T) {
			sw, dump, tamper, _ := w.open(t)
			r := bridge.NewReconciler("h0", pipeline.Default(), sw, bridge.Options{Portion: 8, Resync: time.Hour, Observe: true})
			ctx := t.Context()
			if _, err := r.Check(ctx); !errors.Is(err, bridge.ErrNotConnected) {
				t.Errorf("check without a switch: want %v, got %v", bridge.ErrNotConnected, err)
			}
			if err := r.Repair(ctx); !errors.Is(err, bridge.ErrNotConnected) {
				t.Errorf("repair without a switch: want %v, got %v", bridge.ErrNotConnected, err)
			}
			start(t, r)
			r.Update(1, fill(ofnettest.Many(5, 5)))
			wait(t, r, 1)
			if list := settled(t, r); len(list) != 0 {
				t.Errorf("untouched: want no difference, got %+v", list)
			}
			removed, changed, added, group := meddle(t, dump(), tamper)
			touched := dump()
			list := settled(t, r)
			if len(list) != 4 {
				t.Fatalf("want 4 differences, got %d: %+v", len(list), list)
			}
			for i, want := range []struct {
				sort      bridge.Kind
				kind      string
				was, want bool
				key       flow.Key
			}{{bridge.KindFlow, "endpoint", false, true, removed.Key}, {bridge.KindFlow, "", true, false, added.Key},
				{bridge.KindFlow, "endpoint", true, true, changed.Key}, {bridge.KindGroup, "network", true, true, flow.Key{}}} {
				d := list[i]
				if d.Kind != want.sort || string(d.Owner.Kind) != want.kind || (d.Was != nil) != want.was || (d.Want != nil) != want.want {
					t.Errorf("difference %d: want %+v, got %+v", i, want, d)
					continue
				}
				for _, e := range []*bridge.Entry{d.Was, d.Want} {
					switch {
					case e == nil:
					case e.Flow != nil && e.Flow.Key != want.key:
						t.Errorf("difference %d: want flow %v, got %s", i, want.key, e.Text(nil))
					case e.Group != nil && e.Group.ID != group.ID:
						t.Errorf("difference %d: want group %d, got %s", i, group.ID, e.Text(nil))
					}
				}
			}
			if diff := flow.Diff(touched, dump()); !diff.Empty() || len(r.Drifted()) != 0 {
				t.Errorf("asking: want nothing changed and nothing remembered, got %s and %+v", diff.String(), r.Drifted())
			}
			if err := r.Repair(ctx); err != nil {
				t.Fatal(err)
			}
			same(t, ofnettest.Many(5, 5), dump())
			if found := r.Drifted(); len(found) != 4 || found[0].At.IsZero() {
				t.Errorf("remembered: want the 4 with their time, got %+v", found)
			}
			if n := r.DriftByKind(); n[bridge.KindFlow] != 3 || n[bridge.KindGroup] != 1 || n[bridge.KindMeter] != 0 {
				t.Errorf("counters: want 3 flows and 1 group, got %v", n)
			}
		})
	}
}

// settled returns the result of Check after all changes have been applied.
func settled(t *testing.T, r *bridge.Reconciler) (list []bridge.Difference) {
	t.Helper()
	until(t, "a comparison", func() bool {
		var err error
		list, err = r.Check(context.Background())
		return err == nil
	})
	return list
}

// A reconciler that only observes reports differences and leaves them until a repair is requested, or the object changes.
func TestObserve(t *testing.T) {
	f := bridge.NewFake()
	r := bridge.NewReconciler("h0", pipeline.Default(), f, bridge.Options{Portion: 8, Resync: 5 * time.Millisecond, Observe: true})
	start(t, r)
	r.Update(1, fill(ofnettest.Many(5, 5)))
	wait(t, r, 1)
	meddle(t, f.Set(), func(d flow.Delta) {
		if err := f.Tamper(d); err != nil {
			t.Fatal(err)
		}
	})
	touched := f.Set()
	before := r.Counters().Resyncs
	until(t, "4 differences, and more comparisons", func() bool { return len(r.Drifted()) == 4 && r.Counters().Resyncs > before+3 })
	if diff := flow.Diff(touched, f.Set()); !diff.Empty() {
		t.Errorf("observing: want only the switch left, got %s", diff.String())
	}
	if list := settled(t, r); len(list) != 4 {
		t.Errorf("now: want 4 differences still, got %+v", list)
	}
	if err := r.Repair(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, ofnettest.Many(5, 5), f.Set())
}
