// SPDX-License-Identifier: Apache-2.0

// Scale measures netmasters that send many agents the records of their hosts: how they start, what a change costs, and how they come back
// from storms - the store, a netmaster, the leader killed, a third of the agents cut off, all of them restarted. Agents are the real
// client of the channel, which are admitted, report, count, and keep nothing, or with -engine are the real engine on a switch that keeps
// nothing; store and netmasters are processes. All listen on loopback, or on the addresses that are named.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/contiv/contiv/test/bench/harness"
	"github.com/contiv/contiv/test/bench/report"
)

// size is what is measured.
type size struct {
	agents, endpoints int
	masters           int
	rate              int           // changes a second
	during            time.Duration // of changes
	history           int           // entries of what happened that a leader finds
	revisions         int           // changes that the store has not forgotten yet
	first             int           // agent of this process
	listen            string        // address of store and netmasters
	check             bool          // what must not happen is a failure
	engines           bool          // of real agents
}

func main() {
	var s size
	flag.IntVar(&s.agents, "agents", 1000, "how many")
	flag.IntVar(&s.endpoints, "endpoints", 50_000, "how many there are in the cluster")
	flag.IntVar(&s.masters, "masters", 3, "how many netmasters")
	flag.IntVar(&s.rate, "rate", 100, "changes a second")
	flag.DurationVar(&s.during, "for", 10*time.Second, "how long there are changes")
	flag.IntVar(&s.history, "history", 0, "how many entries of what happened there are in the store when a leader begins")
	flag.IntVar(&s.revisions, "revisions", 0, "how many changes of endpoints the store remembers then")
	flag.StringVar(&s.listen, "listen", "127.0.0.1", "address of this machine at which store and netmasters listen, for agents of other machines too")
	flag.BoolVar(&s.engines, "engine", false, "agents compile flows, as real ones do, for a switch that keeps nothing")
	flag.BoolVar(&s.check, "check", false, "fail if an agent received unneeded records, was refused, or did not reconnect within two minutes")
	points := flag.String("points", "", "file of JSON to which the figures are added, for test/bench/plot")
	join := flag.String("join", "", "comma list of URLs of netmasters of another machine's bench: be agents of theirs until killed, from -first on")
	flag.IntVar(&s.first, "first", 0, "number of the first agent, with -join")
	only := flag.String("only", "", "leader: how netmasters begin to lead, without agents; drill: all netmasters and the store are lost, and a snapshot is restored")
	data := flag.String("etcd", "", "be an etcd with its data in this directory until killed")
	client := flag.String("client", "", "URL of that etcd for clients")
	peer := flag.String("peer", "", "URL of that etcd for peers")
	flag.Parse()
	ctx := context.Background()
	do := func() error { return run(ctx, s, *only, *points) }
	if *join != "" {
		do = func() error { return s.join(ctx, strings.Split(*join, ",")) }
	}
	if *data != "" {
		do = func() error { return serve(ctx, *data, *client, *peer) }
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, "bench scale:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, s size, only, points string) error {
	machine := harness.NewMachine()
	dir, err := os.MkdirTemp("", "contiv-bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if only == "leader" {
		s.masters = 0 // it starts its own
	}
	if only == "drill" {
		s.masters = 1
	}
	w := &world{size: s, dir: dir, netmaster: filepath.Join(filepath.Dir(self), "..", "netmaster")}
	defer w.end()
	if only == "drill" {
		return w.drill(ctx, machine.String())
	}
	if err := w.begin(ctx); err != nil {
		return err
	}
	t := &report.Table{}
	measures := []func(context.Context, *report.Table) error{w.starts, w.view, w.changes, w.acknowledged, w.masterKilled, w.cutOff, w.restarts, w.storeKilled, w.rest, w.leaderKilled}
	if only == "leader" {
		measures = []func(context.Context, *report.Table) error{w.leaders}
	}
	for _, measure := range measures {
		if err := measure(ctx, t); err != nil {
			return err
		}
	}
	if t.Title != "" {
		return t.Write(os.Stdout)
	}
	t.Title = fmt.Sprintf("%d agents, %d endpoints of %d tenants, %d netmasters, one etcd; %s", s.agents, s.endpoints, s.tenants(), s.masters, machine)
	if wrong := t.Wrong(); s.check && len(wrong) > 0 {
		return fmt.Errorf("%s", strings.Join(wrong, "; "))
	}
	if points != "" {
		if err := w.point.AddTo(points); err != nil {
			return err
		}
	}
	return t.Write(os.Stdout)
}
