// SPDX-License-Identifier: Apache-2.0

// Path measures the whole path of a wish, from a request to netmaster until it is past the barriers of the switches, and what packets
// notice when a part of the system is restarted. It runs on a lab of two hosts of its own, one netmaster with an etcd in it, which it
// removes. It needs root, Open vSwitch and the programs that "make build" leaves in bin.
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
	"syscall"
	"time"

	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/test/bench/harness"
	"github.com/contiv/contiv/test/bench/report"
)

// runTimeout bounds a run generously; what is made is removed also then.
const runTimeout = 10 * time.Minute

// The promises.
const (
	mostRule = 5 * time.Millisecond   // one rule, p50
	mostMany = 500 * time.Millisecond // manyRules
	mostGap  = 400 * time.Millisecond // of ovs-vswitchd
)

// manyRules is how many rules are posted together.
const manyRules = 300

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	bin := flag.String("bin", "bin", "`directory` of contiv, netmaster, netplugin and contivk8s")
	rules := flag.Int("rules", 150, "`number` of rules posted one by one")
	rounds := flag.Int("rounds", 5, "restarts of each part")
	only := flag.String("only", "", "measure only this part: rules or kubernetes")
	kubernetesRounds := flag.Int("kubernetes-rounds", 9, "objects of Kubernetes of each kind")
	kubernetesBin := flag.String("kubernetes-bin", newest(".cache/kubernetes/v*"), "`directory` with Kubernetes' programs, for kube-proxy")
	flag.Parse()
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	err := error(nil)
	if *only != "kubernetes" {
		err = run(ctx, *bin, *rules, *rounds, os.Stdout, os.Stderr)
	}
	if *only != "rules" && err == nil {
		err = runKubernetes(ctx, *bin, *kubernetesBin, *kubernetesRounds, os.Stdout, os.Stderr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench path:", err)
		os.Exit(1)
	}
}

// run measures a rule on one host, as who sets one waits for it, and on two, then the restarts of the latter.
func run(ctx context.Context, bin string, rules, rounds int, out, errOut io.Writer) error {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return err
	}
	if err := measure(ctx, bin, 1, rules, 0, out, errOut); err != nil {
		return err
	}
	return measure(ctx, bin, 2, rules, rounds, out, errOut)
}

// runKubernetes measures what comes from Kubernetes.
func runKubernetes(ctx context.Context, bin, kubernetesBin string, rounds int, out, errOut io.Writer) error {
	bin, err := filepath.Abs(bin)
	if err == nil && kubernetesBin != "" {
		kubernetesBin, err = filepath.Abs(kubernetesBin)
	}
	if err != nil {
		return err
	}
	return measureKubernetes(ctx, bin, kubernetesBin, rounds, out, errOut)
}

// newest is the last of the files that a pattern finds, "" of none.
func newest(pattern string) string {
	all, _ := filepath.Glob(pattern) // only a malformed pattern is an error
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// measure measures a lab of n hosts.
func measure(ctx context.Context, bin string, hosts, rules, rounds int, out, errOut io.Writer) (err error) {
	l, err := lab.New(lab.Plan{Name: "bench-path", Dir: lab.DefaultDir, Hosts: hosts, Masters: 1, Store: lab.StoreEmbedded, Bin: bin},
		filepath.Join(bin, lab.Program), errOut)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Down(context.WithoutCancel(ctx))) }()
	if err := l.Up(ctx); err != nil {
		return err
	}
	s, err := newSite(l)
	if err != nil {
		return err
	}
	var without share
	if rounds > 0 {
		if without, err = s.resting(ctx); err != nil {
			return err
		}
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	t, machine := &report.Table{}, harness.NewMachine()
	if rounds > 0 {
		if err := s.probes(ctx, t, without); err != nil {
			return err
		}
	}
	if err := s.rules(ctx, t, rules); err != nil {
		return err
	}
	if rounds > 0 {
		if err := s.restarts(ctx, t, rounds); err != nil {
			return err
		}
	}
	t.Title = fmt.Sprintf("the whole path: one netmaster with its etcd, agents and switches of %d hosts; %s", hosts, machine)
	return t.Write(out)
}
