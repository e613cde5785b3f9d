// Recovery measures how agents come back after their store was away: an etcd process is killed and started again beneath clients
// that watch what agents watch. All listen on loopback.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/contiv/contiv/test/bench/report"
)

func main() {
	rounds := flag.String("rounds", "32:50000,64:50000,1000:1000", "`list` of agents:endpoints")
	data := flag.String("etcd", "", "be an etcd with its data in this folder until killed")
	client := flag.String("client", "", "URL of that etcd for clients")
	peer := flag.String("peer", "", "URL of that etcd for peers")
	flag.Parse()
	ctx := context.Background()
	if *data != "" {
		if err := serve(ctx, *data, *client, *peer); err != nil {
			fmt.Fprintln(os.Stderr, "bench recovery: etcd:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(ctx, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "bench recovery:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, text string) error {
	rounds, err := parse(text)
	if err != nil {
		return err
	}
	t := &report.Table{Title: "etcd killed and started: until all agents are back"}
	for _, r := range rounds {
		f, err := measure(ctx, r)
		if err != nil {
			return fmt.Errorf("%d agents, %d endpoints: %w", r.agents, r.endpoints, err)
		}
		f.rows(r, t)
	}
	return t.Write(os.Stdout)
}
