// SPDX-License-Identifier: Apache-2.0

// Package audit records logins, refusals, and actions that leave no trace in the history of objects: captures and hand-overs. A source of
// many events cannot displace those of others.
package audit

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// Bounds of the log.
const (
	DefaultKeep   = 5000            // events in the store
	maxWaiting    = 256             // events that wait to be stored
	waitingEach   = 16              // of these, of one source
	flushInterval = 2 * time.Second // interval between two flushes
	Part          = 64              // events stored, or passed on, at a time
)

// Path is the API path at which the audit is read, and at which netmasters report events to the leader.
const Path = "/api/v1/audit"

// Sink receives events in addition to the store: a file, a syslog server. It must not block for long.
type Sink interface {
	Write(e model.AuditEvent) error
}

// Log records events. Its methods are safe for concurrent use.
type Log struct {
	commit  *commit.Committer
	catalog *catalog.Catalog
	now     func() time.Time
	keep    int
	sinks   []Sink
	pass    func(ctx context.Context, part []model.AuditEvent) error
	log     *slog.Logger

	dropped atomic.Uint64

	mu      sync.Mutex
	waiting []record.AuditEvent
	each    map[string]int // that wait, by source
	polls   map[poll]*polling
}

// Config configures a Log.
type Config struct {
	Commit  *commit.Committer
	Catalog *catalog.Catalog
	Now     func() time.Time // nil: time.Now
	Keep    int              // events in the store; 0: DefaultKeep
	Sinks   []Sink
	// Pass reports events to the leader while another netmaster leads; nil: events wait.
	Pass func(ctx context.Context, part []model.AuditEvent) error
	Log  *slog.Logger
}

// New returns a Log.
func New(c Config) *Log {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Keep == 0 {
		c.Keep = DefaultKeep
	}
	return &Log{commit: c.Commit, catalog: c.Catalog, now: c.Now, keep: c.Keep, sinks: c.Sinks, pass: c.Pass, log: c.Log, each: map[string]int{}, polls: map[poll]*polling{}}
}

// Record records an event. It does not wait for the store. Equal successive events count as one with a repetition count, and beyond a few
// waiting events of one source, the rest counts as its last. Sinks receive one line for each distinct event. Of a read that programs
// repeat, the first is recorded at once, and its repetitions at the end of the hour.
func (l *Log) Record(e model.AuditEvent) {
	e.Time = l.now().UTC()
	if polled(e.Verb) && e.Status == 0 {
		rest, repeated := l.counted(e)
		if rest != nil {
			l.Add(*rest)
		}
		if repeated {
			return
		}
	}
	l.Add(e)
}

// Add records an event of another netmaster.
func (l *Log) Add(e model.AuditEvent) {
	e = bounded(e)
	if l.enqueue(e) {
		for _, s := range l.sinks {
			if err := s.Write(e); err != nil {
				l.log.Error("writing an audit event failed", "error", err)
			}
		}
	}
}

// enqueue adds an event to the waiting ones; false if it counts as a repetition.
func (l *Log) enqueue(e model.AuditEvent) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	var last *record.AuditEvent
	for i := range l.waiting {
		w := &l.waiting[i]
		if w.From != e.From {
			continue
		}
		last = w
		if w.Verb == e.Verb && w.User == e.User && w.Proof == e.Proof && w.Target == e.Target && w.Status == e.Status && w.Why == e.Why {
			again(w, e.Time)
			return false
		}
	}
	switch {
	case last != nil && l.each[e.From] >= waitingEach && e.Status != 0:
		again(last, e.Time)
		return false
	case len(l.waiting) >= maxWaiting && e.Status != 0:
		l.dropped.Add(1)
		return false
	}
	l.each[e.From]++
	l.waiting = append(l.waiting, record.AuditEvent{At: e.Time, Verb: e.Verb, User: e.User, Proof: e.Proof, From: e.From, Via: e.Via, Target: e.Target, Status: e.Status, Why: e.Why, Times: e.Times, Last: lastOf(&e)})
	return true
}

func lastOf(e *model.AuditEvent) time.Time {
	if e.Last == nil {
		return time.Time{}
	}
	return *e.Last
}

// again counts a repetition of w, or one more event of its source.
func again(w *record.AuditEvent, at time.Time) {
	w.Times, w.Last = max(w.Times, 1)+1, at
}

// Run stores recorded events, by this netmaster if it leads and else through the leader, until ctx ends.
func (l *Log) Run(ctx context.Context) {
	tick := time.NewTicker(flushInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := l.Flush(ctx); err != nil && ctx.Err() == nil {
			l.log.Warn("storing the audit failed", "error", err)
		}
	}
}

// Flush stores the waiting events. It blocks until they are durable. Events that could not be stored keep waiting.
func (l *Log) Flush(ctx context.Context) error {
	for _, e := range l.ended() {
		l.Add(e)
	}
	for {
		l.mu.Lock()
		part := l.waiting[:min(len(l.waiting), Part)]
		l.waiting = l.waiting[len(part):]
		for i := range part {
			if l.each[part[i].From]--; l.each[part[i].From] <= 0 {
				delete(l.each, part[i].From)
			}
		}
		l.mu.Unlock()
		if len(part) == 0 {
			return nil
		}
		if rest, err := l.flushPart(ctx, part); err != nil {
			l.back(rest)
			return err
		}
	}
}

