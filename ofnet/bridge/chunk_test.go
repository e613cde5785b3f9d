// SPDX-License-Identifier: Apache-2.0

package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
)

// breaking is a switch whose n-th chunk ends with its connection.
type breaking struct {
	*bridge.Fake
	at    int
	after bool // the switch has carried it out; else some of it
}

var errBroken = errors.New("broken")

func (b *breaking) Connect(ctx context.Context) (bridge.Switch, error) {
	sw, err := b.Fake.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &broken{sw, b}, nil
}

type broken struct {
	bridge.Switch
	of *breaking
}

func (b *broken) Fill(ctx context.Context, pieces iter.Seq[*flow.Delta]) error {
	b.of.at--
	if b.of.at != 0 {
		return b.Switch.Fill(ctx, pieces)
	}
	some := func(yield func(*flow.Delta) bool) {
		n := 0
		for d := range pieces {
			if n++; n > 3 && !b.of.after || !yield(d) {
				return
			}
		}
	}
	return errors.Join(b.Switch.Fill(ctx, some), errBroken, b.Close())
}

// manyEndpoints have a flow in the first table each, which leads to one in the second, and a group that one of no endpoint's makes.
func manyEndpoints(n int) compiler {
	c := compiler{owned("groups"): flow.Set{Groups: []flow.Group{{ID: 7}}}}
	for i := range n {
		in := flow.Eq(flow.InPort, uint64(i+1))
		c[ofnet.Key{Kind: ofnet.KindEndpoint, Name: fmt.Sprint(i)}] = flow.Set{Flows: []flow.Flow{
			gotoFlow(uint64(i+1), 2, 5),
			flow.New(2, 5, flow.NewMatch(in), flow.Do(flow.GotoTable(4))),
			flow.New(4, 5, flow.NewMatch(in), flow.Do(flow.ToGroup(7))),
		}}
	}
	return c
}

// A switch that forwards nothing is filled in chunks, and forwards nothing until it has everything, whatever happens on the way.
func TestChunks(t *testing.T) {
	const owners = 12000 // two chunks, the second not full, without the first table
	bad := flow.NewMatch(flow.Eq(flow.InPort, owners/2))
	stale := flow.New(4, 9, flow.Match{}, flow.Actions{})
	for _, row := range []struct {
		name    string
		stale   []flow.Flow
		refuse  func(flow.Flow) bool
		broken  int  // which chunk ends with its connection
		after   bool // it has been carried out; else some of it
		changes int  // carried out; 0: it depends on what was ready then
		failed  int  // owners
		missing int  // flows
	}{
		{name: "all taken", changes: 3},
		{name: "a stale flow, not of the first table", stale: []flow.Flow{stale}, changes: 3},
		{name: "a stale flow of the first table: one change", stale: []flow.Flow{gotoFlow(9, 2, 60000)}, changes: 1},
		{name: "refused in a chunk", refuse: func(f flow.Flow) bool { return f.Table == 4 && f.Match == bad }, failed: 1, missing: 2},
		{name: "refused in the first table", refuse: func(f flow.Flow) bool { return f.Table == 0 && f.Match == bad }, changes: 3, failed: 1, missing: 1},
		{name: "cut off within the first chunk", broken: 1},
		{name: "cut off within the second chunk", broken: 2},
		{name: "cut off after the second chunk", broken: 2, after: true, changes: 3},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := bridge.NewFake()
			if err := f.Tamper(flow.Delta{AddFlows: row.stale}); err != nil {
				t.Fatal(err)
			}
			f.Refuse(func(fl flow.Flow) string {
				if row.refuse != nil && row.refuse(fl) {
					return "no"
				}
				return ""
			})
			c := manyEndpoints(owners)
			r := bridge.NewReconciler("h0", c, &breaking{f, row.broken, row.after}, bridge.Options{RetryFirst: time.Hour, MaxRetry: time.Hour})
			start(t, r)
			r.Update(1, nothing)
			wait(t, r, 1)
			if s := r.Summary(); s.Failed != row.failed || s.Pending != 0 {
				t.Errorf("summary: want %d failed and nothing pending, got %+v", row.failed, s)
			}
			want := 3*owners - row.missing
			have := f.Set().Flows
			for _, fl := range have {
				for _, old := range row.stale {
					if fl.Key == old.Key {
						t.Errorf("want the stale flow gone, got %s", fl)
					}
				}
			}
			applied := f.Applied()
			if len(have) != want || row.changes > 0 && len(applied) != row.changes {
				t.Errorf("want %d flows by %d changes, got %d by %d", want, row.changes, len(have), len(applied))
			}
			firstTableLast(t, applied, row.stale)
		})
	}
}

// firstTableLast checks that all that came to a switch came before, or with, the first flow of its first table.
func firstTableLast(t *testing.T, applied []flow.Delta, stale []flow.Flow) {
	t.Helper()
	open := len(stale) > 0 && stale[0].Table == 0
	for i, d := range applied {
		if open && i > 0 && len(d.AddFlows) > 0 {
			t.Errorf("change %d of %d: want nothing more once the switch forwards, got %d flows", i, len(applied), len(d.AddFlows))
		}
		for _, fl := range d.AddFlows {
			open = open || fl.Table == 0
		}
	}
}
