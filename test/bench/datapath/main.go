// SPDX-License-Identifier: Apache-2.0

// Datapath measures what the pipeline costs packets: throughput, connections and first packets through all its tables, with
// and without rules, beside a switch with next to no flows, in turn within one run. Containers are on one host, or on two
// that a VXLAN tunnel connects; the datapath is Open vSwitch's best one, the kernel's where there is one. The peer is a Linux bridge,
// as the CNI plugin bridge makes it, and between hosts the kernel's own VXLAN tunnel. It needs root and Open vSwitch.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/contiv/contiv/test/bench/harness"
	"github.com/contiv/contiv/test/bench/report"
)

// The promises: shares of what the bare switch does in the same round.
const (
	leastUntracked = 0.97 // throughput of a tenant without rules
	leastBulk      = 0.90 // throughput with rules
	leastBrief     = 0.85 // connections a second
	mostFirst      = 1.5  // time of the first packet

	leastObserved = 0.97 // throughput with connections observed, of that without
)

func main() {
	e := effort{}
	server := flag.Bool("serve", false, "be the server in a container (internal)")
	address := flag.String("ask", "", "be the client in a container (internal)")
	flag.IntVar(&e.rounds, "rounds", 21, "rounds, all variants in turn; the medians count")
	flag.IntVar(&e.firsts, "firsts", 7, "first packets in each round")
	flag.DurationVar(&e.slice, "slice", 250*time.Millisecond, "how long throughput and connections are measured in each round")
	flag.BoolVar(&e.show, "megaflows", false, "print the datapath flows and statistics of each variant's last round, for profiling")
	flag.Parse()
	var err error
	switch {
	case *server:
		err = serve(os.Stdin, os.Stdout)
	case *address != "":
		err = ask(os.Stdin, os.Stdout, *address)
	default:
		err = run(e)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench datapath:", err)
		os.Exit(1)
	}
}

func run(e effort) error {
	var all []results
	machine := harness.NewMachine()
	err := harness.Measure(func(tb *harness.Stand) {
		h1, h2 := newHost(tb, 1), newHost(tb, 2)
		tunnel(tb, h1, h2)
		a, b, c := newContainer(tb, h1, 1, portContainer), newContainer(tb, h1, 2, portContainer+1), newContainer(tb, h2, 3, portContainer)
		peers(h1, h2)
		x, y, z := bridged(tb, h1, 4), bridged(tb, h1, 5), bridged(tb, h2, 6)
		all = append(all, newCourse(tb, "on one host", [2]*container{a, b}, [2]*container{x, y}).run(tb, variants(), e))
		all = append(all, newCourse(tb, "through a VXLAN tunnel", [2]*container{a, c}, [2]*container{x, z}).run(tb, variants(), e))
	})
	if err != nil {
		return err
	}
	for i := range all {
		if err := all[i].table(e, machine).Write(os.Stdout); err != nil {
			return err
		}
	}
	return nil
}

