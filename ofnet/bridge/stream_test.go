// SPDX-License-Identifier: Apache-2.0

package bridge_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
)

// TestManyOwners has enough owners for a stream: they are set in one change, which removes old flows, and a refused owner is set aside.
func TestManyOwners(t *testing.T) {
	const owners, bad = 5000, 4321
	stale := gotoFlow(1, 2, 60000)
	for _, row := range []struct {
		name            string
		refuse, metered bool
		changes, failed int
	}{
		{"all taken", false, false, 1, 0},
		{"one refused", true, false, 1, 1},
		{"a meter of the switch's own, which goes first", false, true, 2, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := bridge.NewFake()
			if err := f.Tamper(flow.Delta{AddFlows: []flow.Flow{stale}}); err != nil {
				t.Fatal(err)
			}
			f.Refuse(func(fl flow.Flow) string {
				if row.refuse && fl.Priority == bad {
					return "no"
				}
				return ""
			})
			c := compiler{}
			for i := range uint16(owners) {
				c[owned(fmt.Sprint(i))] = flow.Set{Flows: []flow.Flow{gotoFlow(1, 2, i)}}
			}
			if row.metered {
				c[ofnet.Key{Kind: ofnet.KindProbes, Name: "h0"}] = flow.Set{Meters: []flow.Meter{{ID: 7, Rate: 1}},
					Flows: []flow.Flow{flow.New(1, owners, flow.Match{}, flow.Do(flow.ToMeter(7)))}}
				delete(c, owned("0"))
			}
			r := bridge.NewReconciler("h0", c, f, bridge.Options{RetryFirst: time.Hour, MaxRetry: time.Hour})
			start(t, r)
			r.Update(1, nothing)
			wait(t, r, 1)
			if got := len(f.Applied()); got != row.changes {
				t.Errorf("changes carried out: want %d, got %d", row.changes, got)
			}
			have := f.Set().Flows
			if len(have) != owners-row.failed {
				t.Errorf("flows: want %d, got %d", owners-row.failed, len(have))
			}
			for _, fl := range have {
				if fl.Key == stale.Key {
					t.Error("stale flow: want it gone, got it still there")
				}
			}
			if s := r.Summary(); s.Failed != row.failed || s.Pending != 0 {
				t.Errorf("summary: want %d failed and nothing pending, got %+v", row.failed, s)
			}
		})
	}
}
