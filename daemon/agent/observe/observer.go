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

// limitEvery is how often the meter is asked what it has kept back.
const limitEvery = 2 * time.Second

// Options are what an Observer needs.
type Options struct {
	Host     string // label
	Socket   string // the bridge's management socket
	Pipeline *pipeline.Pipeline
	View     func(func(s *ofnet.State)) // shows what the switch is to do
	Revision func() uint64              // of that; another one when it has changed
	Called   func(endpoint string) string
	Rule     func(owner ofnet.Key) string // a rule or policy as users name it
	Datapath func() string                // type of the switch's; "": not known yet
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

	mu       sync.Mutex // of what follows
	told     map[conversation]told
	deciders deciders
	tracker  tracker
}

// New makes an Observer; Run has it look.
func New(o Options) *Observer {
	out := &Observer{Options: o, ring: newRing(kept), since: o.Now(), told: map[conversation]told{}, deciders: deciders{find: o.Pipeline.Decider}}
	out.packets = packetin.New(packetin.Options{Socket: o.Socket, Flows: pipeline.Observations(), Meter: pipeline.LeaseConnections.Meter(),
		Receive: []flow.Cookie{pipeline.LeaseMessages.Cookie()}, // what the responder gets does not come to the flows of here
		Handle:  out.packet, Workers: 1, Log: o.Log})
	return out
}

// Run looks until ctx ends; then it returns nil. A switch that goes away is waited for.
func (o *Observer) Run(ctx context.Context) error {
	var parts sync.WaitGroup
	parts.Go(func() { o.follow(ctx) })
	parts.Go(func() { o.limits(ctx) })
	defer parts.Wait()
	return o.packets.Run(ctx)
}

// note tells what is not seen.
func (o *Observer) note(what string, lost uint64) {
	o.ring.add(model.Observed{Time: o.Now(), Host: o.Host, Verdict: model.ObservedUnknown, Reason: what, Count: lost})
}

// limits tells what has not reached the agent, until ctx ends.
func (o *Observer) limits(ctx context.Context) {
	tick := time.NewTicker(limitEvery)
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
			continue // without the switch nothing is seen, which the look at its tracker tells
		}
		waiting := o.packets.Counts().Dropped
		lost := waiting - busy
		if now > metered {
			lost += now - metered
		}
		if metered, busy = now, waiting; lost > 0 {
			o.note(fmt.Sprintf("%d packets that were refused or dropped are missing here: at most %d a second reach the agent", lost, pipeline.LeaseConnections.Meter().Rate), lost)
		}
	}
}

const (
	// piece is how many events are written at once.
	piece = 256
	// beat is how often a reader that follows hears that there is nothing new.
	beat = time.Second
	// mostUntracked is how many tenants are named whose connections are not tracked.
	mostUntracked = 20
)

// Stream hands over what a request asks for, oldest first, until ctx ends or write fails; without Follow until all is told that is there. With
// nothing to be told, write gets nothing each second.
func (o *Observer) Stream(ctx context.Context, ask model.Observe, write func([]model.Observed) error) error {
	oldest := o.Now().Add(-ask.Since)
	if err := write(o.untold(&ask, oldest)); err != nil {
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

// untold is what an answer cannot tell: what was before the agent, and connections of tenants that are not tracked.
func (o *Observer) untold(ask *model.Observe, oldest time.Time) (out []model.Observed) {
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
	for _, tenant := range untracked[:min(len(untracked), mostUntracked)] {
		add(tenant, "tenant "+tenant+" has no rules and no services: its connections are not tracked, so those that are opened and closed are not seen")
	}
	if n := len(untracked) - mostUntracked; n > 0 {
		add("", fmt.Sprintf("%d further tenants have no rules and no services: their connections are not tracked, so not seen", n))
	}
	return out
}
