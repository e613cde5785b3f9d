// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/contiv/contiv/daemon/agent/checkpoint"
	"github.com/contiv/contiv/daemon/agent/desired"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/openflow"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// engine compiles what an agent receives, as a real one does, for a switch that accepts everything and keeps nothing.
type engine struct {
	*bridge.Reconciler
	records *desired.Engine
	source  desired.Source
}

// engine runs the i-th host's engine until ctx ends. It continues from the state of the previous one.
func (w *world) engine(ctx context.Context, i int, a *agent, from *channel.Client) {
	quiet := slog.New(slog.DiscardHandler)
	file, saved, err := checkpoint.Open(filepath.Join(w.dir, a.label+".records"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench scale:", err)
		return
	}
	defer file.Close()
	forward := bridge.NewReconciler(a.label, pipeline.Default(), taker{}, bridge.Options{Resync: time.Hour})
	e := &engine{forward, desired.New(desired.Options{Bridge: forward, Self: ofnet.Host{Label: a.label, VTEP: vtepOf(i)}, Fixed: ofnet.Ports{Tunnel: 1000, Host: 1002}, Log: quiet}),
		&checkpoint.Source{Follower: heard{from, a}, File: file, Saved: saved, Grace: timeout, Log: quiet}}
	a.use(e)
	e.run(ctx)
}

// run works until ctx ends; the endpoints of the host get ports when they are known.
func (e *engine) run(ctx context.Context) {
	go func() { _ = e.Reconciler.Run(ctx) }()
	go func() {
		select {
		case <-e.records.Ready():
		case <-ctx.Done():
			return
		}
		for i, one := range e.records.Local() {
			e.records.SetPort(one.ID.String(), uint32(i+1))
		}
	}()
	_ = e.records.Run(ctx, desired.Following{Source: e.source})
}

// A Follower whose batches an agent counts.
type heard struct {
	*channel.Client
	by *agent
}

func (h heard) Follow(ctx context.Context) iter.Seq2[channel.Batch, error] {
	return func(yield func(channel.Batch, error) bool) {
		for b, err := range h.Client.Follow(ctx) {
			h.by.take(&b, err)
			if !yield(b, err) {
				return
			}
		}
	}
}

// taker is a switch that accepts everything.
type taker struct{}

func (taker) Connect(context.Context) (bridge.Switch, error) { return taken{make(chan struct{})}, nil }

type taken struct{ done chan struct{} }

func (taken) Apply(context.Context, *flow.Delta) error { return nil }

func (taken) Stream(_ context.Context, pieces iter.Seq[*flow.Delta]) error {
	for range pieces {
	}
	return nil
}

func (t taken) Fill(ctx context.Context, pieces iter.Seq[*flow.Delta]) error {
	return t.Stream(ctx, pieces)
}

func (taken) Forget(context.Context, []flow.Connections) error { return nil }

func (taken) Dump(context.Context, flow.Share) (flow.Set, error) { return flow.Set{}, nil }

func (taken) Stats(context.Context, openflow.FlowFilter) ([]openflow.FlowStats, error) {
	return nil, nil
}

// Filled fails, so that no one misses the flows that were dropped.
func (taken) Filled(context.Context) (map[flow.TableID]int, error) {
	return nil, errors.New("a switch that takes everything counts nothing")
}

func (taken) Watch(context.Context) (<-chan struct{}, error) { return nil, nil }

func (taken) Ports(context.Context) ([]bridge.Port, error) { return nil, nil }

func (taken) Silent() time.Duration { return 0 }

func (t taken) Done() <-chan struct{} { return t.done }

func (t taken) Close() error {
	close(t.done)
	return nil
}
