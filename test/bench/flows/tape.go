// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/openflow"
	"github.com/contiv/contiv/test/bench/harness"
)

// tape is a Connector that keeps what a reconciler sends, so that it can be sent once more by a program that has nothing else
// to do: what the switch and the machine take for themselves.
type tape struct {
	bridge.Connector
	fill []*flow.Delta // what came when the switch was empty
	each []*flow.Delta // the changes after it
}

func (t *tape) Connect(ctx context.Context) (bridge.Switch, error) {
	sw, err := t.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &taped{sw, t}, nil
}

// taped is a connection whose changes are kept.
type taped struct {
	bridge.Switch
	tape *tape
}

func (s *taped) Apply(ctx context.Context, d *flow.Delta) error {
	s.tape.each = append(s.tape.each, d)
	return s.Switch.Apply(ctx, d)
}

func (s *taped) Stream(ctx context.Context, pieces iter.Seq[*flow.Delta]) error {
	return s.Switch.Stream(ctx, s.tape.keep(pieces))
}

func (s *taped) Fill(ctx context.Context, pieces iter.Seq[*flow.Delta]) error {
	return s.Switch.Fill(ctx, s.tape.keep(pieces))
}

// keep is the pieces, which are kept as they pass.
func (t *tape) keep(pieces iter.Seq[*flow.Delta]) iter.Seq[*flow.Delta] {
	return func(yield func(*flow.Delta) bool) {
		for d := range pieces {
			t.fill = append(t.fill, d)
			if !yield(d) {
				return
			}
		}
	}
}

// filled marks the end of the switch's initial content: single changes until now are part of it.
func (t *tape) filled() { t.fill, t.each = append(t.fill, t.each...), nil }

// replay sends everything again to the switch, which must be empty, and returns how long each of the changes took until it was
// past the barrier.
func (t *tape) replay(tb *harness.Stand, mgmt string) (each []time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	sw, err := bridge.NewOpenFlow(mgmt, openflow.Options{}).Connect(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = sw.Close() }() // nothing is left to be sent
	if err := sw.Stream(ctx, slices.Values(t.fill)); err != nil {
		tb.Fatalf("replay: %v", err)
	}
	for _, d := range t.each {
		began := time.Now()
		if err := sw.Apply(ctx, d); err != nil {
			tb.Fatalf("replay: %v", err)
		}
		each = append(each, time.Since(began))
	}
	return each
}
