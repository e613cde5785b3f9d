// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"
)

const (
	rounds   = 3  // of sandboxes that come at once
	each     = 6  // sandboxes of each of those who ask at once
	together = 50 // sandboxes of the burst
)

// bench is one run on the lab's host.
type bench struct {
	options
	ours, peer *plugin
	table      table
	serial     int
}

// measureAll runs everything and prints the table.
func measureAll(ctx context.Context, o options, out, _ io.Writer) error {
	dir, remove, err := stateDir()
	if err != nil {
		return err
	}
	defer remove()
	// The peer works in a namespace of its own: the link events of its bridge would cost ovs-vswitchd time.
	if _, err := sandboxes(ctx, "peerhost", 1); err != nil {
		return err
	}
	b := &bench{options: o}
	if b.ours, err = newPlugin("ours", o.bin, dir, "", `{"type":"contivk8s","network":"bench"}`); err != nil {
		return err
	}
	config := fmt.Sprintf(`{"type":"bridge","bridge":"cnibench0","isDefaultGateway":true,
		"ipam":{"type":"host-local","subnet":"10.77.0.0/16","dataDir":%q}}`, filepath.Join(dir, "ipam"))
	if b.peer, err = newPlugin("peer", o.peers, dir, netnsDir+"peerhost0", config); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{b.oneAtATime, b.atOnce, b.burst} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return b.table.print(out)
}

// within makes n fresh sandboxes, calls do with their names, and removes them: what is left over slows what is measured next.
func (b *bench) within(ctx context.Context, n int, do func(names []string) error) (err error) {
	b.serial++
	names, err := sandboxes(ctx, fmt.Sprintf("s%d-", b.serial), n)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeSandboxes(context.WithoutCancel(ctx), names)) }()
	return do(names)
}

// oneAtATime adds and then deletes n sandboxes by each plugin, in turn.
func (b *bench) oneAtATime(ctx context.Context) error {
	return b.within(ctx, 2*b.n, func(names []string) error {
		return b.inTurn(ctx, [2][]string{names[:b.n], names[b.n:]})
	})
}

// inTurn adds and then deletes the sandboxes of each plugin, one at a time.
func (b *bench) inTurn(ctx context.Context, names [2][]string) error {
	both := []*plugin{b.ours, b.peer}
	var add, del [2]times
	for _, pass := range []struct {
		do func(*plugin, context.Context, string) (time.Duration, error)
		to *[2]times
	}{{(*plugin).add, &add}, {(*plugin).del, &del}} {
		for k := range b.n {
			for i, p := range both {
				took, err := pass.do(p, ctx, names[i][k])
				if err != nil {
					return fmt.Errorf("%s: %w", p.name, err)
				}
				pass.to[i] = append(pass.to[i], took)
			}
		}
	}
	b.table.addTimes("ADD, one at a time", add[0], add[1], "<= 0.9")
	b.table.addTimes("DEL, one at a time", del[0], del[1], "<= 0.35")
	return nil
}

// atOnce has par callers add sandboxes, by each plugin in turn, and compares the rates.
func (b *bench) atOnce(ctx context.Context) error {
	var took [2]times
	var elapsed [2]time.Duration
	for range rounds {
		for i, p := range []*plugin{b.ours, b.peer} {
			err := b.within(ctx, b.par*each, func(names []string) error {
				begin := time.Now()
				all, err := addAll(ctx, p, names, b.par)
				if err != nil {
					return err
				}
				elapsed[i] += time.Since(begin)
				took[i] = append(took[i], all...)
				return delAll(ctx, p, names)
			})
			if err != nil {
				return err
			}
		}
	}
	b.table.addTimes(fmt.Sprintf("ADD, %d at once", b.par), took[0], took[1], "")
	b.table.addRates(fmt.Sprintf("ADD/s, %d at once", b.par), len(took[0]), elapsed[0], elapsed[1], ">= 1.5")
	return nil
}

// addAll adds all sandboxes, workers at once.
func addAll(ctx context.Context, p *plugin, names []string, workers int) (times, error) {
	todo := make(chan string, len(names))
	for _, n := range names {
		todo <- n
	}
	close(todo)
	var mu sync.Mutex
	var all times
	var failed error
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for name := range todo {
				took, err := p.add(ctx, name)
				mu.Lock()
				if all = append(all, took); err != nil && failed == nil {
					failed = fmt.Errorf("%s: %w", p.name, err)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return all, failed
}

// delAll deletes all sandboxes, one at a time.
func delAll(ctx context.Context, p *plugin, names []string) error {
	for _, name := range names {
		if _, err := p.del(ctx, name); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// burst adds 50 sandboxes together on a switch that has many ports, and takes what that costs ovs-vswitchd.
func (b *bench) burst(ctx context.Context) error {
	if b.ports == 0 {
		return nil
	}
	sw, err := findSwitch()
	if err != nil {
		return err
	}
	if err := fill(ctx, b.ports); err != nil {
		return err
	}
	return b.within(ctx, together, func(names []string) error {
		if err := sw.idle(ctx); err != nil {
			return err
		}
		before, err := sw.cpu()
		if err != nil {
			return err
		}
		took, err := addAll(ctx, b.ours, names, together)
		if err != nil {
			return err
		}
		after, err := sw.cpu()
		if err != nil {
			return err
		}
		b.table.addTimes(fmt.Sprintf("ADD, %d together, %d ports", together, b.ports), took, nil, "")
		b.table.addCost("ovs-vswitchd CPU ms/ADD of these", (after-before)/together, "<= 8 ms")
		return delAll(ctx, b.ours, names)
	})
}
