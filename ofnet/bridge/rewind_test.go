// SPDX-License-Identifier: Apache-2.0

package bridge_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
)

// After a rewind, revisions are those of another store: Wait ignores the old ones and counts the new ones.
func TestRewind(t *testing.T) {
	c := compiler{owned("a"): {Flows: []flow.Flow{gotoFlow(1, 2, 5)}}}
	r := bridge.NewReconciler("h1", c, bridge.NewFake(), quick)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	defer func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	}()
	r.Update(110, nothing)
	if err := r.Wait(ctx, 110); err != nil {
		t.Fatal(err)
	}
	r.Rewind()
	if got := r.Revision(); got != 0 {
		t.Errorf("rewound: want revision 0, got %d", got)
	}
	before := time.Now()
	r.Update(3, nil)
	if err := r.Wait(ctx, 3); err != nil {
		t.Fatal(err)
	}
	if got := r.Summary(); got.Revision != 3 || got.Passed.Before(before) || got.Passed.After(time.Now()) {
		t.Errorf("want revision 3, passed after %s, got %d, %s", before, got.Revision, got.Passed)
	}
	over, end := context.WithCancel(ctx)
	end()
	if err := r.Wait(over, 110); !errors.Is(err, context.Canceled) {
		t.Errorf("a revision of the store before: want it not reached, got %v", err)
	}
}

// slow is a switch that, once armed, carries out a change only when the test permits it.
type slow struct {
	bridge.Connector
	armed      atomic.Bool
	began, may chan struct{}
}

func (s *slow) Connect(ctx context.Context) (bridge.Switch, error) {
	sw, err := s.Connector.Connect(ctx)
	return &slowSwitch{sw, s}, err
}

type slowSwitch struct {
	bridge.Switch
	s *slow
}

func (s *slowSwitch) Apply(ctx context.Context, d *flow.Delta) error {
	if s.s.armed.Swap(false) {
		close(s.s.began)
		<-s.s.may
	}
	return s.Switch.Apply(ctx, d)
}

// A change in progress during a rewind does not count as a revision of the new store.
func TestRewindUnderWay(t *testing.T) {
	sw := &slow{Connector: bridge.NewFake(), began: make(chan struct{}), may: make(chan struct{})}
	c := compiler{owned("a"): {Flows: []flow.Flow{gotoFlow(1, 2, 5)}}}
	r := bridge.NewReconciler("h1", c, sw, bridge.Options{Resync: time.Hour})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	r.Update(109, nothing)
	if err := r.Wait(ctx, 109); err != nil {
		t.Fatal(err)
	}
	sw.armed.Store(true)
	r.Update(110, func(*ofnet.State) {
		c[owned("b")] = flow.Set{Flows: []flow.Flow{gotoFlow(2, 2, 5)}}
	})
	<-sw.began
	r.Rewind()
	r.Update(3, nil)
	close(sw.may)
	if err := r.Wait(ctx, 3); err != nil {
		t.Fatal(err)
	}
	if got := r.Revision(); got != 3 {
		t.Errorf("want revision 3, got %d", got)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
