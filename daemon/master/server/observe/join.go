// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
)

const (
	// window is how long an event waits for earlier ones of other hosts, and replay is that time while hosts send earlier events.
	window, replay = 500 * time.Millisecond, 2 * time.Second
	// lookForHosts is the interval between two looks for new hosts.
	lookForHosts = 2 * time.Second
)

// join puts the events of all hosts into one order, by their times. It holds as many as sources have ahead.
type join struct {
	ask      model.Observe
	hosts    func() []string
	open     opener
	wake     chan struct{}
	sources  map[string]*head
	reported map[string]bool // what is unknown of tenants, since all hosts report it
}

// head is a source with its next event; nil: none has come.
type head struct {
	*source
	next  *arrival
	quiet time.Time // time of the last line without an event
	ended bool
}

func newJoin(ask model.Observe, hosts func() []string, open opener) *join {
	return &join{ask: ask, hosts: hosts, open: open, wake: make(chan struct{}, 1), sources: map[string]*head{}, reported: map[string]bool{}}
}

// run calls write with each event until ctx ends, write fails, or all sources have ended. write gets nil each second, and when it should send what it has
// written.
func (j *join) run(ctx context.Context, write func(*model.Observed) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer cancel()
	j.begin(ctx, &reading)
	beats, looks := time.NewTicker(beat), time.NewTicker(lookForHosts)
	defer beats.Stop()
	defer looks.Stop()
	if err := write(nil); err != nil {
		return err
	}
	for {
		wrote := false
		wait, done := time.Duration(0), false
		for ctx.Err() == nil {
			var e *model.Observed
			if e, wait, done = j.pop(time.Now()); e == nil {
				break
			}
			if !j.fresh(e) {
				continue
			}
			if err := write(e); err != nil {
				return err
			}
			wrote = true
		}
		if wrote || done {
			if err := write(nil); err != nil {
				return err
			}
		}
		if done && !j.ask.Follow {
			return nil
		}
		timer := time.NewTimer(wait)
		select {
		case <-j.wake:
		case <-timer.C:
		case <-beats.C:
			if err := write(nil); err != nil {
				return err
			}
		case <-looks.C:
			if j.ask.Follow {
				j.begin(ctx, &reading)
			}
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
		timer.Stop()
	}
}

// begin starts to read the hosts that are not read yet.
func (j *join) begin(ctx context.Context, reading *sync.WaitGroup) {
	for _, label := range j.hosts() {
		if j.sources[label] != nil {
			continue
		}
		s := &source{host: label, ask: j.ask, open: j.open, queue: make(chan arrival, ahead), wake: func() {
			select {
			case j.wake <- struct{}{}:
			default:
			}
		}}
		j.sources[label] = &head{source: s}
		reading.Go(func() { s.run(ctx) })
	}
}

// pop removes and returns the earliest event, if no other host can have an earlier one or each has had time enough to send it. Without an event, wait is
// the time until the next call, and done reports whether all sources have ended.
func (j *join) pop(now time.Time) (e *model.Observed, wait time.Duration, done bool) {
	var first *head
	live, done := slices.Collect(j.live), true
	for _, h := range live {
		done = false
		if h.next != nil && (first == nil || h.next.event.Time.Before(first.next.event.Time)) {
			first = h
		}
	}
	if first == nil {
		return nil, beat, done
	}
	limit := window
	for _, h := range live {
		if h.next == nil && h.quiet.IsZero() {
			limit = replay // its first event may be an earlier one
		}
	}
	for _, h := range live {
		if left := limit - now.Sub(first.next.came); h.next == nil && h.quiet.Before(first.next.came) && left > 0 {
			return nil, left, false
		}
	}
	e, first.next = first.next.event, nil
	return e, 0, false
}

// live yields the sources that have an event or have not ended, each with its next event.
func (j *join) live(yield func(*head) bool) {
	for _, h := range j.sources {
		for h.next == nil && !h.ended {
			select {
			case a, open := <-h.queue:
				switch {
				case !open:
					h.ended = true
				case a.event == nil:
					h.quiet = a.came
				default:
					h.next = &a
				}
				continue
			default:
			}
			break
		}
		if (h.next != nil || !h.ended) && !yield(h) {
			return
		}
	}
}

// fresh reports whether an event is new: missing data of a tenant is reported once, for all hosts.
func (j *join) fresh(e *model.Observed) bool {
	if e.Verdict != model.ObservedUnknown || e.Tenant == "" {
		return true
	}
	what := e.Tenant + "\n" + e.Reason
	if j.reported[what] {
		return false
	}
	j.reported[what], e.Host = true, ""
	return true
}
