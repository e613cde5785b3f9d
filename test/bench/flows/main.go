// Flows measures how long a switch takes to get 100,000 flows, to be found unchanged, to get a rule more and an endpoint more, the former beside ovs-ofctl, which has
// its flows ready in a file. Ours compiles them from a State first. It needs root and Open vSwitch, and starts its own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/openflow"
	"github.com/contiv/contiv/ofnet/pipeline"
	"github.com/contiv/contiv/test/bench/report"
	"github.com/contiv/contiv/test/bench/stand"
)

// The promises: ours to the peer's.
const (
	maxProgram   = 0.6
	maxUnchanged = 1.0
	maxRule      = 10 * time.Millisecond
	maxEndpoint  = 2 * time.Millisecond // p99
)

func main() {
	rounds := flag.Int("rounds", 7, "rounds, ours and the peer's in turn; the medians count")
	locals := flag.Int("local", 2000, "endpoints of this host")
	remotes := flag.Int("remote", 18000, "endpoints of other hosts")
	profile := flag.String("cpuprofile", "", "write a CPU profile of ours to this file")
	flag.Parse()
	if err := run(*rounds, *locals, *remotes, *profile); err != nil {
		fmt.Fprintln(os.Stderr, "bench flows:", err)
		os.Exit(1)
	}
}

// durations are what the rounds took.
type durations struct{ program, peerProgram, unchanged, peerUnchanged []time.Duration }

func run(rounds, locals, remotes int, profile string) error {
	if profile != "" {
		file, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }() // what is missing in a profile, pprof says
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	var d durations
	var rules ruleTimes
	var endpoints, bare percentiles
	flows := 0
	err := stand.Measure(func(tb *stand.Stand) {
		s := ofnettest.Many(locals, remotes)
		p := newPeer(tb, s)
		flows = p.flows
		for range rounds {
			p.clear()
			d.peerProgram = append(d.peerProgram, p.program())
			d.peerUnchanged = append(d.peerUnchanged, p.replace())
			p.clear()
			d.program = append(d.program, reconcile(tb, p.mgmt(), s, false))
			d.unchanged = append(d.unchanged, reconcile(tb, p.mgmt(), s, true))
		}
		rules = ruleChanges(tb, p.mgmt(), s)
		for range rounds {
			p.empty()
			each, sent := arrivals(tb, p.mgmt())
			endpoints.add(each)
			p.empty()
			bare.add(sent.replay(tb, p.mgmt()))
		}
	})
	if err != nil {
		return err
	}
	t := &report.Table{Title: fmt.Sprintf("%d flows, %d endpoints, medians of %d rounds in turn", flows, locals+remotes, rounds)}
	row := func(what string, ours, peer []time.Duration, name string, most float64) {
		a, b := report.Median(ours), report.Median(peer)
		ratio := a.Seconds() / b.Seconds()
		t.Add(report.Row{What: what, Ours: report.Millis(a), Peer: report.Millis(b) + " " + name, Ratio: ratio,
			Target: fmt.Sprintf("<= %.1f", most), Met: ratio <= most})
	}
	row("program an empty switch: compile, compare, one bundle", d.program, d.peerProgram, "ovs-ofctl --bundle add-flows", maxProgram)
	row("find it unchanged: compile, compare, nothing sent", d.unchanged, d.peerUnchanged, "ovs-ofctl replace-flows", maxUnchanged)
	rule, longest := report.Median(rules.each), report.Percentile(rules.meanwhile, 100)
	t.Add(report.Row{What: fmt.Sprintf("one rule more, %d in turn, until past the barrier, p50", len(rules.each)), Ours: report.Millis(rule),
		Target: "<= " + report.Millis(maxRule), Met: rule <= maxRule})
	t.Add(report.Row{What: fmt.Sprintf("... %d while the switch was compared once more, which took %s; the longest", len(rules.meanwhile), report.Millis(rules.comparison)),
		Ours: report.Millis(longest), Target: "-", Met: true})
	ours, peers := report.Median(endpoints.p99), report.Median(bare.p99)
	t.Add(report.Row{What: fmt.Sprintf("one endpoint more, %d in turn, %d known, from the watch's event until past the barrier, p99 (p50 %s; load %s)",
		endpointsMeasured, endpointsKnown, report.Millis(report.Median(endpoints.p50)), stand.Load()), Ours: report.Millis(ours),
		Peer:  fmt.Sprintf("%s (p50 %s) the same changes, known beforehand", report.Millis(peers), report.Millis(report.Median(bare.p50))),
		Ratio: ours.Seconds() / peers.Seconds(), Target: "<= " + report.Millis(maxEndpoint), Met: ours <= maxEndpoint})
	t.Add(report.Row{What: "... p99 of each round, sorted", Ours: endpoints.String(), Peer: bare.String(), Target: "-", Met: true})
	return t.Write(os.Stdout)
}

// percentiles are the p50 and p99 of each round.
type percentiles struct{ p50, p99 []time.Duration }

func (p *percentiles) add(each []time.Duration) {
	p.p50, p.p99 = append(p.p50, report.Median(each)), append(p.p99, report.Percentile(each, 99))
}

// String is the p99 of each round.
func (p *percentiles) String() string {
	var out []string
	for _, d := range p.p99 {
		out = append(out, strings.TrimSuffix(report.Millis(d), " ms"))
	}
	return strings.Join(out, " ") + " ms"
}

// reconcile brings the switch to the State as an agent that has just started does, and returns how long that took up to
// the barrier. A switch that has everything already must get nothing.
func reconcile(tb *stand.Stand, mgmt string, from *ofnet.State, unchanged bool) time.Duration {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r := bridge.NewReconciler(from.Self, pipeline.Default(), bridge.NewOpenFlow(mgmt, openflow.Options{}), bridge.Options{})
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	runtime.GC() // what the round before has left is not this round's cost
	begin := time.Now()
	go func() { done <- r.Run(running) }()
	r.Update(1, func(s *ofnet.State) []ofnet.Key {
		s.Local, s.Hosts, s.Tenants, s.Segments, s.Groups, s.Endpoints = from.Local, from.Hosts, from.Tenants, from.Segments, from.Groups, from.Endpoints
		return nil
	})
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
	if !unchanged && c.Bundles != 1 {
		tb.Fatalf("an empty switch was filled by %d bundles instead of one", c.Bundles)
	}
	return took
}
