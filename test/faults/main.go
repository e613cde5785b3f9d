// SPDX-License-Identifier: Apache-2.0

// Command faults injects the faults of its table into a cluster of lab hosts, one after the other, and checks that netctl doctor and netctl
// status name the cause of each as the first finding within its time, that it stays the first, that nothing else is named beside it, and that
// nothing is found after the repair. With -pairs it injects two faults at a time, chosen by a seed, and checks that both causes are named. With
// -quiet it attaches and detaches containers and changes policies for a time, in which nothing may be found.
//
//	faults -bin bin
//	faults -bin bin -only 'vtep|uplink'
//	faults -bin bin -pairs 20 -seed 7
//	faults -bin bin -quiet 1h
//
// It prints a line for each fault, and exits with 1 if one was not named, or did not end. The table is in the directory table; docs/dev/faults.md
// is written from it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"github.com/contiv/contiv/lab"
)

// options are the flags.
type options struct {
	name, bin, datapath string
	only                *regexp.Regexp // names of faults
	short, list, keep   bool
	pairs               int
	seed                uint64
	quiet               time.Duration
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// parse reads the flags.
func parse(args []string, errOut io.Writer) (o options, err error) {
	f := flag.NewFlagSet("faults", flag.ContinueOnError)
	f.SetOutput(errOut)
	only := ""
	f.StringVar(&only, "only", "", "`regexp` of the names of the faults to try (default: all)")
	f.BoolVar(&o.short, "short", false, "only the faults of the short form")
	f.BoolVar(&o.list, "list", false, "print the names of the faults, and try none")
	f.IntVar(&o.pairs, "pairs", 0, "`number` of pairs of faults to try, in place of single ones")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the choice of pairs and hosts")
	f.DurationVar(&o.quiet, "quiet", 0, "`duration` of a time with changes and without faults, in place of faults")
	f.StringVar(&o.name, "name", "faults", "name of the lab")
	f.StringVar(&o.bin, "bin", "bin", "`directory` of the programs")
	f.StringVar(&o.datapath, "datapath", lab.DatapathAuto, "datapath of the switches: system (kernel), netdev (user space), or auto: the kernel's, if it has one")
	f.BoolVar(&o.keep, "keep", false, "leave the lab running after a failure")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.only, err = regexp.Compile(`\A(?:` + only + `)`); err != nil {
		return o, fmt.Errorf("-only: %w", err)
	}
	o.bin, err = filepath.Abs(o.bin)
	return o, err
}

func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	o, err := parse(args, errOut)
	if err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(errOut, "faults:", err)
		}
		return 2
	}
	stages, _, err := LoadTable()
	if err != nil {
		fmt.Fprintln(errOut, "faults:", err)
		return 1
	}
	failed, tried := 0, 0
	for i := range stages {
		s := &stages[i]
		chosen := s.choose(o)
		if o.list {
			for _, f := range chosen {
				fmt.Fprintln(out, f.Name)
			}
			continue
		}
		if len(chosen) == 0 || i > 0 && (o.pairs > 0 || o.quiet > 0) {
			continue
		}
		n, wrong, err := s.tryAll(ctx, o, chosen, out)
		if tried, failed = tried+n, failed+wrong; err != nil {
			fmt.Fprintln(errOut, "faults:", err)
			return 1
		}
	}
	if o.list {
		return 0
	}
	fmt.Fprintf(out, "%d of %d passed\n", tried-failed, tried)
	if failed > 0 || tried == 0 {
		return 1
	}
	return 0
}

// choose returns the faults of a stage that the flags name.
func (s *Stage) choose(o options) (out []*Fault) {
	for i := range s.Faults {
		if f := &s.Faults[i]; o.only.MatchString(f.Name) && (f.Short || !o.short) {
			out = append(out, f)
		}
	}
	return out
}

// hosts is the number of hosts and netmasters of a lab.
const hosts = 3

// tryAll tries faults, in another lab after a trial that has left its lab unwell. It returns how many trials there were, and how many failed.
func (s *Stage) tryAll(ctx context.Context, o options, faults []*Fault, out io.Writer) (tried, failed int, err error) {
	for {
		n, wrong, err := s.try(ctx, o, faults, tried, out)
		tried, failed = tried+n, failed+wrong
		if n == 0 || o.keep || !errors.Is(err, errUnwell) {
			return tried, failed, err
		}
		fmt.Fprintf(out, "another lab: %v\n", err)
	}
}

// try makes a lab and tries faults in it, without the first ones.
func (s *Stage) try(ctx context.Context, o options, faults []*Fault, done int, out io.Writer) (tried, failed int, err error) {
	l, err := lab.New(lab.Plan{Name: o.name, Dir: lab.DefaultDir, Hosts: hosts, Masters: hosts, Store: lab.StoreEmbedded, Bin: o.bin, Datapath: o.datapath},
		filepath.Join(o.bin, lab.Program), io.Discard)
	if err != nil {
		return 0, 0, err
	}
	state, err := os.MkdirTemp("", "faults")
	if err != nil {
		return 0, 0, errors.Join(err, l.Down(context.WithoutCancel(ctx)))
	}
	t := &trials{shell: &shell{lab: l, state: state}, out: out, began: time.Now()}
	defer func() {
		if o.keep && (failed > 0 || err != nil) {
			fmt.Fprintf(out, "the lab is left: contiv lab down --name %s ends it\n", o.name)
			return
		}
		done := context.WithoutCancel(ctx)
		err = errors.Join(err, t.shell.run(done, places(l.HostList())[0], endKept), l.Down(done), os.RemoveAll(state))
	}()
	if err := l.Up(ctx); err != nil {
		return 0, 0, err
	}
	if err := t.shell.run(ctx, places(l.HostList())[0], s.Setup); err != nil {
		return 0, 0, fmt.Errorf("set up: %w", err)
	}
	if left := t.ends(ctx, 2*time.Minute); left != "" {
		return 0, 0, fmt.Errorf("before any fault: %s", left)
	}
	t.report("%s: a lab with the %s datapath is ready", s.Title, l.Datapath)
	if o.quiet > 0 {
		return t.quiet(ctx, o)
	}
	lists := choose(t.able(faults), l.HostList(), o)
	return t.all(ctx, lists[min(done, len(lists)):])
}

// choose returns the faults to try at the same time, in the order in which they are tried. The same options give the same.
func choose(faults []*Fault, hosts []lab.HostInfo, o options) (out [][]expectation) {
	if o.pairs > 0 {
		for _, p := range choosePairs(faults, hosts, o.pairs, o.seed) {
			out = append(out, p[:])
		}
		return out
	}
	for _, f := range faults {
		out = append(out, []expectation{{f, placeOf(f, places(hosts), o.seed)}})
	}
	return out
}

// endKept ends what scripts keep running.
const endKept = `for f in "$STATE"/*.holder; do if [ -e "$f" ]; then kill "$(cat "$f")" 2> /dev/null || true; fi; done`
