// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net/http"
	"syscall"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/test/bench/report"
)

// leaderKilled measures a leader that is killed, until all agents have a change made after.
func (w *world) leaderKilled(ctx context.Context, t *report.Table) error {
	if len(w.masters) < 2 {
		return nil
	}
	leader, err := w.leader(ctx)
	if err != nil {
		return err
	}
	began, fulls := time.Now(), w.received()
	w.masters[leader].end(syscall.SIGKILL)
	w.masters = append(w.masters[:leader:leader], w.masters[leader+1:]...)
	if err := w.masters[0].takes(ctx, fmt.Sprint("led", leader)); err != nil {
		return err
	}
	led := time.Since(began)
	took, err := w.mark(ctx, began)
	if err != nil {
		return fmt.Errorf("the leader is killed: %w", err)
	}
	t.Add(report.Row{What: "the leader killed, until another takes changes", Ours: seconds(led), Target: "5 s", Met: led <= 5*time.Second})
	t.Add(report.Row{What: "... until all agents know of a change made after", Ours: seconds(took), Target: "5 s", Met: took <= 5*time.Second})
	t.Add(report.Row{What: "... shards received as a whole", Ours: fmt.Sprint(w.received() - fulls), Target: "0", Met: w.received() == fulls})
	return nil
}

// leader returns the index of the leading netmaster.
func (w *world) leader(ctx context.Context) (int, error) {
	for i, m := range w.masters {
		nodes, err := (&client.Client{Base: m.url, HTTP: http.DefaultClient}).Nodes(ctx)
		if err != nil {
			return 0, err
		}
		for _, n := range nodes {
			if n.Role == model.RoleLeader && "http://"+n.Address == m.url {
				return i, nil
			}
		}
	}
	return 0, fmt.Errorf("no netmaster leads")
}

// partition is how long a third of all agents reach no netmaster.
const partition = 15 * time.Second

// cutOff measures a third of all agents that reach no netmaster, until all have a change made meanwhile.
func (w *world) cutOff(ctx context.Context, t *report.Table) error {
	fulls := w.received()
	w.wires[0].set(true)
	time.Sleep(partition)
	name, err := w.say(ctx)
	if err != nil {
		return err
	}
	healed := time.Now()
	w.wires[0].set(false)
	took, err := w.heard(name, healed)
	if err != nil {
		return fmt.Errorf("a third of the agents is cut off: %w", err)
	}
	t.Add(report.Row{What: fmt.Sprintf("a third of the agents cut off for %.0f s, from its end until all know of a change made meanwhile", partition.Seconds()), Ours: seconds(took), Target: "5 s", Met: took <= 5*time.Second})
	t.Add(report.Row{What: "... shards received as a whole", Ours: fmt.Sprint(w.received() - fulls), Target: "0", Met: w.received() == fulls})
	return nil
}

// restarts measures a simultaneous restart of all agents, with their state, until all have a change made after.
func (w *world) restarts(ctx context.Context, t *report.Table) error {
	fulls, came := w.received(), w.bytes()
	began := time.Now()
	for _, a := range w.agents {
		a.stop()
	}
	for i, a := range w.agents {
		w.start(w.ctx, i, a)
	}
	took, err := w.mark(ctx, began)
	if err != nil {
		return fmt.Errorf("all agents start again: %w", err)
	}
	w.point.Restart = took.Seconds()
	t.Add(report.Row{What: "all agents restarted at once, until all know of a change made after", Ours: seconds(took), Target: "30 s", Met: took <= 30*time.Second})
	t.Add(report.Row{What: "... shards received as a whole", Ours: fmt.Sprint(w.received() - fulls), Target: "0", Met: w.received() == fulls})
	t.Add(report.Row{What: "... received by all of them", Ours: megabytes(float64(w.bytes() - came)), Target: "100 MB", Met: w.bytes()-came <= 100e6})
	return nil
}

// acknowledged measures the time until netmasters know that all agents have programmed a change, as --wait asks.
func (w *world) acknowledged(ctx context.Context, t *report.Table) error {
	api := &client.Client{Base: w.masters[0].url, HTTP: http.DefaultClient}
	began := time.Now()
	if _, err := w.mark(ctx, began); err != nil {
		return err
	}
	asked := 0
	var each time.Duration
	for end := time.Now().Add(timeout); ; {
		at := time.Now()
		nodes, err := api.Nodes(ctx)
		if err != nil {
			return err
		}
		each, asked = time.Since(at), asked+1
		behind := 0
		for _, n := range nodes {
			if n.Role == model.RoleAgent && (n.Lag > 0 || !n.Ready) {
				behind++
			}
		}
		if behind == 0 {
			break
		}
		if time.Now().After(end) {
			return fmt.Errorf("%d agents are behind after %s", behind, timeout)
		}
	}
	took := time.Since(began)
	t.Add(report.Row{What: "a change that all agents receive, until a netmaster knows that each has programmed it", Ours: report.Millis(took), Target: "-", Met: true})
	t.Add(report.Row{What: "... a list of all nodes, as `netctl node ls` asks", Ours: report.Millis(each), Target: "-", Met: true})
	return nil
}
