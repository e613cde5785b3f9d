// Package timeline writes down what is found wrong in the cluster, and when that has ended, so that a later leader, and whoever looks later, knows.
package timeline

import (
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
	// DefaultKeep is how many events the store has.
	DefaultKeep = 5000

	pollInterval = 5 * time.Second
	part         = 64 // events in a transaction
	maxOften     = 6  // events of one finding within oftenFor; what comes and goes more often is told as so many times
	oftenFor     = 10 * time.Minute
	evidenceMax  = 300 // bytes
)

// Config is what a Keeper is made of.
type Config struct {
	Commit  *commit.Committer
	Catalog *catalog.Catalog
	// Found is what is wrong now, and the hosts of which nothing is known. It may block until ctx ends.
	Found func(ctx context.Context) (list []model.Finding, silent map[string]bool)
	Keep  int              // events in the store; 0: DefaultKeep
	Now   func() time.Time // nil: time.Now
	Log   *slog.Logger
}

// Recorder compares what is wrong with what was, in a leader's term.
type Recorder struct {
	Config
	known map[name]*course // of findings that the timeline, or this term, tells of
}

// name is which finding it is.
type name struct{ code, host, object string }

// course is how a finding went on.
type course struct {
	open   bool        // by the last event that was stored
	grave  bool        // it was an error by the last event that was stored
	was    bool        // when it was looked for last
	turns  int         // times that it came or went since the last event that was stored
	recent []time.Time // of events within oftenFor
}

// New makes a Keeper.
func New(c Config) *Recorder {
	if c.Keep == 0 {
		c.Keep = DefaultKeep
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Recorder{Config: c}
}

// Run writes down what comes and goes until ctx, a leader's term, ends. It continues from what former leaders have written.
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
			k.Log.Warn("what was found wrong is not written down; it is tried again", "error", err)
		}
	}
}

// Look writes down what has come and gone since it looked last. It blocks until that is durable.
func (k *Recorder) Look(ctx context.Context) error {
	found, silent := k.Found(ctx)
	if ctx.Err() != nil {
		return ctx.Err() // what was asked may not have answered
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
	return nil
}

// read takes over how findings stand by what is stored.
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

// compare are the events by which what is stored becomes what was found, the ends first; what has become an error is found once more. What was found on a host of which nothing is known has not ended.
func (k *Recorder) compare(found []model.Finding, silent map[string]bool, now time.Time) (events []record.TimelineEvent) {
	there := make(map[name]*model.Finding, len(found))
	for i := range found {
		f := &found[i]
		if f.Severity == model.SeverityInfo {
			continue
		}
		n := name{f.Code, f.Host, f.Object}
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
		return compareNames(&a, &b)
	})
	return events
}

// began is since when a finding is there, in seconds; zero where it does not say it.
func began(f *model.Finding) time.Time {
	at, err := time.Parse(time.RFC3339, f.Since)
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// times is how often something came and went, of so many turns; 0 when only once.
func times(turns int) int {
	if n := (turns + 1) / 2; n > 1 {
		return n
	}
	return 0
}

// stored notes that events are durable.
func (k *Recorder) stored(events []record.TimelineEvent, now time.Time) {
	for i := range events {
		e := &events[i]
		c := k.course(name{e.Code, e.Host, e.Object})
		c.open, c.turns, c.grave = !e.Ended, 0, e.Severity == string(model.SeverityError)
		c.recent = append(c.recent, now)
	}
}

// store writes events, and drops the oldest that are too many.
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
