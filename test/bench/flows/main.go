// SPDX-License-Identifier: Apache-2.0

// Flows measures how long a switch takes to get 100,000 flows, to be found unchanged, to get a rule more and an endpoint more, the former
// beside ovs-ofctl, which has its flows ready in a file. Ours compiles them from a State first. It needs root and Open vSwitch, and
// starts its own.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/pprof"
	"time"

	"github.com/contiv/contiv/test/bench/harness"
	"github.com/contiv/contiv/test/bench/report"
)

// The promises: ours to the peer's.
const (
	maxProgram   = 0.55
	maxUnchanged = 1.0
	maxRule      = 10 * time.Millisecond
	maxEndpoint  = 2 * time.Millisecond // p99
)

func main() {
	rounds := flag.Int("rounds", 7, "rounds, ours and the peer's in turn; the medians count")
	locals := flag.Int("local", 2000, "endpoints of this host")
	remotes := flag.Int("remote", 18000, "endpoints of other hosts")
	profile := flag.String("cpuprofile", "", "write a CPU profile of ours to this file")
	only := flag.String("only", "", "measure only this part: flows or endpoints")
	flag.Parse()
	if err := run(*only, *rounds, *locals, *remotes, *profile); err != nil {
		fmt.Fprintln(os.Stderr, "bench flows:", err)
		os.Exit(1)
	}
}

func run(only string, rounds, locals, remotes int, profile string) error {
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
	measured := false
	for _, part := range []struct {
		name    string
		measure func(tb *harness.Stand) *report.Table
	}{
		{"flows", func(tb *harness.Stand) *report.Table { return wholeSwitch(tb, rounds, locals, remotes) }},
		{"endpoints", func(tb *harness.Stand) *report.Table { return endpoints(tb, rounds) }},
	} {
		if only != "" && only != part.name {
			continue
		}
		measured = true
		var table *report.Table
		if err := harness.Measure(func(tb *harness.Stand) { table = part.measure(tb) }); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		if err := table.Write(os.Stdout); err != nil {
			return err
		}
	}
	if !measured {
		return fmt.Errorf("-only: got %s, want flows or endpoints", only)
	}
	return nil
}
