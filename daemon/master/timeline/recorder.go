// SPDX-License-Identifier: Apache-2.0

// Package timeline records the beginnings and ends of findings in the cluster, for later leaders and operators.
package timeline

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

const (
	// DefaultKeep is the number of events in the store.
	DefaultKeep = 5000

	pollInterval = 5 * time.Second
	part         = 64 // events in a transaction
	maxOften     = 6  // events of one finding within oftenFor; further changes are reported as a count
	oftenFor     = 10 * time.Minute
	evidenceMax  = 300 // bytes
)

// Config configures a Recorder.
type Config struct {
	Commit  *commit.Committer
	Catalog *catalog.Catalog
	// Found returns the current findings, and the hosts of which nothing is known. It may block until ctx ends.
	Found func(ctx context.Context) (list []model.Finding, silent map[string]bool)
	// Recorded receives the current findings whose changes are durable; it does not block. nil: nothing receives them.
	Recorded func(list []model.Finding)
	Keep     int              // events in the store; 0: DefaultKeep
	Now      func() time.Time // nil: time.Now
	Log      *slog.Logger
}

// Recorder compares the current findings with the recorded ones, in a leader's term.
type Recorder struct {
	Config
	known map[name]*course // of findings in the timeline, or of this term
}

// name identifies a finding.
type name struct{ code, host, object string }

func (n name) compare(other name) int {
	return cmp.Or(cmp.Compare(n.code, other.code), cmp.Compare(n.host, other.host), cmp.Compare(n.object, other.object))
}

// course is the history of a finding.
type course struct {
	open   bool        // by the last stored event
	grave  bool        // it was an error by the last stored event
	was    bool        // at the last check
	turns  int         // changes since the last stored event
	recent []time.Time // times of the events within oftenFor
}

// New returns a Recorder.
func New(c Config) *Recorder {
	if c.Keep == 0 {
		c.Keep = DefaultKeep
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Recorder{Config: c}
}

// Run records the beginnings and ends of findings until ctx, a leader's term, ends. It continues from the records of former leaders.
func (k *Recorder) Run(ctx context.Context) {
	k.known = nil
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if err := k.Look(ctx); err != nil && ctx.Err() == nil {
			k.Log.Warn("cannot record findings; retrying", "error", err)
		}
	}
}

// Look records the changes since its last call. It blocks until they are durable.
func (k *Recorder) Look(ctx context.Context) error {
	found, silent := k.Found(ctx)
	if ctx.Err() != nil {
		return ctx.Err() // some hosts may not have answered
	}
	if k.known == nil {
		k.read()
	}
	now := k.Now().UTC()
	events := k.compare(found, silent, now)
	for events := range slices.Chunk(events, part) {
		_, err := k.Commit.Do(ctx, func(tx *commit.Tx) error { return k.store(tx, events) })
		if err != nil {
			return err
		}
		k.stored(events, now)
	}
	if k.Recorded != nil {
		k.Recorded(found)
	}
	return nil
}

// read reads the state of findings from the store.
func (k *Recorder) read() {
	k.known = map[name]*course{}
	k.Catalog.View(func(v *catalog.View) {
		for e := range v.Timeline() {
			c := k.course(name{e.Code, e.Host, e.Object})
			c.open, c.was, c.grave = !e.Ended, !e.Ended, e.Severity == string(model.SeverityError)
			c.recent = append(c.recent, e.At)
		}
	})
}

func (k *Recorder) course(n name) *course {
	c := k.known[n]
	if c == nil {
		c = &course{}
		k.known[n] = c
	}
	return c
}

// compare returns the events from the stored findings to the current ones, the ends first; a finding that has become an error is recorded
// again. Findings on a host of which nothing is known have not ended.
func (k *Recorder) compare(found []model.Finding, silent map[string]bool, now time.Time) (events []record.TimelineEvent) {
	there := make(map[name]*model.Finding, len(found))
	for i := range found {
		f := &found[i]
		if f.Severity == model.SeverityInfo {
			continue
		}
		n := name{f.Code.String(), f.Host, f.Object}
		there[n] = f
		k.course(n)
	}
	for n, c := range k.known {
		f := there[n]
		if f == nil && silent[n.host] {
			continue
		}
		if is := f != nil; is != c.was {
			c.was = is
			c.turns++
		}
		c.recent = slices.DeleteFunc(c.recent, func(t time.Time) bool { return now.Sub(t) > oftenFor })
		switch {
		case c.was == c.open && !(c.was && !c.grave && f.Severity == model.SeverityError) || len(c.recent) >= maxOften:
			if !c.was && !c.open && c.turns == 0 && len(c.recent) == 0 {
				delete(k.known, n)
			}
			continue
		case f == nil:
			events = append(events, record.TimelineEvent{At: now, Ended: true, Code: n.code, Host: n.host, Object: n.object, Times: times(c.turns)})
		default:
			events = append(events, record.TimelineEvent{At: now, Code: n.code, Host: n.host, Object: n.object, Severity: string(f.Severity), Since: began(f),
				Evidence: f.Evidence[:min(len(f.Evidence), evidenceMax)], Times: times(c.turns)})
		}
	}
	slices.SortFunc(events, func(a, b record.TimelineEvent) int {
		switch {
		case a.Ended != b.Ended && a.Ended:
			return -1
		case a.Ended != b.Ended:
			return 1
		}
		return name{a.Code, a.Host, a.Object}.compare(name{b.Code, b.Host, b.Object})
	})
	return events
}

// began returns the beginning of a finding, in seconds; zero if it has none.
func began(f *model.Finding) time.Time {
	at, err := time.Parse(time.RFC3339, f.Since)
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// times returns how often a finding began and ended in a number of turns; 0 for once.
func times(turns int) int {
	if n := (turns + 1) / 2; n > 1 {
		return n
	}
	return 0
}

// stored records that events are durable.
func (k *Recorder) stored(events []record.TimelineEvent, now time.Time) {
	for i := range events {
		e := &events[i]
		c := k.course(name{e.Code, e.Host, e.Object})
		c.open, c.turns, c.grave = !e.Ended, 0, e.Severity == string(model.SeverityError)
		c.recent = append(c.recent, now)
	}
}

// store writes events, and deletes the oldest excess ones.
func (k *Recorder) store(tx *commit.Tx, events []record.TimelineEvent) error {
	next := tx.LastTimeline() + 1
	surplus := min(tx.CountTimeline()+len(events)-k.Keep, tx.Room()-len(events))
	for e := range tx.Timeline() {
		if surplus--; surplus < 0 {
			break
		}
		tx.Delete(catalog.TimelineKey(e.Number))
	}
	for i := range events {
		if err := tx.Put(catalog.TimelineKey(next+uint64(i)), &events[i]); err != nil {
			return err
		}
	}
	return nil
}
