// SPDX-License-Identifier: Apache-2.0

package bridge_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
)

// TestOutcome asks how owners fared while their flows are on their way to a switch that has fallen silent: the answers come when
// the switch continues, and not before.
func TestOutcome(t *testing.T) {
	port := func(n uint64) flow.Set {
		return flow.Set{Flows: []flow.Flow{flow.New(4, 7, flow.NewMatch(flow.Eq(flow.InPort, n)), flow.Do(flow.GotoTable(8)))}}
	}
	for _, row := range []struct {
		name  string
		owner ofnet.Key
		end   bool // who asks gives up
		want  string
	}{
		{"taken", owned("good"), false, "done"},
		{"refused", owned("bad"), false, "error OFPFMFC_TABLE_FULL"},
		{"wants nothing", owned("empty"), false, "none"},
		{"is not known", owned("other"), false, "none"},
		{"given up", owned("good"), true, "pending the flows of group/good are not in the switch yet: context canceled"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := bridge.NewFake()
				f.Refuse(func(fl flow.Flow) string {
					if port, _ := fl.Match.Uint(flow.InPort); port == 2 {
						return "OFPFMFC_TABLE_FULL"
					}
					return ""
				})
				r := bridge.NewReconciler("h0", compiler{owned("good"): port(1), owned("bad"): port(2), owned("empty"): {}}, f, bridge.Options{})
				start(t, r)
				synctest.Wait() // it is connected
				f.Pause()
				r.Update(1, nothing)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				got := make(chan string, 1)
				go func() {
					st, ok, err := r.Outcome(ctx, row.owner)
					said := st.Phase.String()
					if !ok {
						said = "none"
					}
					if err != nil {
						said += " " + err.Error()
					}
					if _, why, found := strings.Cut(st.Err, ": "); found {
						said += " " + why
					}
					got <- said
				}()
				synctest.Wait()
				if known := row.owner != owned("other") && row.owner != owned("empty"); known && len(got) > 0 {
					t.Errorf("while the switch is silent: want no answer, got %s", <-got)
				}
				if row.end {
					cancel()
				} else {
					f.Resume()
				}
				if said := <-got; said != row.want {
					t.Errorf("want %s, got %s", row.want, said)
				}
				f.Resume()
			})
		})
	}
}
