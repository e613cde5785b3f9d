// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/packetin"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// meterInterval is the interval between reads of the meter's drops.
const meterInterval = 2 * time.Second

// Options are the dependencies of an Observer.
type Options struct {
	Host     string // label
	Socket   string // the bridge's management socket
	Pipeline *pipeline.Pipeline
	View     func(func(s *ofnet.State)) // calls a function with the desired state of the switch
	Revision func() uint64              // of that; it differs after a change
	Called   func(endpoint string) string
	Rule     func(owner ofnet.Key) string // a rule or policy in the form that users know
	Datapath func() string                // type of the switch's; "": unknown
	Control  func(ctx context.Context, command string, args ...string) (string, error)
	Now      func() time.Time
	Log      *slog.Logger
}

// Observer keeps the log. It is safe for concurrent use.
type Observer struct {
	Options
	packets *packetin.Receiver
	ring    *ring
	since   time.Time

	mu       sync.Mutex // guards the fields below
	reported map[conversation]reportedEvent
	deciders deciders
	tracker  tracker
}

// New returns an Observer; Run observes.
func New(o Options) *Observer {
	out := &Observer{Options: o, ring: newRing(kept), since: o.Now(), reported: map[conversation]reportedEvent{}, deciders: deciders{find: o.Pipeline.Decider}}
	out.packets = packetin.New(packetin.Options{Socket: o.Socket, Flows: pipeline.Observations(), Meter: pipeline.LeaseConnections.Meter(),
		Receive: []flow.Cookie{pipeline.LeaseMessages.Cookie()}, // packets for the responder do not reach the flows of this lease
		Handle:  out.packet, Workers: 1, Log: o.Log})
	return out
}

// Run observes until ctx ends; then it returns nil. If the switch goes away, it waits for its return.
func (o *Observer) Run(ctx context.Context) error {
	var parts sync.WaitGroup
	parts.Go(func() { o.follow(ctx) })
	parts.Go(func() { o.limits(ctx) })
	defer parts.Wait()
	return o.packets.Run(ctx)
}

// recordMissed records that events were missed.
func (o *Observer) recordMissed(what string, lost uint64) {
	o.ring.add(model.Observed{Time: o.Now(), Host: o.Host, Verdict: model.ObservedUnknown, Reason: what, Count: lost})
}

// limits reports packets that have not reached the agent, until ctx ends.
func (o *Observer) limits(ctx context.Context) {
	tick := time.NewTicker(meterInterval)
	defer tick.Stop()
	var metered, busy uint64
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		now, err := o.packets.Limited(ctx)
		if err != nil {
			continue // without the switch nothing is seen, which the reads of its tracker report
		}
		waiting := o.packets.Counts().Dropped
		lost := waiting - busy
		if now > metered {
			lost += now - metered
		}
		if metered, busy = now, waiting; lost > 0 {
			o.recordMissed(fmt.Sprintf("%d packets that were refused or dropped are missing here: at most %d a second reach the agent", lost, pipeline.LeaseConnections.Meter().Rate), lost)
		}
	}
}

const (
	// piece is the number of events written at once.
	piece = 256
	// beat is the interval at which a following reader is informed that there is nothing new.
	beat = time.Second
	// maxUntracked is the maximum number of tenants named whose connections are not tracked.
	maxUntracked = 20
)

// Stream writes the requested events, oldest first, until ctx ends or write fails; without Follow until all existing ones are written. If
// there are none, it writes an empty list each second.
func (o *Observer) Stream(ctx context.Context, ask model.Observe, write func([]model.Observed) error) error {
	oldest := o.Now().Add(-ask.Since)
	if err := write(o.omissions(&ask, oldest)); err != nil {
		return err
	}
	tick := time.NewTicker(beat)
	defer tick.Stop()
	var at uint64
	if ask.Follow && ask.Since == 0 {
		at = o.ring.end()
	}
	for {
		events, next, lost, more := o.ring.read(at, piece)
		if lost > 0 && at > 0 && len(events) > 0 {
			events = slices.Insert(events, 0, model.Observed{Time: events[0].Time.Add(-1), Host: o.Host, Verdict: model.ObservedUnknown, Count: lost,
				Reason: fmt.Sprintf("%d events were overwritten before they were read", lost)})
		} else if lost > 0 && len(events) > 0 && events[0].Time.After(oldest) {
			events = slices.Insert(events, 0, model.Observed{Time: events[0].Time.Add(-1), Host: o.Host, Verdict: model.ObservedUnknown, Count: lost,
				Reason: fmt.Sprintf("what was before is overwritten: the host keeps its last %d events", kept)})
		}
		full := next-at-lost == piece
		at = next
		events = slices.DeleteFunc(events, func(e model.Observed) bool { return e.Time.Before(oldest) || !ask.Matches(&e) })
		if len(events) > 0 {
			if err := write(events); err != nil {
				return err
			}
		}
		switch {
		case full:
			continue
		case !ask.Follow:
			return nil
		}
		select {
		case <-more:
		case <-tick.C:
			if err := write(nil); err != nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// omissions describes what an answer cannot include: events before the agent's start, and connections of tenants that are not tracked.
func (o *Observer) omissions(ask *model.Observe, oldest time.Time) (out []model.Observed) {
	add := func(tenant, reason string) {
		out = append(out, model.Observed{Time: oldest, Host: o.Host, Verdict: model.ObservedUnknown, Tenant: tenant, Reason: reason})
	}
	if oldest.Before(o.since) {
		add("", "the agent began to observe at "+o.since.UTC().Format(time.RFC3339)+": what was before is unknown")
	}
	var untracked []string
	o.View(func(s *ofnet.State) {
		for name := range s.Tenants.All() {
			if (ask.Tenant == "" || ask.Tenant == name) && !s.Tracked(name) {
				untracked = append(untracked, name)
			}
		}
	})
	slices.SortFunc(untracked, strings.Compare)
	for _, tenant := range untracked[:min(len(untracked), maxUntracked)] {
		add(tenant, "tenant "+tenant+" has no rules and no services: its connections are not tracked, so those that are opened and closed are not seen")
	}
	if n := len(untracked) - maxUntracked; n > 0 {
		add("", fmt.Sprintf("%d further tenants have no rules and no services: their connections are not tracked, so not seen", n))
	}
	return out
}
