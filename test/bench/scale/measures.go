// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/test/bench/harness"
	"github.com/contiv/contiv/test/bench/report"
)

// starts measures a simultaneous start of all agents, until each is admitted and has its host's records.
func (w *world) starts(ctx context.Context, t *report.Table) error {
	w.ctx, w.stop = context.WithCancel(ctx)
	for range thirds {
		w.wires = append(w.wires, newWire())
	}
	begin := time.Now()
	for i := range w.size.agents {
		a := newAgent(i, w.wires[i%thirds])
		w.agents = append(w.agents, a)
		w.start(w.ctx, i, a)
	}
	err := w.all(func(a *agent) bool { return a.known > 0 && a.admitted })
	took := time.Since(begin)
	if err != nil {
		return fmt.Errorf("agents that start: %w", err)
	}
	known, failed := 0, 0
	for _, a := range w.agents {
		known, failed = known+a.known, failed+a.failed
	}
	w.point.Agents, w.point.Endpoints, w.point.Start = w.size.agents, w.endpoints, took.Seconds()
	t.Add(report.Row{What: "all agents start at once, until all are hosts and know what concerns them", Ours: seconds(took), Target: "30 s", Met: took <= 30*time.Second})
	t.Add(report.Row{What: "... requests that failed", Ours: fmt.Sprint(failed), Target: "0", Met: failed == 0, Must: true})
	t.Add(report.Row{What: "... records that each receives", Ours: fmt.Sprint(known / len(w.agents)), Target: "-", Met: true})
	t.Add(report.Row{What: "... received by all of them", Ours: megabytes(float64(w.bytes())), Target: "100 MB", Met: w.bytes() <= 100e6})
	return nil
}

// thirds is the number of wires.
const thirds = 3

// bytes returns the bytes that all agents have received so far.
func (w *world) bytes() (n int64) {
	for _, by := range w.wires {
		n += by.came.Load()
	}
	return n
}

// changes measures changes of endpoints until all agents that need them have them.
func (w *world) changes(ctx context.Context, t *report.Table) error {
	etcd, masters, err := w.spent()
	if err != nil {
		return err
	}
	type change struct {
		name     string
		endpoint int
		at       time.Time
	}
	var made []change
	tick := time.NewTicker(time.Second / time.Duration(w.rate))
	defer tick.Stop()
	begin := time.Now()
	for n := 1; time.Since(begin) < w.during; n++ {
		<-tick.C
		i := rand.IntN(w.endpoints)
		key, value, err := w.endpoint(i, n)
		if err != nil {
			return err
		}
		var tx store.Tx
		tx.Put(key, value)
		if _, err := w.db.Commit(ctx, &tx); err != nil {
			return err
		}
		made = append(made, change{fmt.Sprintf("app-%d-%d", i, n), i, time.Now()})
	}
	took := time.Since(begin)
	etcdAfter, mastersAfter, err := w.spent()
	if err != nil {
		return err
	}
	var late []time.Duration
	for _, c := range made {
		first := w.tenantOf(c.endpoint) * hostsOfTenant
		for host := first; host < min(first+hostsOfTenant, len(w.agents)); host++ {
			a := w.agents[host]
			if err := await(func() bool { _, ok := a.when(c.name); return ok }); err != nil {
				return fmt.Errorf("change %s does not come to h%d: %w", c.name, host, err)
			}
			at, _ := a.when(c.name)
			late = append(late, max(0, at.Sub(c.at)))
		}
	}
	foreign := 0
	for _, a := range w.agents {
		foreign += a.foreign
	}
	p99, half := report.Percentile(late, 99), report.Percentile(late, 50)
	t.Add(report.Row{What: fmt.Sprintf("a change, %.0f/s, from the store's answer to every agent that needs it: p99", float64(len(made))/took.Seconds()), Ours: report.Millis(p99), Target: "100 ms", Met: p99 <= 100*time.Millisecond})
	t.Add(report.Row{What: "... p50", Ours: report.Millis(half), Target: "-", Met: true})
	t.Add(report.Row{What: "... records received by agents that do not need them", Ours: fmt.Sprint(foreign), Target: "0", Met: foreign == 0, Must: true})
	each := (mastersAfter - masters) / time.Duration(len(w.masters))
	w.point.Change, w.point.StoreCPU, w.point.MasterCPU = p99.Seconds(), 100*(etcdAfter-etcd).Seconds()/took.Seconds(), 100*each.Seconds()/took.Seconds()
	share := func(d time.Duration) string {
		return fmt.Sprintf("%.0f %% of a core", 100*d.Seconds()/took.Seconds())
	}
	t.Add(report.Row{What: "... the store's processor time", Ours: share(etcdAfter - etcd), Target: "10 %", Met: etcdAfter-etcd <= took/10})
	t.Add(report.Row{What: "... a netmaster's", Ours: share(each), Target: "50 %", Met: each <= took/2})
	return nil
}