// table is the report of a course; machine has been there from the start of all.
func (r *results) table(e effort, machine harness.Machine) *report.Table {
	kernel := r.course.from.host.Kernel()
	datapath := "userspace datapath"
	if kernel {
		datapath = "kernel's datapath"
	}
	t := &report.Table{Title: fmt.Sprintf("packets %s, %s, medians of %d rounds in turn; %s", r.course.name, datapath, e.rounds, machine)}
	bare := r.plain[0]
	r.beside(t)
	for v, name := range variants() {
		if v == 0 || name.observed {
			continue
		}
		own, ratio := r.plain[v], r.ratio[v]
		add := func(what, ours, peer string, ratio float64, target string, met bool) {
			t.Add(report.Row{What: name.name + ": " + what, Ours: ours, Peer: peer, Ratio: ratio, Target: target, Met: met})
		}
		least := leastBulk
		if v == 1 {
			least = leastUntracked
		}
		add("one TCP stream", gigabits(own.bulk), gigabits(bare.bulk), ratio.bulk, fmt.Sprintf(">= %.2f", least), ratio.bulk >= least)
		if !kernel { // whose packets are on nobody's account
			add("CPU of the switches for a gigabyte", seconds(own.cpu), seconds(bare.cpu), ratio.cpu, "", true)
			add("CPU of the switches for 1,000 connections", seconds(own.briefCPU), seconds(bare.briefCPU), ratio.briefCPU, "", true)
		}
		add("UDP datagrams of 64 bytes", report.Rate(own.small), report.Rate(bare.small), ratio.small, "", true)
		add("TCP connections", report.Rate(own.brief), report.Rate(bare.brief), ratio.brief, fmt.Sprintf(">= %.2f", leastBrief), ratio.brief >= leastBrief)
		add("first packet, there and back", report.Millis(time.Duration(own.first)), report.Millis(time.Duration(bare.first)), ratio.first,
			fmt.Sprintf("<= %.1f", mostFirst), ratio.first <= mostFirst)
		target, met := "", true
		if v == 1 {
			target, met = "as bare, 0 tracked", own.passes < bare.passes+0.05 && own.tracked == 0
		}
		what, ours, peer := "megaflows, tracked ones", fmt.Sprintf("%.0f, %.0f", own.megaflows, own.tracked), fmt.Sprintf("%.0f, %.0f", bare.megaflows, bare.tracked)
		if !kernel {
			what, ours, peer = "passes a packet; "+what, fmt.Sprintf("%.2f; %s", own.passes, ours), fmt.Sprintf("%.2f; %s", bare.passes, peer)
		}
		add(what, ours, peer, 0, target, met)
	}
	last := len(r.plain) - 1
	own, without, ratio := r.plain[last], r.plain[last-1], r.observed
	t.Add(report.Row{What: "connections observed, and not: one TCP stream", Ours: gigabits(own.bulk), Peer: gigabits(without.bulk), Ratio: ratio.bulk,
		Target: fmt.Sprintf(">= %.2f", leastObserved), Met: ratio.bulk >= leastObserved})
	if !kernel {
		t.Add(report.Row{What: "connections observed, and not: CPU of the switches for a gigabyte", Ours: seconds(own.cpu), Peer: seconds(without.cpu), Ratio: ratio.cpu, Met: true})
	}
	t.Add(report.Row{What: "connections observed, and not: TCP connections", Ours: report.Rate(own.brief), Peer: report.Rate(without.brief), Ratio: ratio.brief, Met: true})
	if !kernel {
		t.Add(report.Row{What: "connections observed, and not: CPU of the switches for 1,000 connections", Ours: seconds(own.briefCPU), Peer: seconds(without.briefCPU), Ratio: ratio.briefCPU, Met: true})
	}
	return t
}

// beside adds our rates beside the peer's.
func (r *results) beside(t *report.Table) {
	for v, name := range variants() {
		if v == 0 || name.observed {
			continue
		}
		own, ratio := r.plain[v], r.versus[v]
		t.Add(report.Row{What: name.name + ", beside a Linux bridge: one TCP stream", Ours: gigabits(own.bulk), Peer: gigabits(r.bridged.bulk), Ratio: ratio.bulk, Met: true})
		t.Add(report.Row{What: name.name + ", beside a Linux bridge: TCP connections", Ours: report.Rate(own.brief), Peer: report.Rate(r.bridged.brief), Ratio: ratio.brief, Met: true})
		t.Add(report.Row{What: name.name + ", beside a Linux bridge: UDP datagrams of 64 bytes", Ours: report.Rate(own.small), Peer: report.Rate(r.bridged.small), Ratio: ratio.small, Met: true})
	}
}

func gigabits(bytes float64) string { return fmt.Sprintf("%.2f Gbit/s", bytes*8/1e9) }

func seconds(s float64) string { return fmt.Sprintf("%.2f s", s) }
