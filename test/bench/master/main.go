// Master measures netmaster: endpoints created through REST against bare etcd transactions, on the same etcd with fsync
// and in the same run, and how soon a write is accepted after the leader's end. All listen on loopback.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
)

func main() {
	bin := flag.String("bin", "bin", "folder of netmaster")
	n := flag.Int("n", 1000, "endpoints a round and number of clients")
	rounds := flag.Int("rounds", 3, "rounds, ours and the peer in turn")
	kills := flag.Int("kills", 3, "how often the leader is killed")
	flag.Parse()
	if err := run(context.Background(), *bin, *n, *rounds, *kills); err != nil {
		fmt.Fprintln(os.Stderr, "bench master:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, bin string, n, rounds, kills int) error {
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
	creation, err := creations(ctx, dir, netmaster, n, rounds, log)
	if err != nil {
		return err
	}
	if err := creation.Write(os.Stdout); err != nil {
		return err
	}
	memory, err := reads(log)
	if err != nil {
		return err
	}
	if err := memory.Write(os.Stdout); err != nil {
		return err
	}
	full, err := inspections(ctx, dir, netmaster, log)
	if err != nil {
		return err
	}
	if err := full.Write(os.Stdout); err != nil {
		return err
	}
	made, err := networkCreations(ctx, dir, netmaster, filepath.Join(filepath.Dir(netmaster), "netctl"), log)
	if err != nil {
		return err
	}
	if err := made.Write(os.Stdout); err != nil {
		return err
	}
	over, err := failovers(ctx, dir, netmaster, kills, log)
	if err != nil {
		return err
	}
	return over.Write(os.Stdout)
}
