// SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"context"
	"errors"
	"time"

	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/openflow"
)

const (
	// watchTimeout bounds the answer of a switch that is to report changes.
	watchTimeout = 5 * time.Second
	// alarmDelay is the time from a reported change to the comparison: a program that deletes flows and then groups has done both by then.
	alarmDelay = 100 * time.Millisecond
	// alarmPause is the shortest time between two comparisons that reported changes cause, and alarmShare the part of the time, 1/alarmShare,
	// that such comparisons may take, so that a program that changes flows all the time cannot occupy the agent and the switch.
	alarmPause = 250 * time.Millisecond
	alarmShare = 20
)

// foreign collects the changes of flows that the switch reports to a connection.
type foreign struct{ changes chan struct{} }

func newForeign() *foreign { return &foreign{make(chan struct{}, 1)} }

// add handles changes of flows; nil: some were not reported. Those of the connection itself, and of leased flows, do not count.
func (f *foreign) add(list []openflow.FlowUpdate) {
	counts := list == nil
	for i := range list {
		counts = counts || list[i].Event != openflow.FlowAbbrev && list[i].Flow.Cookie.Feature() != flow.Leased
	}
	if !counts {
		return
	}
	select {
	case f.changes <- struct{}{}:
	default:
	}
}

// Watch makes the switch report changes of flows by other programs.
func (c *connection) Watch(ctx context.Context) (<-chan struct{}, error) {
	var refusal *openflow.Error
	switch err := c.Monitor(ctx); {
	case errors.As(err, &refusal):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return c.foreign.changes, nil
}

// watch makes the switch report changes by other programs, once for each connection. A switch that cannot is compared at intervals only. The
// first flows of a connection are in the switch before, which need not be reported.
func (r *Reconciler) watch(ctx context.Context) error {
	r.mu.Lock()
	sw, known := r.sw, r.sw != nil && r.compared == r.sw && r.watched != r.sw
	r.mu.Unlock()
	if !known {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, watchTimeout)
	defer cancel()
	changes, err := sw.Watch(ctx)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watched, r.changes = sw, changes
	if changes == nil {
		r.options.Log.Info("the switch reports no changes of flows: they are found by comparisons", "until", r.options.Resync)
	}
	return nil
}

// reported returns the channel of changes by other programs; nil: none are reported.
func (r *Reconciler) reported() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sw == nil || r.watched != r.sw {
		return nil
	}
	return r.changes
}

// alarm is a comparison that a reported change asks for.
type alarm struct {
	due  bool
	next time.Time // the earliest time for it
}

// raise requests a comparison.
func (a *alarm) raise(now time.Time) {
	if at := now.Add(alarmDelay); !a.due && a.next.Before(at) {
		a.next = at
	}
	a.due = true
}

// begins reports whether the comparison begins now.
func (a *alarm) begins(now time.Time) bool {
	if !a.due || now.Before(a.next) {
		return false
	}
	a.due = false
	return true
}

// spent sets the earliest time of the next comparison after one that took some time.
func (a *alarm) spent(begin, end time.Time) {
	a.next = end.Add(max(alarmPause, (alarmShare-1)*end.Sub(begin)))
}

// within shortens the wait until the loop's next turn, so that a due comparison happens.
func (a *alarm) within(wait time.Duration, now time.Time) time.Duration {
	if a.due {
		return min(wait, a.next.Sub(now))
	}
	return wait
}
