// SPDX-License-Identifier: Apache-2.0

package bridge_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// listening is a switch that reports each dump before it starts.
type listening struct {
	bridge.Connector
	heard func(flow.Share)
}

func (l *listening) Connect(ctx context.Context) (bridge.Switch, error) {
	sw, err := l.Connector.Connect(ctx)
	return &listened{sw, l.heard}, err
}

type listened struct {
	bridge.Switch
	heard func(flow.Share)
}

func (l *listened) Dump(ctx context.Context, share flow.Share) (flow.Set, error) {
	l.heard(share)
	return l.Switch.Dump(ctx, share)
}

// A switch whose flows are known is compared in shares, each once, and a change does not wait for the last share.
func TestCompareInShares(t *testing.T) {
	var r *bridge.Reconciler
	var mu sync.Mutex
	var shares []flow.Share
	var passed []uint64 // the revision in the switch before each
	f := bridge.NewFake()
	want := ofnettest.Many(5, 5)
	sw := &listening{f, func(s flow.Share) {
		mu.Lock()
		defer mu.Unlock()
		if s.Of == 1 {
			return // the first on a connection is of few
		}
		if s.At == 1 && len(shares) == 1 {
			r.Update(2, func(s *ofnet.State) {
				for name := range s.Endpoints.All() {
					s.Endpoints.Delete(name)
					want.Endpoints.Delete(name)
					return
				}
			})
		}
		shares, passed = append(shares, s), append(passed, r.Revision())
	}}
	r = bridge.NewReconciler("h0", pipeline.Default(), sw, bridge.Options{Portion: 16, Resync: 20 * time.Millisecond})
	start(t, r)
	r.Update(1, fill(ofnettest.Many(5, 5)))
	wait(t, r, 1)
	until(t, "a comparison in shares", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(shares) > 0 && slices.ContainsFunc(shares, flow.Share.Last)
	})
	wait(t, r, 2)
	mu.Lock()
	defer mu.Unlock()
	of := int(shares[0].Of)
	if of < 4 {
		t.Fatalf("want several shares, got %d", of)
	}
	for i, s := range shares[:of] {
		if s != (flow.Share{At: uint64(i), Of: uint64(of)}) {
			t.Errorf("comparison %d: want share %d of %d, got %+v", i, i, of, s)
		}
		if i > 1 && passed[i] != 2 { // the change came with the second
			t.Errorf("before share %d: want revision 2 in the switch, got %d", i, passed[i])
		}
	}
	same(t, want, f.Set())
	if n := r.Counters().Drift; n != 0 {
		t.Errorf("only the reconciler changed the switch: want no drift, got %d", n)
	}
}

// A switch whose flows are unknown is compared in shares if its intended state has many flows, and nothing is sent before the last share.
func TestFirstComparisonInShares(t *testing.T) {
	const owners = 6000
	f := bridge.NewFake()
	once(t, bridge.NewReconciler("h0", manyEndpoints(owners), f, bridge.Options{}))
	filled := len(f.Applied())
	var shares []flow.Share
	now := manyEndpoints(owners)
	delete(now, ofnet.Key{Kind: ofnet.KindEndpoint, Name: "17"})
	now[owned("more")] = flow.Set{Flows: []flow.Flow{gotoFlow(owners+1, 2, 5)}}
	again := bridge.NewReconciler("h0", now, &listening{f, func(s flow.Share) {
		shares = append(shares, s)
		if got := len(f.Applied()); got != filled {
			t.Errorf("before share %d: want nothing sent, got %d changes", s.At, got-filled)
		}
	}}, bridge.Options{})
	once(t, again)
	if len(shares) != 2 || !shares[1].Last() {
		t.Errorf("want two shares, got %+v", shares)
	}
	if c := again.Counters(); c.FlowMods != 4 || c.Drift != 0 {
		t.Errorf("want one flow more, three less and no drift, got %+v", c)
	}
}

// once runs a reconciler until the switch has everything.
func once(t *testing.T, r *bridge.Reconciler) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	r.Update(1, nothing)
	wait(t, r, 1)
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
