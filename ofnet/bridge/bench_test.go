// SPDX-License-Identifier: Apache-2.0

package bridge_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/openflow"
	"github.com/contiv/contiv/ofnet/ovstest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// fill is the change that brings a whole State.
func fill(from *ofnet.State) func(*ofnet.State) {
	return func(s *ofnet.State) {
		*s = *from.Clone()
		s.Missing = ovstest.Lacks()
	}
}

// start runs a Reconciler until the test ends.
func start(tb testing.TB, r *bridge.Reconciler) {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := r.Run(ctx); err != nil {
			tb.Errorf("run: %v", err)
		}
	}()
	tb.Cleanup(func() {
		cancel()
		<-done
	})
}

// wait waits for a revision, for at most a minute.
func wait(tb testing.TB, r *bridge.Reconciler, rev uint64) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := r.Wait(ctx, rev); err != nil {
		tb.Fatalf("wait: %v\n%+v", err, r.Summary())
	}
}

func newOVS(tb testing.TB) (o *ovstest.OVS, sw *bridge.OpenFlow) {
	tb.Helper()
	o = ovstest.Start(tb)
	o.Bridge("br0")
	return o, bridge.NewOpenFlow(o.Mgmt("br0"), openflow.Options{})
}

// BenchmarkOneEndpoint adds and removes one local endpoint among many, up to the barrier each time.
func BenchmarkOneEndpoint(b *testing.B) {
	for _, others := range []int{1000, 10000} {
		b.Run(fmt.Sprint(others), func(b *testing.B) {
			_, sw := newOVS(b)
			s := ofnettest.Many(others/10, others-others/10)
			r := bridge.NewReconciler("h0", pipeline.Default(), sw, bridge.Options{})
			start(b, r)
			r.Update(1, fill(s))
			wait(b, r, 1)
			e := ofnettest.Endpoint(1<<20, 200)
			e.Segment, e.Port = "t:n0", 1999 // a switch takes ports up to 65279
			rev := uint64(1)
			for b.Loop() {
				rev++
				r.Update(rev, func(s *ofnet.State) {
					if rev%2 == 0 {
						s.Endpoints.Set(e.ID, e)
					} else {
						s.Endpoints.Delete(e.ID)
					}
				})
				wait(b, r, rev)
			}
			if n := r.Summary().Failed; n > 0 {
				b.Errorf("the switch refused the flows of %d owners", n)
			}
		})
	}
}
