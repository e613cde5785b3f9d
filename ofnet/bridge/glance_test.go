// SPDX-License-Identifier: Apache-2.0

package bridge_test

import (
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// What was removed comes back in one bundle, however many shares are compared: some flows without others would pass what those stop.
func TestFlushedSwitch_AtOnce(t *testing.T) {
	f := bridge.NewFake()
	r := bridge.NewReconciler("h0", pipeline.Default(), f, bridge.Options{Portion: 8, Resync: time.Hour, Glance: 10 * time.Millisecond})
	start(t, r)
	r.Update(1, fill(ofnettest.Many(5, 5)))
	wait(t, r, 1)
	until(t, "the comparisons after the connection", func() bool { return r.Counters().Resyncs >= 1 })
	all := f.Set()
	before := len(f.Applied())
	if err := f.Tamper(flow.Delta{DelFlows: all.Flows, DelGroups: all.Groups}); err != nil {
		t.Fatal(err)
	}
	until(t, "all to be back", func() bool { return len(f.Set().Flows) == len(all.Flows) && r.Whole() })
	same(t, ofnettest.Many(5, 5), f.Set())
	if got := f.Applied()[before:]; len(got) != 1 {
		t.Errorf("want one bundle, got %d", len(got))
	}
}

// lines keeps what is logged.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Flows, and groups with them, that someone removes are back long before the next comparison is due, and the switch refuses nothing on
// the way: groups come before the flows that name them, in however many shares it is compared.
func TestFlushedSwitch(t *testing.T) {
	for _, w := range worlds() {
		t.Run(w.name, func(t *testing.T) {
			sw, dump, tamper, _ := w.open(t)
			log := &lines{}
			r := bridge.NewReconciler("h0", pipeline.Default(), sw, bridge.Options{Portion: 8, Resync: time.Hour, Glance: 20 * time.Millisecond,
				Log: slog.New(slog.NewTextHandler(log, nil))})
			start(t, r)
			r.Update(1, fill(ofnettest.Many(5, 5)))
			wait(t, r, 1)
			want := dump()
			for _, row := range []struct {
				name string
				gone flow.Delta
			}{
				{"all flows and groups", flow.Delta{DelFlows: want.Flows, DelGroups: want.Groups}},
				{"one flow of the last table", flow.Delta{DelFlows: want.Flows[len(want.Flows)-1:]}},
			} {
				until(t, "the comparison of the connection", func() bool { return r.Counters().Resyncs > 0 && r.Whole() })
				before, earlier := r.Counters().Resyncs, len(log.String())
				tamper(row.gone)
				until(t, row.name+" to be missed and restored", func() bool {
					return r.Counters().Resyncs > before && r.Whole() && len(dump().Flows) == len(want.Flows)
				})
				same(t, ofnettest.Many(5, 5), dump())
				// The number of flows and the switch's own report of a removal race: either may be the first to show it.
				if got := log.String()[earlier:]; !strings.Contains(got, "another program") {
					t.Errorf("want the removal of %s logged, got %q", row.name, got)
				}
			}
			if c := r.Counters(); c.Refused != 0 {
				t.Errorf("want nothing refused, got %d", c.Refused)
			}
		})
	}
}
