// SPDX-License-Identifier: Apache-2.0

package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// mute is a switch that refuses without saying what.
type mute struct{ *bridge.Fake }

func (m mute) Connect(ctx context.Context) (bridge.Switch, error) {
	sw, err := m.Fake.Connect(ctx)
	return muteSwitch{sw}, err
}

type muteSwitch struct{ bridge.Switch }

func (m muteSwitch) Apply(ctx context.Context, d *flow.Delta) error {
	err := m.Switch.Apply(ctx, d)
	if _, ok := errors.AsType[*bridge.RefusedError](err); ok {
		return &bridge.RefusedError{Refusals: []bridge.Refusal{{Reason: "no"}}}
	}
	return err
}

// TestCulpritsAreFoundByHalves has a switch refuse two of thirty owners without naming them.
func TestCulpritsAreFoundByHalves(t *testing.T) {
	f := bridge.NewFake()
	f.Refuse(func(fl flow.Flow) string {
		if fl.Priority == 13 || fl.Priority == 21 {
			return "no"
		}
		return ""
	})
	c := compiler{}
	for i := range uint16(30) {
		c[owned(fmt.Sprint(i))] = flow.Set{Flows: []flow.Flow{gotoFlow(1, 2, i)}}
	}
	r := bridge.NewReconciler("h0", c, mute{f}, bridge.Options{RetryFirst: time.Hour, MaxRetry: time.Hour})
	start(t, r)
	r.Update(1, nothing)
	wait(t, r, 1)
	for _, st := range r.Status() {
		want := bridge.Done
		if st.Owner == owned("13") || st.Owner == owned("21") {
			want = bridge.Failed
		}
		if st.Phase != want {
			t.Errorf("owner %s: want %v, got %+v", st.Owner, want, st)
		}
	}
	if got := len(f.Set().Flows); got != 28 {
		t.Errorf("flows: want 28, got %d", got)
	}
}

// TestManyAtOnce has many callers attach and detach endpoints at the same time while the connection breaks again and
// again; in the end the switch has exactly what is left.
func TestManyAtOnce(t *testing.T) {
	f := bridge.NewFake()
	r := bridge.NewReconciler("h0", pipeline.Default(), f, quick)
	start(t, r)
	r.Update(1, fill(ofnettest.Many(10, 10)))
	wait(t, r, 1)
	want := ofnettest.Many(10, 10)
	var inOrder sync.Mutex
	rev := uint64(1)
	update := func(change func(s *ofnet.State)) { // revisions come in order, as a watch brings them
		inOrder.Lock()
		rev++
		n := rev
		r.Update(n, change)
		inOrder.Unlock()
		wait(t, r, n)
	}
	var callers sync.WaitGroup
	for i := range 40 {
		e := ofnettest.Endpoint(5000+i, 1<<20)
		want.Endpoints.Set(e.ID, e)
		gone := ofnettest.Endpoint(9000+i, 1<<20)
		callers.Go(func() {
			for _, x := range []*ofnet.Endpoint{e, gone} {
				update(func(s *ofnet.State) {
					s.Endpoints.Set(x.ID, x)
				})
			}
			update(func(s *ofnet.State) {
				s.Endpoints.Delete(gone.ID)
			})
			if st, ok := r.Owner(endpointKey(gone.ID)[0]); ok && st.Phase == bridge.Done {
				t.Errorf("endpoint that has gone: want no flows, got %+v", st)
			}
		})
		if i%10 == 0 {
			f.Cut()
		}
	}
	callers.Wait()
	same(t, want, f.Set())
}
