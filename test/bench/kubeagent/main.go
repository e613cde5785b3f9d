// SPDX-License-Identifier: Apache-2.0

// Kubeagent measures what Kubernetes costs an agent: policies and pods compiled into flows, and these and services on a switch. Records
// come from a store in memory, so that nothing else is measured. It needs root and Open vSwitch, and starts its own.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/pprof"
	"syscall"
	"time"

	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/test/bench/harness"
	"github.com/contiv/contiv/test/bench/loadgen"
	"github.com/contiv/contiv/test/bench/report"
)

// Objects of the cluster.
const (
	pods     = 5000 // one of fifty here
	policies = 1000
	services = 1000
	changes  = 51 // of each kind, one by one, in a round
)

// The promises.
const (
	mostCompiled = 250 * time.Millisecond
	mostPod      = 100 * time.Microsecond
	mostPolicy   = 5 * time.Millisecond
	mostMemory   = 30 << 20
	mostServices = time.Second
)

// runTimeout bounds a run generously.
const runTimeout = 5 * time.Minute

// cluster is what all parts have.
func cluster() loadgen.Crowd {
	return loadgen.Crowd{Namespaces: 50, Hosts: 50, Network: identity.Network{Tenant: "default", Name: "default-net"}}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	rounds := flag.Int("rounds", 9, "rounds; the medians count")
	profile := flag.String("cpuprofile", "", "write a CPU profile to this file")
	only := flag.String("only", "", "measure only this part: compiled, policies or services")
	flag.Parse()
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	if err := run(ctx, *only, *profile, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "bench kubeagent:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only, profile string, rounds int) error {
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
		measure func(ctx context.Context, tb *harness.Stand, t *report.Table, rounds int)
	}{{"compiled", compiled}, {"policies", policiesOnSwitch}, {"services", servicesOnSwitch}} {
		if only != "" && only != part.name {
			continue
		}
		measured = true
		t, machine := &report.Table{}, harness.NewMachine()
		if err := harness.Measure(func(tb *harness.Stand) { part.measure(ctx, tb, t, rounds) }); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		t.Title = fmt.Sprintf("Kubernetes on an agent: %s, medians of %d rounds; %s", part.name, rounds, machine)
		if err := t.Write(os.Stdout); err != nil {
			return err
		}
	}
	if !measured {
		return fmt.Errorf("-only: got %s, want compiled, policies or services", only)
	}
	return nil
}
