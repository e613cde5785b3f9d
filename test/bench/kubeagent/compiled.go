// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/contiv/contiv/daemon/agent/desired"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/pipeline"
	"github.com/contiv/contiv/test/bench/harness"
	"github.com/contiv/contiv/test/bench/report"
)

// compiler is a bridge without a switch: it compiles all owners at first, and then the changed ones.
type compiler struct {
	*pipeline.Pipeline
	state *ofnet.State
	told  chan compilation
}

// compilation is what came of an update: how long it took, and how many flows were compiled.
type compilation struct {
	took  time.Duration
	flows int
}

var _ desired.Bridge = (*compiler)(nil)

// Update compiles.
func (c *compiler) Update(_ uint64, change func(s *ofnet.State)) {
	began, before, out := time.Now(), c.state, compilation{}
	if before == nil {
		c.state = ofnet.NewState("")
		change(c.state)
		out.flows = len(c.CompileAll(c.state).Flows)
	} else {
		c.state = before.Clone()
		change(c.state)
		owners := map[ofnet.Key]struct{}{}
		c.Affected(before, c.state, func(k ofnet.Key) { owners[k] = struct{}{} })
		for k := range owners {
			out.flows += len(c.Compile(c.state, k).Flows)
		}
	}
	out.took = time.Since(began)
	c.told <- out
}

// The rest of a bridge.
func (c *compiler) Rewind()                                         {}
func (c *compiler) Wait(context.Context, uint64) error              { return nil }
func (c *compiler) Owner(ofnet.Key) (s bridge.OwnerStatus, ok bool) { return s, false }
func (c *compiler) Outcome(context.Context, ofnet.Key) (s bridge.OwnerStatus, ok bool, err error) {
	return s, false, nil
}

// compiled measures everything from nothing, with the policies and without, in turn, and then changes one by one.
func compiled(ctx context.Context, tb *harness.Stand, t *report.Table, rounds int) {
	all, alone := newRecords(ctx, tb, amounts{pods: pods, policies: policies}), newRecords(ctx, tb, amounts{pods: pods})
	var whole, bare []time.Duration
	var held, bareHeld []int
	for range rounds {
		for r, to := range map[*records]struct {
			took *[]time.Duration
			held *[]int
		}{all: {&whole, &held}, alone: {&bare, &bareHeld}} {
			before := heap()
			c := &compiler{Pipeline: pipeline.Default(), told: make(chan compilation, 16)}
			e, stop := r.start(ctx, c)
			r.ready(ctx, e)
			*to.took = append(*to.took, (<-c.told).took)
			*to.held = append(*to.held, heap()-before)
			stop()
			runtime.KeepAlive(c)
		}
	}
	took, memory := report.Median(whole), report.Median(held)-report.Median(bareHeld)
	t.Add(report.Row{What: fmt.Sprintf("%d policies and %d pods, 100 of them here, from records to flows", policies, pods), Ours: report.Millis(took),
		Peer: report.Millis(report.Median(bare)) + " only the pods", Target: "<= " + report.Millis(mostCompiled), Met: took <= mostCompiled})
	t.Add(report.Row{What: "... memory that the policies take; that of the pods", Ours: mebibytes(memory), Peer: mebibytes(report.Median(bareHeld)),
		Target: "<= " + mebibytes(mostMemory), Met: memory <= mostMemory})
	c := &compiler{Pipeline: pipeline.Default(), told: make(chan compilation, 16)}
	e, stop := all.start(ctx, c)
	defer stop()
	all.ready(ctx, e)
	<-c.told
	one := func(what string, most time.Duration, change func(i int)) {
		var each []time.Duration
		flows := 0
		for i := range rounds * changes {
			change(i)
			did := <-c.told
			each, flows = append(each, did.took), max(flows, did.flows)
		}
		p50 := report.Median(each)
		t.Add(report.Row{What: fmt.Sprintf("%s, %d in turn, p50; flows compiled, at most: %d", what, len(each), flows), Ours: report.Millis(p50),
			Target: "<= " + report.Millis(most), Met: p50 <= most})
	}
	next := pods
	one("a pod elsewhere", mostPod, func(int) {
		for next++; all.HostOf(next) == 0; next++ {
		}
		all.pod(ctx, next)
	})
	one("a policy more, of all pods of a namespace", mostPolicy, func(i int) { all.broad(ctx, policies+i) })
}

// heap is how much memory is in use after a collection, in bytes.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func mebibytes(n int) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
