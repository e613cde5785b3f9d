// SPDX-License-Identifier: Apache-2.0

// Command docker measures docker run and docker rm on a network of ours beside a bridge network of the same engine, in turn, on a lab of
// its own, which it removes. It needs root, Open vSwitch, dockerd and the programs that "make build" leaves in bin.
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
	"strings"
	"syscall"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/lab"
)

// runTimeout bounds a run with the default flags generously; what is made is removed also then.
const runTimeout = 10 * time.Minute

// host has the engine; engine, networks and containers are its own.
const host = "h1"

type options struct {
	n      int    // containers one at a time, of each network
	par    int    // containers at once
	memory int    // containers of the memory measurement; 0: not measured
	bin    string // directory of this project's programs
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	var o options
	f := flag.NewFlagSet("docker", flag.ContinueOnError)
	f.SetOutput(errOut)
	f.IntVar(&o.n, "n", 15, "`number` of containers of each network that are run and removed one at a time")
	f.IntVar(&o.par, "par", 20, "`number` of containers that are run at once")
	f.IntVar(&o.memory, "memory", 200, "`number` of containers for the measurement of the agent's memory; 0: not measured")
	f.StringVar(&o.bin, "bin", "bin", "`directory` of contiv, netmaster and netplugin")
	if err := f.Parse(args); err != nil {
		return 2
	}
	if _, err := exec.LookPath("dockerd"); err != nil {
		fmt.Fprintln(out, "\nDocker: not measured, dockerd is not installed (apt-get install docker.io)")
		return 0
	}
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	if err := measure(ctx, o, out, errOut); err != nil {
		fmt.Fprintln(errOut, "docker:", err)
		return 1
	}
	return 0
}

// measure makes the lab, measures and removes it.
func measure(ctx context.Context, o options, out, errOut io.Writer) (err error) {
	if o.n < 1 || o.par < 1 || o.memory < 0 {
		return errors.New("-n and -par count from 1, -memory from 0")
	}
	if o.bin, err = filepath.Abs(o.bin); err != nil {
		return err
	}
	l, err := lab.New(lab.Plan{Name: "bench-docker", Dir: lab.DefaultDir, Hosts: 1, Masters: 1, Store: lab.StoreEmbedded, Bin: o.bin, Docker: true},
		filepath.Join(o.bin, lab.Program), errOut)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Down(context.WithoutCancel(ctx))) }()
	if err := l.Up(ctx); err != nil {
		return err
	}
	b := &bench{options: o, lab: l}
	if err := b.networks(ctx); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{b.oneAtATime, b.atOnce, b.memoryOf} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return b.table.Write(out)
}

// networks makes ours, which the agent gives to its engine, and the peer.
func (b *bench) networks(ctx context.Context) error {
	api, err := b.lab.Client()
	if err != nil {
		return err
	}
	_, err = api.Networks().Put(ctx, &model.Network{TenantName: "default", NetworkName: ours, Encap: "vxlan", Subnet: "10.78.0.0/16", Gateway: "10.78.255.254"})
	if err != nil {
		return err
	}
	if _, err := b.docker(ctx, "network", "create", "-d", "bridge", "--subnet", "10.77.0.0/16", peer); err != nil {
		return err
	}
	for {
		out, err := b.docker(ctx, "network", "ls", "--format", "{{.Name}}")
		if err != nil {
			return err
		}
		if strings.Contains("\n"+out+"\n", "\n"+ours+"\n") {
			return nil
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("the engine has no network %s: %w", ours, ctx.Err())
		}
	}
}
