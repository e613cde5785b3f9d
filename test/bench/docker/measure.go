// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/test/bench/report"
)

// Networks of the engine.
const (
	ours = "ours"
	peer = "peer"
)

// rounds is how often containers come at once on each network.
const rounds = 3

// bench is one run.
type bench struct {
	options
	lab    *lab.Lab
	serial int
	table  report.Table
}

// docker runs the docker command on the host and returns what it prints.
func (b *bench) docker(ctx context.Context, args ...string) (string, error) {
	cmd, err := b.lab.Command(ctx, host, append([]string{"docker"}, args...)...)
	if err != nil {
		return "", err
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("docker %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// start runs a container until it is started.
func (b *bench) start(ctx context.Context, network, name string) error {
	_, err := b.docker(ctx, "run", "-d", "--network", network, "--name", name, lab.Image)
	return err
}

func (b *bench) remove(ctx context.Context, names ...string) error {
	if len(names) == 0 {
		return nil
	}
	_, err := b.docker(ctx, append([]string{"rm", "-f"}, names...)...)
	return err
}

// names are fresh names of containers.
func (b *bench) names(n int) []string {
	out := make([]string, n)
	for i := range out {
		b.serial++
		out[i] = fmt.Sprintf("b%d", b.serial)
	}
	return out
}

// oneAtATime runs and removes containers of both networks in turn.
func (b *bench) oneAtATime(ctx context.Context) error {
	b.table.Title = "Docker: a network of ours and a bridge network of the same engine, in turn, medians"
	begun, ended := map[string][]time.Duration{}, map[string][]time.Duration{}
	for i := range b.n + 1 {
		for _, network := range []string{ours, peer} {
			name := b.names(1)[0]
			begin := time.Now()
			if err := b.start(ctx, network, name); err != nil {
				return err
			}
			took := time.Since(begin)
			begin = time.Now()
			if err := b.remove(ctx, name); err != nil {
				return err
			}
			if i > 0 { // the first one of each reads the image
				begun[network], ended[network] = append(begun[network], took), append(ended[network], time.Since(begin))
			}
		}
	}
	b.compare("docker run -d, until it is started", begun, 1.1)
	b.compare("docker rm -f", ended, 1.1)
	return nil
}

// compare adds a row of medians.
func (b *bench) compare(what string, took map[string][]time.Duration, limit float64) {
	a, p := report.Median(took[ours]), report.Median(took[peer])
	ratio := float64(a) / float64(p)
	b.table.Add(report.Row{What: what, Ours: report.Millis(a), Peer: report.Millis(p), Ratio: ratio, Target: fmt.Sprintf("<= %.1f", limit), Met: ratio <= limit})
}

// atOnce has as many clients as containers run them, on each network in turn.
func (b *bench) atOnce(ctx context.Context) error {
	took := map[string][]time.Duration{}
	for range rounds {
		for _, network := range []string{ours, peer} {
			names := b.names(b.par)
			begin := time.Now()
			if err := b.startAll(ctx, network, names, b.par); err != nil {
				return err
			}
			took[network] = append(took[network], time.Since(begin))
			if err := b.remove(ctx, names...); err != nil {
				return err
			}
		}
	}
	b.compare(fmt.Sprintf("docker run -d of %d at once, until the last is started", b.par), took, 1.1)
	return nil
}

// startAll starts containers, workers at once.
func (b *bench) startAll(ctx context.Context, network string, names []string, workers int) error {
	todo := make(chan string, len(names))
	for _, n := range names {
		todo <- n
	}
	close(todo)
	errs := make([]error, workers)
	var wait sync.WaitGroup
	for i := range workers {
		wait.Go(func() {
			for name := range todo {
				errs[i] = errors.Join(errs[i], b.start(ctx, network, name))
			}
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

// memoryOf reports what the agent's memory grows by for many containers. The peer has no agent.
func (b *bench) memoryOf(ctx context.Context) error {
	if b.memory == 0 {
		return nil
	}
	before, err := b.resident(ctx)
	if err != nil {
		return err
	}
	names := b.names(b.memory)
	if err := b.startAll(ctx, ours, names, 4); err != nil {
		return err
	}
	after, err := b.resident(ctx)
	if err != nil {
		return err
	}
	b.table.Add(report.Row{What: fmt.Sprintf("resident memory of the agent, without and with %d containers", b.memory),
		Ours: fmt.Sprintf("%d MB, %d MB", before>>20, after>>20), Met: true})
	return b.remove(ctx, names...)
}
