// SPDX-License-Identifier: Apache-2.0

// Console measures contiv console on a large cluster: 1,000 agents, 1,000 networks and 50,000 endpoints, made up, but
// served over the real routes in a process of its own and read through the real client.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/test/bench/report"
)

func main() {
	bin := flag.String("bin", "bin/contiv", "the program that is measured")
	serve := flag.Bool("serve", false, "serve the made-up cluster, print its URL and stay (the measurement starts this itself)")
	churn := flag.Int("churn", 20, "endpoints that change every second while frames are measured, or with -serve")
	frames := flag.Int("frames", 300, "frames a page")
	idle := flag.Duration("idle", 30*time.Second, "for how long the CPU time of an idle console is measured")
	only := flag.Bool("visible", false, "measure nothing but how long a change takes to be on the screen")
	far := flag.Bool("far", false, "measure nothing but how long a key takes to be on the screen, with a netmaster behind a slow link")
	size := sizes{}
	flag.IntVar(&size.hosts, "hosts", 1000, "agents")
	flag.IntVar(&size.networks, "networks", 1000, "networks")
	flag.IntVar(&size.endpoints, "endpoints", 50000, "endpoints")
	flag.IntVar(&size.rules, "rules", 0, "rules besides the two of each tenant, which every agent has")
	flag.Parse()
	var err error
	if *serve {
		err = newCluster(size).serve(os.Stdout, *churn)
	} else if *only {
		t := &report.Table{Title: "Console: changes"}
		if err = visible(context.Background(), t, *bin); err == nil {
			err = t.Write(os.Stdout)
		}
	} else if *far {
		err = runFar(context.Background(), *bin, size)
	} else {
		err = run(context.Background(), *bin, size, *churn, *frames, *idle)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench console:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, bin string, size sizes, churn, frames int, idle time.Duration) error {
	ctx, cancel := context.WithCancel(ctx)
	var clusters sync.WaitGroup
	defer clusters.Wait() // so that none outlives this program
	defer cancel()
	t := &report.Table{Title: fmt.Sprintf("Console: %d agents, %d networks, %d endpoints", size.hosts, size.networks, size.endpoints)}
	calm, err := start(ctx, &clusters, size, 0)
	if err != nil {
		return err
	}
	if err := process(ctx, t, bin, calm, size, idle); err != nil {
		return err
	}
	if err := keys(ctx, t, bin, calm, size); err != nil {
		return err
	}
	if err := visible(ctx, t, bin); err != nil {
		return err
	}
	busy, err := start(ctx, &clusters, size, churn)
	if err != nil {
		return err
	}
	if err := pages(ctx, t, busy, size, frames, views()); err != nil {
		return err
	}
	ruled := sizes{hosts: 10, networks: 100, endpoints: 1000, rules: 10000}
	if busy, err = start(ctx, &clusters, ruled, churn); err != nil {
		return err
	}
	if err := pages(ctx, t, busy, ruled, frames, ruleViews()); err != nil {
		return err
	}
	return t.Write(os.Stdout)
}

// runFar measures only keys with a slow link.
func runFar(ctx context.Context, bin string, size sizes) error {
	ctx, cancel := context.WithCancel(ctx)
	var clusters sync.WaitGroup
	defer clusters.Wait()
	defer cancel()
	t := &report.Table{Title: "Console: a slow link"}
	calm, err := start(ctx, &clusters, size, 0)
	if err != nil {
		return err
	}
	if err := keys(ctx, t, bin, calm, size); err != nil {
		return err
	}
	return t.Write(os.Stdout)
}

// start runs this program once more, as the cluster, until ctx ends, and returns the URL of its netmaster.
func start(ctx context.Context, clusters *sync.WaitGroup, size sizes, churn int) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, self, "-serve", fmt.Sprint("-churn=", churn), fmt.Sprint("-hosts=", size.hosts),
		fmt.Sprint("-networks=", size.networks), fmt.Sprint("-endpoints=", size.endpoints), fmt.Sprint("-rules=", size.rules))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	clusters.Go(func() { <-ctx.Done(); _ = cmd.Wait() })
	url, err := bufio.NewReader(out).ReadString('\n')
	return strings.TrimSpace(url), err
}

// listen opens a port on loopback and returns it.
func listen(out io.Writer) (net.Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(out, "http://%s\n", l.Addr())
	return l, err
}
