// SPDX-License-Identifier: Apache-2.0

// Command kubernetes measures pods that start together on a node, with policies and services in force, and connections by the address of
// a service, on a network of ours beside the plugin bridge with kube-proxy, in turn, on labs of its own, which it removes. It needs root,
// Open vSwitch, containerd, what "make kubernetes" builds, and the programs that "make build" leaves in bin.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/lab/kube"
	"github.com/contiv/contiv/test/bench/harness"
	"github.com/contiv/contiv/test/bench/report"
)

// runTimeout bounds a run with the default flags generously; what is made is removed also then.
const runTimeout = 15 * time.Minute

// mostOfPeer is the promise: ours to the peer's.
const mostOfPeer = 0.95

type options struct {
	pods, rounds    int
	bin, kubernetes string // directories of programs
	only            string
	// As a client, in a pod: to which address connections are opened, how many at a time, and how long.
	connect  string
	atOnce   int
	duration time.Duration
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	var o options
	f := flag.NewFlagSet("kubernetes", flag.ContinueOnError)
	f.SetOutput(errOut)
	f.IntVar(&o.pods, "pods", 30, "`number` of pods that start together")
	f.IntVar(&o.rounds, "rounds", 5, "`rounds`, ours and the peer's in turn; the medians count")
	f.StringVar(&o.bin, "bin", "bin", "`directory` of contiv, netmaster, netplugin and contivk8s")
	f.StringVar(&o.kubernetes, "kubernetes-bin", newest(".cache/kubernetes/v*"), "`directory` of Kubernetes' programs")
	f.StringVar(&o.only, "only", "", "measure only this part: pods or connections")
	f.StringVar(&o.connect, "connect", "", "only open connections to this `address`, and print their number per second")
	f.IntVar(&o.atOnce, "at-once", 1, "`number` of connections at a time, of -connect")
	f.DurationVar(&o.duration, "for", time.Second, "how long, of -connect")
	if err := f.Parse(args); err != nil {
		return 2
	}
	if o.connect != "" {
		if err := connect(ctx, o.connect, o.atOnce, o.duration, out); err != nil {
			fmt.Fprintln(errOut, "kubernetes:", err)
			return 1
		}
		return 0
	}
	if _, err := exec.LookPath("containerd"); err != nil || o.kubernetes == "" {
		fmt.Fprintln(out, "\nKubernetes: not measured, containerd is not installed or Kubernetes not built (make kubernetes)")
		return 0
	}
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	if err := measure(ctx, o, out, errOut); err != nil {
		fmt.Fprintln(errOut, "kubernetes:", err)
		return 1
	}
	return 0
}

// newest is the last of the files that a pattern finds, "" of none.
func newest(pattern string) string {
	all, _ := filepath.Glob(pattern) // only a malformed pattern is an error
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// measure measures all parts, or the one that is asked for.
func measure(ctx context.Context, o options, out, errOut io.Writer) (err error) {
	if o.pods < 1 || o.rounds < 1 {
		return errors.New("-pods and -rounds count from 1")
	}
	for _, dir := range []*string{&o.bin, &o.kubernetes} {
		if *dir, err = filepath.Abs(*dir); err != nil {
			return err
		}
	}
	for name, part := range map[string]func(context.Context, options, io.Writer, io.Writer) error{"pods": bursts, "connections": connections} {
		if o.only == "" || o.only == name {
			err = errors.Join(err, part(ctx, o, out, errOut))
		}
	}
	return err
}

// bursts measures pods that start together.
func bursts(ctx context.Context, o options, out, errOut io.Writer) (err error) {
	machine, took := harness.NewMachine(), map[string][]time.Duration{}
	var all []*cluster
	for _, network := range []string{kube.NetworkContiv, kube.NetworkBridge} {
		c, failed := start(ctx, o, network, 1, errOut)
		if c != nil {
			defer func() { err = errors.Join(err, c.lab.Down(context.WithoutCancel(ctx))) }()
		}
		if failed != nil {
			return failed
		}
		all = append(all, c)
	}
	for i := range o.rounds + 1 {
		for _, c := range all {
			each, err := c.burst(ctx, o.pods)
			if err != nil {
				return fmt.Errorf("pods on %s: %w", c.network, err)
			}
			if i > 0 { // the first reads the image
				took[c.network] = append(took[c.network], each)
			}
		}
	}
	a, b := report.Median(took[kube.NetworkContiv]), report.Median(took[kube.NetworkBridge])
	ratio := a.Seconds() / b.Seconds()
	t := report.Table{Title: fmt.Sprintf("Kubernetes: a network of ours, and bridge with kube-proxy, medians of %d rounds in turn; %s", o.rounds, machine)}
	t.Add(report.Row{What: fmt.Sprintf("%d pods at once on a node until ready, %d policies and services in force", o.pods, inForce), Ours: report.Millis(a), Peer: report.Millis(b),
		Ratio: ratio, Target: fmt.Sprintf("<= %.2f", mostOfPeer), Met: ratio <= mostOfPeer})
	return t.Write(out)
}

// start makes a lab of n hosts with pods on a network.
func start(ctx context.Context, o options, network string, hosts int, errOut io.Writer) (*cluster, error) {
	p := lab.Plan{Name: "bench-" + network, Dir: lab.DefaultDir, Hosts: hosts, Masters: 1, Store: lab.StoreEmbedded, Bin: o.bin,
		Kubernetes: &lab.Kubernetes{Bin: o.kubernetes, Network: network, Proxy: network == kube.NetworkBridge}}
	if network == kube.NetworkContiv {
		p.Master = []string{"--pod-subnets", "10.40.0.0/16,fd40::/64"}
	}
	l, err := lab.New(p, filepath.Join(o.bin, lab.Program), errOut)
	if err != nil {
		return nil, err
	}
	c := &cluster{lab: l, network: network}
	if err := l.Up(ctx); err != nil {
		return c, err
	}
	return c, c.fill(ctx)
}
