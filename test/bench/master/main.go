// SPDX-License-Identifier: Apache-2.0

// Master measures netmaster: endpoints and networks created through REST against bare etcd transactions, on the same etcd with fsync, in
// netmaster and as a process of its own, in the same run, how soon a write is accepted after the leader's end, and netctl's list of
// endpoints. All listen on loopback.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/contiv/contiv/test/bench/report"
)

func main() {
	bin := flag.String("bin", "bin", "directory of netmaster")
	n := flag.Int("n", 1000, "endpoints a round and number of clients")
	rounds := flag.Int("rounds", 3, "rounds, ours and the peer in turn")
	kills := flag.Int("kills", 3, "how often the leader is killed")
	only := flag.String("only", "", "measure only this part: endpoints, tls, lists, inspection, netctl, networks, kubernetes or failover; with -than inside or beside")
	than := flag.String("than", "", "`list` of other builds of netmaster, separated by colons: compare these with the one in bin, and nothing else")
	data := flag.String("etcd", "", "be an etcd with its data in this directory until the input ends")
	flag.Parse()
	if *data != "" {
		if err := serve(context.Background(), *data, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "bench master: etcd:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(context.Background(), *bin, *only, filepath.SplitList(*than), *n, *rounds, *kills); err != nil {
		fmt.Fprintln(os.Stderr, "bench master:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, bin, only string, than []string, n, rounds, kills int) error {
	dir, err := os.MkdirTemp("", "contiv-bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	log := slog.New(slog.DiscardHandler)
	netmaster, err := filepath.Abs(filepath.Join(bin, "netmaster"))
	if err != nil {
		return err
	}
	netctl := filepath.Join(filepath.Dir(netmaster), "netctl")
	type part struct {
		name    string
		measure func(dir string) (*report.Table, error)
	}
	parts := []part{
		{"endpoints", func(dir string) (*report.Table, error) { return creations(ctx, dir, netmaster, inside, n, rounds) }},
		{"endpoints", func(dir string) (*report.Table, error) { return creations(ctx, dir, netmaster, beside, n, rounds) }},
		{"tls", func(dir string) (*report.Table, error) { return secured(ctx, dir, netmaster, n, rounds) }},
		{"lists", func(string) (*report.Table, error) { return reads(log) }},
		{"inspection", func(dir string) (*report.Table, error) { return inspections(ctx, dir, netmaster) }},
		{"netctl", func(dir string) (*report.Table, error) { return listings(ctx, dir, netmaster, netctl) }},
		{"networks", func(dir string) (*report.Table, error) { return networkCreations(ctx, dir, netmaster, inside) }},
		{"networks", func(dir string) (*report.Table, error) { return networkCreations(ctx, dir, netmaster, beside) }},
		{"kubernetes", func(dir string) (*report.Table, error) { return kubernetesStarts(ctx, dir, netmaster, rounds) }},
		{"failover", func(dir string) (*report.Table, error) { return failovers(ctx, dir, netmaster, kills) }},
	}
	if len(than) > 0 {
		builds := append([]string{netmaster}, than...)
		parts = []part{
			{"inside", func(dir string) (*report.Table, error) { return versus(ctx, dir, builds, inside) }},
			{"beside", func(dir string) (*report.Table, error) { return versus(ctx, dir, builds, beside) }},
		}
	}
	measured := false
	for _, part := range parts {
		if only != "" && only != part.name {
			continue
		}
		measured = true
		own, err := os.MkdirTemp(dir, part.name)
		if err != nil {
			return err
		}
		table, err := part.measure(own)
		if err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		if err := table.Write(os.Stdout); err != nil {
			return err
		}
	}
	if !measured {
		return fmt.Errorf("-only %s: there is no such part, see -help", only)
	}
	return nil
}
