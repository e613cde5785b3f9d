// Command campaign does at random what operators, runtimes and broken machines do to a cluster of lab hosts, and checks again and again
// that what the cluster says and does is right: objects with names that invite confusion, containers that come and go, parts that are
// killed or stand still, two agents that claim one host, hosts and tenants' admins that ask for what is not theirs, packets that are lost
// in one direction, stores whose directories are lost, that are restored as they were before, or in whose files bits are flipped.
//
//	campaign -for 1h -seed 7 -bin bin
//	campaign -for 3m -only freeze -bin bin
//
// It prints what it does, then every finding, and ends with 1 when there was one. The same seed makes the same choices, but
// what they meet depends on time.
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
	f.StringVar(&o.only, "only", "", "`name` of the one kind of trouble to make: kill, pause, two-agents, two-tunnel-ends, cut-off, meddle, advertise, rogue-host, rogue-tenant, freeze, one-way, lose-folder, restore-snapshot or flip-bit")
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

// troubles are the names of all kinds of trouble.
func troubles() []string {
	names := []string{"rogue-tenant"}
	for _, k := range (&cluster{}).kinds() {
		names = append(names, k.name)
	}
	return names
}

// campaign makes the lab, runs for as long as it should, and removes the lab.
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
	api.Timeout = requestPatience
	c := &cluster{lab: l, api: api, out: out, began: time.Now(),
		rand: rand.New(rand.NewPCG(o.seed, 0)), leaving: map[string]bool{}, only: o.only}
	c.say("seed %d, %v, store %s", o.seed, o.length, o.store)
	c.rounds(ctx, time.Now().Add(o.length))
	c.clear(ctx)
	c.say("%d moves, %d refused, %d faults, %d checks of %d pairs: %d findings", c.moves, c.refused, c.faults, c.checks, c.pairs, c.findings)
	return c.findings, nil
}
