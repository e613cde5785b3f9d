// SPDX-License-Identifier: Apache-2.0

// Command campaign imitates operators, container runtimes and broken machines in a cluster of lab hosts by random actions, and checks
// repeatedly that the cluster works and reports its state correctly. It creates objects with confusing names, starts and stops containers,
// kills and pauses parts, starts two agents that claim one host, sends requests of hosts and tenants' admins without the right, loses packets
// in one direction, deletes directories of stores, restores old snapshots, and flips bits in files of stores.
//
//	campaign -for 1h -seed 7 -bin bin
//	campaign -for 3m -only freeze -bin bin
//
// It prints its actions, then every finding, and exits with 1 if there was one. The same seed gives the same choices, but their effect
// depends on time.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/contiv/contiv/lab"
)

type options struct {
	length time.Duration
	seed   uint64
	name   string
	bin    string
	store  string
	keep   bool
	only   string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	f := flag.NewFlagSet("campaign", flag.ContinueOnError)
	f.SetOutput(errOut)
	var o options
	f.DurationVar(&o.length, "for", time.Hour, "how long")
	f.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "what the choices follow from")
	f.StringVar(&o.name, "name", "campaign", "name of the lab")
	f.StringVar(&o.bin, "bin", "bin", "`directory` of contiv, netmaster, netplugin and contivk8s")
	f.StringVar(&o.store, "store", lab.StoreEmbedded, "store: embedded, etcd or consul")
	f.BoolVar(&o.keep, "keep", false, "leave the lab running when there was a finding")
	f.StringVar(&o.only, "only", "", "`name` of the one kind of trouble to make: kill, pause, two-agents, two-tunnel-ends, cut-off, meddle, advertise, rogue-host, rogue-tenant, freeze, one-way, lose-directory, restore-snapshot or flip-bit")
	if err := f.Parse(args); err != nil {
		return 2
	}
	if names := troubles(); o.only != "" && !slices.Contains(names, o.only) {
		fmt.Fprintf(errOut, "campaign: -only: got %q, want one of %s\n", o.only, strings.Join(names, ", "))
		return 2
	}
	findings, err := campaign(ctx, o, out)
	switch {
	case err != nil:
		fmt.Fprintln(errOut, "campaign:", err)
		return 1
	case findings > 0:
		return 1
	}
	return 0
}

// troubles returns the names of all kinds of faults.
func troubles() []string {
	names := []string{"rogue-tenant"}
	for _, k := range (&cluster{}).kinds() {
		names = append(names, k.name)
	}
	return names
}

// campaign creates the lab, runs for the configured time, and removes the lab.
func campaign(ctx context.Context, o options, out io.Writer) (findings int, err error) {
	bin, err := filepath.Abs(o.bin)
	if err != nil {
		return 0, err
	}
	l, err := lab.New(lab.Plan{Name: o.name, Dir: lab.DefaultDir, Hosts: 3, Masters: 3, Store: o.store, Joined: o.store == lab.StoreEmbedded, Bin: bin},
		filepath.Join(bin, lab.Program), io.Discard)
	if err != nil {
		return 0, err
	}
	defer func() {
		if o.keep && findings > 0 {
			fmt.Fprintf(out, "the lab is left: contiv lab down --name %s ends it\n", o.name)
			return
		}
		err = errors.Join(err, l.Down(context.WithoutCancel(ctx)))
	}()
	if err := l.Up(ctx); err != nil {
		return 0, err
	}
	api, err := l.Client()
	if err != nil {
		return 0, err
	}
	api.Timeout = requestTimeout
	c := &cluster{lab: l, api: api, out: out, began: time.Now(),
		rand: rand.New(rand.NewPCG(o.seed, 0)), leaving: map[string]bool{}, only: o.only}
	c.say("seed %d, %v, store %s", o.seed, o.length, o.store)
	c.rounds(ctx, time.Now().Add(o.length))
	c.clear(ctx)
	c.say("%d moves, %d refused, %d faults, %d checks of %d pairs: %d findings", c.moves, c.refused, c.faults, c.checks, c.pairs, c.findings)
	return c.findings, nil
}