// Dropped returns the number of events that were not stored: too many waited, or the store can never accept them.
func (l *Log) Dropped() uint64 { return l.dropped.Load() }

// flushPart stores events, in halves if the whole is too large. An event that can never be stored is dropped, and counted. With an error it
// returns the events that must wait.
func (l *Log) flushPart(ctx context.Context, part []record.AuditEvent) (rest []record.AuditEvent, err error) {
	err = l.hand(ctx, part)
	switch {
	case err == nil:
		return nil, nil
	case !hopeless(err):
		return part, err
	case len(part) == 1:
		l.dropped.Add(1)
		l.log.Error("audit event dropped: it cannot be stored", "error", err)
		return nil, nil
	}
	half := len(part) / 2
	if rest, err := l.flushPart(ctx, part[:half]); err != nil {
		return append(rest, part[half:]...), err
	}
	return l.flushPart(ctx, part[half:])
}

// hopeless reports whether a request will be refused however often it is repeated.
func hopeless(err error) bool {
	var e *model.Error
	return errors.Is(err, store.ErrTooLarge) || errors.As(err, &e) && (e.Code == model.CodeTooLarge || e.Code == model.CodeInvalid)
}

// hand stores events, or has the leader store them.
func (l *Log) hand(ctx context.Context, part []record.AuditEvent) error {
	if l.pass == nil || l.commit.Active() {
		_, err := l.commit.Do(ctx, func(tx *commit.Tx) error { return l.store(tx, part) })
		return err
	}
	out := make([]model.AuditEvent, len(part))
	for i := range part {
		out[i] = shown(&part[i])
	}
	return l.pass(ctx, out)
}

// back returns events to the waiting ones.
func (l *Log) back(part []record.AuditEvent) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range part {
		l.each[part[i].From]++
	}
	l.waiting = append(part[:len(part):len(part)], l.waiting...)
}

// store writes events, and deletes the excess: each time the oldest of the source with the most.
func (l *Log) store(tx *commit.Tx, part []record.AuditEvent) error {
	next := tx.LastAudit() + 1
	fresh := 0
	for i := range part {
		if merged(tx, &part[i]) == nil {
			fresh++
		}
	}
	for _, key := range spare(tx.View, tx.CountAudit()+fresh-l.keep, tx.Room()-len(part)) {
		tx.Delete(key)
	}
	for i := range part {
		e, number := &part[i], next
		if m := merged(tx, e); m != nil {
			e, number = m, m.Number
		} else {
			next++
		}
		if err := tx.Put(catalog.AuditKey(number), e); err != nil {
			return err
		}
	}
	return nil
}

// spare returns the keys of surplus events to delete, at most room.
func spare(v *catalog.View, surplus, room int) (out []string) {
	if surplus = min(surplus, room); surplus <= 0 {
		return nil
	}
	of := map[string][]uint64{} // by source, the oldest first
	for e := range v.Audit {
		of[source(e)] = append(of[source(e)], e.Number)
	}
	for range surplus {
		most := ""
		for s, numbers := range of {
			if len(numbers) > len(of[most]) || len(numbers) == len(of[most]) && len(numbers) > 0 && numbers[0] < of[most][0] {
				most = s
			}
		}
		if len(of[most]) == 0 {
			return out
		}
		out = append(out, catalog.AuditKey(of[most][0]))
		of[most] = of[most][1:]
	}
	return out
}

// source returns the source against which an event counts: the authenticated identity, or else the address, with refusals and reads apart
// from actions.
func source(e *record.AuditEvent) string {
	if e.Status != 0 {
		return "refused " + e.From
	}
	if polled(e.Verb) {
		return "read " + e.User
	}
	return "done " + e.User
}

// Filter selects events. An empty field selects all.
type Filter struct {
	User, Verb string
	Since      time.Time
	Limit      int // maximum number of entries, the newest; 0: all
}

// List returns events, the newest last.
func (l *Log) List(f Filter) []model.AuditEvent {
	out := []model.AuditEvent{}
	l.catalog.View(func(v *catalog.View) {
		for e := range v.Audit {
			if (f.User == "" || f.User == e.User) && (f.Verb == "" || f.Verb == e.Verb) && !e.At.Before(f.Since) {
				out = append(out, shown(e))
			}
		}
	})
	if f.Limit > 0 && len(out) > f.Limit {
		out = out[len(out)-f.Limit:]
	}
	return out
}

func shown(e *record.AuditEvent) model.AuditEvent {
	out := model.AuditEvent{Number: e.Number, Time: e.At, Verb: e.Verb, User: e.User, Proof: e.Proof, From: e.From, Via: e.Via, Target: e.Target, Status: e.Status, Why: e.Why, Times: e.Times}
	if !e.Last.IsZero() {
		last := e.Last
		out.Last = &last
	}
	return out
}
