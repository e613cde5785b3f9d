// SPDX-License-Identifier: Apache-2.0

// Agent measures an agent in a process of its own: the client of the channel, the engine and the reconciler, over a real switch, with the
// records of a large cluster. It measures the memory at the start and in a steady state, and the time until the switch is programmed, or
// is known to have everything already. It needs root and Open vSwitch, and starts its own.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/contiv/contiv/test/bench/harness"
	"github.com/contiv/contiv/test/bench/report"
)

// runTimeout is a generous bound of a run.
const runTimeout = 10 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var p part
	var s settings
	flag.StringVar(&p.url, "netmaster", "", "run the agent, which another process starts")
	flag.StringVar(&p.mgmt, "switch", "", "OpenFlow socket of that agent's switch")
	flag.StringVar(&p.profiles, "profiles", "", "have that agent write profiles to files whose names begin so")
	flag.IntVar(&s.endpoints, "endpoints", 50_000, "how many there are in the cluster")
	flag.DurationVar(&s.settle, "settle", 30*time.Second, "how long the agent idles until its memory is steady")
	flag.IntVar(&s.rounds, "rounds", 3, "rounds; the medians count")
	flag.StringVar(&s.only, "only", "", "measure only this layout: packed or one")
	flag.StringVar(&s.profiles, "profile", "", "have agents write profiles of their start and of the heap to files whose names begin so")
	flag.Parse()
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	do := func() error { return run(ctx, s) }
	if p.url != "" {
		do = func() error { return p.run(ctx) }
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, "bench agent:", err)
		os.Exit(1)
	}
}

// settings are the parameters of the measurement.
type settings struct {
	endpoints, rounds int
	settle            time.Duration
	only, profiles    string
}

func run(ctx context.Context, s settings) error {
	measured := false
	for _, l := range layouts(s.endpoints) {
		if s.only != "" && s.only != l.name {
			continue
		}
		measured = true
		t, machine := &report.Table{}, harness.NewMachine()
		if err := harness.Measure(func(tb *harness.Stand) { measure(ctx, tb, t, &l, s) }); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		t.Title = fmt.Sprintf("an agent of %d endpoints on %d networks, %d in the cluster: %s; medians of %d rounds, %d processors; %s", here, networks, s.endpoints, l.what, s.rounds,
			runtime.GOMAXPROCS(0), machine)
		if err := t.Write(os.Stdout); err != nil {
			return err
		}
	}
	if !measured {
		return fmt.Errorf("-only: got %s, want packed or one", s.only)
	}
	return nil
}
