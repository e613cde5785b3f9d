// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"context"
	"slices"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
)

const (
	pastEvents       = 200             // changes, and findings, per request
	timelineInterval = 2 * time.Second // no stream has findings
)

// FindingKind is the Kind of events about what was found wrong in the cluster.
const FindingKind = "finding"

// happening follows the events that netctl events prints: the history of objects, requested after events of the stream, and the timeline.
// The stream itself also sends objects of which only computed links have changed.
type happening struct {
	client  *client.Client
	began   bool      // the history was requested
	asked   uint64    // the revision of the last request
	due     time.Time // the timeline
	refused [2]bool   // the history, the timeline: they are not requested again, since each refusal is an event of the audit log
}

// look requests the events since the last call, once the stream has sent everything. It retries failures at the next call.
func (h *happening) look(ctx context.Context, s *store, now time.Time) {
	rev, synced := s.position()
	if !synced {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	var in HappenedInput
	if !h.refused[0] && (rev != h.asked || !h.began) {
		entries, err := h.client.History(ctx, client.HistoryQuery{Limit: pastEvents})
		h.refused[0] = client.IsCode(err, model.CodeDenied)
		if err == nil {
			h.asked, h.began, in.Changes = rev, true, entries
		}
	}
	if !h.refused[1] && !now.Before(h.due) {
		h.due = now.Add(timelineInterval)
		found, err := h.client.Timeline(ctx, client.TimelineQuery{Limit: pastEvents})
		h.refused[1] = client.IsCode(err, model.CodeDenied)
		if err == nil {
			in.Findings = found
		}
	}
	s.applyHappened(in)
}

// follow looks until ctx ends, at most once a second.
func (h *happening) follow(ctx context.Context, s *store) {
	for ctx.Err() == nil {
		h.look(ctx, s, time.Now())
		pause(ctx, pollInterval)
	}
}

// position is the revision that the stream has sent, and whether it has sent everything once.
func (s *store) position() (revision uint64, synced bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last.Revision, s.last.Synced
}

// applyHappened takes changes and findings, and passes over those that are known already.
func (s *store) applyHappened(in HappenedInput) {
	s.mu.Lock()
	seen := s.seen
	s.mu.Unlock()
	in.Changes = slices.DeleteFunc(slices.Clone(in.Changes), func(e model.HistoryEntry) bool { return e.Sequence <= seen.change && e.Sequence > 0 })
	in.Findings = slices.DeleteFunc(slices.Clone(in.Findings), func(e model.TimelineEvent) bool { return e.Number <= seen.finding })
	if len(in.Changes)+len(in.Findings) == 0 {
		return
	}
	s.change(func() {
		s.record(Input{Happened: &in})
		events := slices.Clone(s.last.Events) // snapshots hold those that are there
		for i := range in.Changes {
			e := &in.Changes[i]
			s.seen.change = max(s.seen.change, e.Sequence)
			events = append(events, Event{At: e.Time.Local(), Type: model.EventType(e.Verb), Kind: e.Kind, Key: e.Key, Text: s.called(e.Kind, e.Key), By: e.By.String(),
				Change: e.Difference(), Revision: e.Revision})
		}
		for i := range in.Findings {
			e := &in.Findings[i]
			s.seen.finding = max(s.seen.finding, e.Number)
			events = append(events, Event{At: e.Time.Local(), Type: model.EventType(e.Verb()), Kind: FindingKind, Key: e.Object, Text: e.Text(), Severity: e.Severity})
		}
		slices.SortStableFunc(events, func(a, b Event) int { return a.At.Compare(b.At) })
		s.last.Events = events[max(0, len(events)-EventLimit):]
	})
}
