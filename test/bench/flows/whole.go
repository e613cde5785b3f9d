// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/openflow"
	"github.com/contiv/contiv/ofnet/pipeline"
	"github.com/contiv/contiv/test/bench/harness"
	"github.com/contiv/contiv/test/bench/report"
)

// durations are what the rounds took.
type durations struct{ program, peerProgram, unchanged, peerUnchanged []time.Duration }

// wholeSwitch measures a switch that gets everything, the same that has it already, and rules that come one by one then.
func wholeSwitch(tb *harness.Stand, rounds, locals, remotes int) *report.Table {
	var d durations
	s := ofnettest.Many(locals, remotes)
	p := newPeer(tb, s)
	for range rounds {
		p.clear()
		d.peerProgram = append(d.peerProgram, p.program())
		d.peerUnchanged = append(d.peerUnchanged, p.replace())
		p.clear()
		d.program = append(d.program, reconcile(tb, p.mgmt(), s, false))
		d.unchanged = append(d.unchanged, reconcile(tb, p.mgmt(), s, true))
	}
	rules := ruleChanges(tb, p.mgmt(), s)
	t := &report.Table{Title: fmt.Sprintf("%d flows, %d endpoints, medians of %d rounds in turn", p.flows, locals+remotes, rounds)}
	row := func(what string, ours, peer []time.Duration, name string, most float64) {
		a, b := report.Median(ours), report.Median(peer)
		ratio := a.Seconds() / b.Seconds()
		t.Add(report.Row{What: what, Ours: report.Millis(a), Peer: report.Millis(b) + " " + name, Ratio: ratio,
			Target: fmt.Sprintf("<= %.2f", most), Met: ratio <= most})
	}
	row("program an empty switch: compile, compare, in chunks", d.program, d.peerProgram, "ovs-ofctl --bundle add-flows", maxProgram)
	row("find it unchanged: compile, compare, nothing sent", d.unchanged, d.peerUnchanged, "ovs-ofctl replace-flows", maxUnchanged)
	rule, longest := report.Median(rules.each), report.Percentile(rules.meanwhile, 100)
	t.Add(report.Row{What: fmt.Sprintf("one rule more, %d in turn, until past the barrier, p50", len(rules.each)), Ours: report.Millis(rule),
		Target: "<= " + report.Millis(maxRule), Met: rule <= maxRule})
	t.Add(report.Row{What: fmt.Sprintf("... %d while the switch was compared once more, which took %s; the longest", len(rules.meanwhile), report.Millis(rules.comparison)),
		Ours: report.Millis(longest), Target: "-", Met: true})
	return t
}

// reconcile brings the switch to the State as an agent that has just started does, and returns how long that took up to
// the barrier. A switch that has everything already must get nothing.
func reconcile(tb *harness.Stand, mgmt string, from *ofnet.State, unchanged bool) time.Duration {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r := bridge.NewReconciler(from.Self, pipeline.Default(), bridge.NewOpenFlow(mgmt, openflow.Options{}), bridge.Options{})
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	runtime.GC() // what the round before has left is not this round's cost
	begin := time.Now()
	go func() { done <- r.Run(running) }()
	r.Update(1, func(s *ofnet.State) { *s = *from.Clone() })
	err := r.Wait(ctx, 1)
	took := time.Since(begin)
	stop()
	if err := errors.Join(err, <-done); err != nil {
		tb.Fatalf("reconcile: %v", err)
	}
	c := r.Counters()
	if unchanged && c.FlowMods != 0 {
		tb.Fatalf("an unchanged switch got %d changes", c.FlowMods)
	}
	if !unchanged && c.Bundles < 2 {
		tb.Fatalf("an empty switch was filled by %d bundles instead of chunks", c.Bundles)
	}
	return took
}
