// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/contiv/contiv/daemon/agent/desired"
	"github.com/contiv/contiv/daemon/resources"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/openflow"
	"github.com/contiv/contiv/ofnet/ovstest"
	"github.com/contiv/contiv/ofnet/pipeline"
	"github.com/contiv/contiv/test/bench/harness"
	"github.com/contiv/contiv/test/bench/loadgen"
	"github.com/contiv/contiv/test/bench/report"
)

// brName is the bridge that is programmed.
const brName = "br0"

// filling is what filling a switch took, up to the barrier, and how much processor time of the agent and of the switch.
type filling struct{ took, agent, ovs []time.Duration }

// since adds what was used since a moment, with what had been used then.
func (f *filling) since(tb *harness.Stand, began time.Time, agent, ovs time.Duration, pid int) {
	f.took = append(f.took, time.Since(began))
	f.agent, f.ovs = append(f.agent, used(tb, os.Getpid())-agent), append(f.ovs, used(tb, pid)-ovs)
}

// row is the filling in a report, against a limit.
func (f *filling) row(what, peer string, most time.Duration) report.Row {
	took := report.Median(f.took)
	out := report.Row{What: what + "; processor time of agent and switch " + report.Millis(report.Median(f.agent)) + ", " + report.Millis(report.Median(f.ovs)),
		Ours: report.Millis(took), Peer: peer, Target: "-", Met: true}
	if most > 0 {
		out.Target, out.Met = "<= "+report.Millis(most), took <= most
	}
	return out
}

func used(tb *harness.Stand, pid int) time.Duration {
	cpu, err := harness.CPU(pid)
	if err != nil {
		tb.Fatal(err)
	}
	return cpu
}

// onSwitch fills an empty switch with what records say, which it notes, and has do change it.
func (r *records) onSwitch(ctx context.Context, ovs *ovstest.OVS, note *filling, do func(e *desired.Engine, past func(store.Revision))) {
	ovs.Ofctl("del-flows", brName)
	ovs.Ofctl("del-groups", brName)
	running, stop := context.WithCancel(ctx)
	runtime.GC() // what was before is not this one's cost
	began, agent, before := time.Now(), used(r.tb, os.Getpid()), used(r.tb, ovs.SwitchPID())
	b := bridge.NewReconciler(loadgen.Host(0), pipeline.Default(), bridge.NewOpenFlow(ovs.Mgmt(brName), openflow.Options{}), bridge.Options{})
	done := make(chan error, 1)
	go func() { done <- b.Run(running) }()
	e, end := r.start(ctx, b)
	past := func(rev store.Revision) {
		if err := b.Wait(ctx, uint64(rev)); err != nil {
			r.tb.Fatal(err)
		}
	}
	r.ready(ctx, e)
	rev, _ := e.Seen()
	past(store.Revision(rev))
	note.since(r.tb, began, agent, before, ovs.SwitchPID())
	if do != nil { // as in an agent that has its first flows
		go resources.Garbage(running, nil)
		_ = resources.Slack(resources.AgentSlack) // needs a right, and is no reason to end
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(resources.Processors(runtime.GOMAXPROCS(0), os.Getenv("GOMAXPROCS"))))
		do(e, past)
	}
	end()
	stop()
	if err := <-done; err != nil {
		r.tb.Fatal(err)
	}
}

// timed is how long changes take, one by one, until past the barrier.
func timed(n int, past func(store.Revision), change func(i int) store.Revision) (each []time.Duration) {
	for i := range n {
		began := time.Now()
		past(change(i))
		each = append(each, time.Since(began))
	}
	return each
}

// policiesOnSwitch measures policies on a switch.
func policiesOnSwitch(ctx context.Context, tb *harness.Stand, t *report.Table, rounds int) {
	ovs := ovstest.Start(tb)
	ovs.Bridge(brName)
	var whole filling
	var pod, policy []time.Duration
	for range rounds {
		r := newRecords(ctx, tb, amounts{pods: pods, policies: policies})
		r.onSwitch(ctx, ovs, &whole, func(_ *desired.Engine, past func(store.Revision)) {
			next := pods
			pod = append(pod, timed(changes, past, func(int) store.Revision {
				for next++; r.HostOf(next) == 0; next++ {
				}
				return r.pod(ctx, next)
			})...)
			policy = append(policy, timed(changes, past, func(i int) store.Revision { return r.broad(ctx, policies+i) })...)
		})
	}
	t.Add(whole.row(fmt.Sprintf("%d policies and %d pods, 100 of them here, from records until past the barrier of an empty switch", policies, pods), "", 0))
	for what, each := range map[string][]time.Duration{"a pod elsewhere": pod, "a policy more, of all pods of a namespace": policy} {
		t.Add(report.Row{What: what + ", until past the barrier, p50; p99 " + report.Millis(report.Percentile(each, 99)), Ours: report.Millis(report.Median(each)), Target: "-", Met: true})
	}
}

// servicesOnSwitch measures services on a switch.
func servicesOnSwitch(ctx context.Context, tb *harness.Stand, t *report.Table, rounds int) {
	ovs := ovstest.Start(tb)
	ovs.Bridge(brName)
	var whole, bare filling
	var each []time.Duration
	for range rounds {
		r := newRecords(ctx, tb, amounts{pods: pods, services: services})
		r.onSwitch(ctx, ovs, &whole, func(_ *desired.Engine, past func(store.Revision)) {
			each = append(each, timed(changes, past, func(i int) store.Revision { return r.slice(ctx, i, loadgen.Backends*i+1) })...)
		})
		newRecords(ctx, tb, amounts{pods: pods}).onSwitch(ctx, ovs, &bare, nil)
	}
	alone := report.Millis(report.Median(bare.took)) + " only the pods"
	t.Add(whole.row(fmt.Sprintf("%d services of %d backends, and %d pods, from records until past the barrier of an empty switch", services, loadgen.Backends, pods), alone, mostServices))
	t.Add(report.Row{What: "a slice changed, until past the barrier, p50; p99 " + report.Millis(report.Percentile(each, 99)), Ours: report.Millis(report.Median(each)), Target: "-", Met: true})
}