// spent returns the processor time of the store, and of all netmasters, so far.
func (w *world) spent() (etcd, masters time.Duration, err error) {
	if etcd, err = harness.CPU(w.etcd.cmd.Process.Pid); err != nil {
		return 0, 0, err
	}
	for _, m := range w.masters {
		one, err := harness.CPU(m.cmd.Process.Pid)
		if err != nil {
			return 0, 0, err
		}
		masters += one
	}
	return etcd, masters, nil
}

// masterKilled measures a netmaster, not the leader, that is killed, until all agents have a change made after.
func (w *world) masterKilled(ctx context.Context, t *report.Table) error {
	if len(w.masters) < 2 {
		return nil
	}
	leader, err := w.leader(ctx)
	if err != nil {
		return err
	}
	one := (leader + 1) % len(w.masters)
	fulls, begin := w.received(), time.Now()
	w.masters[one].end(syscall.SIGKILL)
	w.masters = slices.Delete(w.masters, one, one+1)
	took, err := w.mark(ctx, begin)
	if err != nil {
		return fmt.Errorf("a netmaster is killed: %w", err)
	}
	t.Add(report.Row{What: "a netmaster killed, until all agents know of a change made after", Ours: seconds(took), Target: "5 s", Met: took <= 5*time.Second})
	t.Add(report.Row{What: "... shards received as a whole", Ours: fmt.Sprint(w.received() - fulls), Target: "-", Met: true})
	return nil
}

// storeKilled measures a store that is killed and restarted.
func (w *world) storeKilled(ctx context.Context, t *report.Table) error {
	fulls := w.received()
	begin := time.Now()
	w.etcd.kill()
	if err := w.etcd.start(); err != nil {
		return err
	}
	if err := w.answer(ctx); err != nil {
		return err
	}
	answered := time.Since(begin)
	took, err := w.mark(ctx, begin)
	if err != nil {
		return fmt.Errorf("the store is killed: %w", err)
	}
	w.point.Store = took.Seconds()
	t.Add(report.Row{What: fmt.Sprintf("the store killed (its first answer after %s), until all agents know of a change made after", seconds(answered)), Ours: seconds(took), Target: "5 s", Met: took <= 5*time.Second})
	t.Add(report.Row{What: "... shards received as a whole", Ours: fmt.Sprint(w.received() - fulls), Target: "0", Met: w.received() == fulls})
	return nil
}

// received returns the number of shards received as a whole.
func (w *world) received() (n int) {
	for _, a := range w.agents {
		a.mu.Lock()
		n += a.fulls
		a.mu.Unlock()
	}
	return n
}

// mark makes a change that all hosts receive, and returns when the last one has it.
func (w *world) mark(ctx context.Context, since time.Time) (time.Duration, error) {
	name, err := w.say(ctx)
	if err != nil {
		return 0, err
	}
	return w.heard(name, since)
}

// say makes a change that all hosts receive.
func (w *world) say(ctx context.Context) (name string, err error) {
	w.marks++
	name = fmt.Sprintf("192.0.2.%d:1", w.marks)
	var tx store.Tx
	tx.Put(record.Services+"bench/"+name, []byte(`{"ServiceName":"bench","HostAddr":"`+name[:len(name)-2]+`","Port":1}`))
	_, err = w.db.Commit(ctx, &tx)
	return name, err
}

// The result is the time from since until the last host has a change.
func (w *world) heard(name string, since time.Time) (time.Duration, error) {
	if err := w.all(func(a *agent) bool { _, ok := a.heard[name]; return ok }); err != nil {
		return 0, err
	}
	var last time.Time
	for _, a := range w.agents {
		if at, _ := a.when(name); at.After(last) {
			last = at
		}
	}
	return last.Sub(since), nil
}

// rest measures the memory of the processes.
func (w *world) rest(_ context.Context, t *report.Table) error {
	etcd, err := resident(w.etcd.cmd.Process.Pid)
	if err != nil {
		return err
	}
	w.point.StoreMemory = etcd / 1e6
	t.Add(report.Row{What: "the store's memory", Ours: megabytes(etcd), Target: "300 MB", Met: etcd <= 300e6})
	for _, m := range w.masters {
		one, err := resident(m.cmd.Process.Pid)
		if err != nil {
			return err
		}
		w.point.MasterMemory = max(w.point.MasterMemory, one/1e6)
		t.Add(report.Row{What: "a netmaster's memory", Ours: megabytes(one), Target: "250 MiB", Met: one <= 250<<20})
	}
	return nil
}

// all waits until something is true of all agents; is is called under an agent's lock.
func (w *world) all(is func(*agent) bool) error {
	return await(func() bool {
		for _, a := range w.agents {
			if !a.is(is) {
				return false
			}
		}
		return true
	})
}
