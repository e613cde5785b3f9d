// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/contiv/contiv/daemon/agent/observe"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/pipeline"
	"github.com/contiv/contiv/ofnet/vswitchd"
	"github.com/contiv/contiv/test/bench/harness"
)

// settles is how long observers take to have their flows in the switches, and to look for the first time.
const settles = 300 * time.Millisecond

// observe has connections observed on all hosts of the way, until what it returns is called.
func (c *course) observe(tb *harness.Stand) (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var observers, looking sync.WaitGroup
	for _, h := range c.hosts() {
		s := c.state(h, rulesMade)
		looking.Add(1)
		looked := sync.OnceFunc(looking.Done)
		o := observe.New(observe.Options{Host: h.label, Socket: h.Mgmt(brName), Pipeline: pipeline.Default(), View: func(fn func(*ofnet.State)) { fn(s) },
			Revision: func() uint64 { return 1 }, Called: func(string) string { return "" }, Rule: ofnet.Key.String, Datapath: h.Datapath,
			Control: func(ctx context.Context, command string, args ...string) (string, error) {
				if command == "dpctl/dump-conntrack" {
					defer looked()
				}
				return h.ask(ctx, command, args...)
			}, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
		observers.Go(func() {
			defer looked()
			if err := o.Run(ctx); err != nil {
				tb.Logf("observer of %s: %v", h.label, err)
			}
		})
	}
	looking.Wait() // the first look finds all connections that there have been, once in an agent's life
	time.Sleep(settles)
	return func() {
		cancel()
		observers.Wait()
	}
}

// ask runs a command of ovs-vswitchd.
func (h *host) ask(ctx context.Context, command string, args ...string) (string, error) {
	conn, err := vswitchd.Dial(ctx, filepath.Join(h.Dir, "vswitchd.ctl"))
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	return conn.Do(ctx, command, args...)
}
