// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

// maxPolls bounds the reads that are counted at a time; further reads are recorded individually.
const maxPolls = 4096

// polled reports whether a verb only reads, so that programs repeat it as long as someone watches.
func polled(verb string) bool { return verb == "relay" || verb == "observe" }

// poll identifies a repeated read. Its repetitions within an hour are one event.
type poll struct{ verb, user, proof, from, via, target string }

func pollOf(e *model.AuditEvent) poll { return poll{e.Verb, e.User, e.Proof, e.From, e.Via, e.Target} }

// polling counts the repetitions of a read within an hour.
type polling struct {
	first model.AuditEvent
	times int
	last  time.Time
}

func hourOf(t time.Time) time.Time { return t.UTC().Truncate(time.Hour) }

// counted counts a read that was already recorded in this hour; false if it is the first of its hour, which must be recorded. rest is the
// event of the previous hour's repetitions, if there were any.
func (l *Log) counted(e model.AuditEvent) (rest *model.AuditEvent, repeated bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := pollOf(&e)
	p := l.polls[key]
	if p != nil && hourOf(p.first.Time).Equal(hourOf(e.Time)) {
		p.times, p.last = p.times+1, e.Time
		return nil, true
	}
	if p != nil {
		rest = p.rest()
		delete(l.polls, key)
	}
	if len(l.polls) < maxPolls {
		l.polls[key] = &polling{first: e}
	}
	return rest, false
}

// rest returns the event of the repetitions; nil if there were none.
func (p *polling) rest() *model.AuditEvent {
	if p.times == 0 {
		return nil
	}
	e, last := p.first, p.last
	e.Times, e.Last = p.times, &last
	return &e
}

// ended removes and returns the repetitions of past hours.
func (l *Log) ended() (out []model.AuditEvent) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := hourOf(l.now())
	for key, p := range l.polls {
		if !hourOf(p.first.Time).Before(now) {
			continue
		}
		delete(l.polls, key)
		if rest := p.rest(); rest != nil {
			out = append(out, *rest)
		}
	}
	return out
}

// merged returns a read merged with the event of the same hour in the store; nil if there is none.
func merged(tx *commit.Tx, e *record.AuditEvent) *record.AuditEvent {
	if !polled(e.Verb) || e.Status != 0 {
		return nil
	}
	for x := range tx.Audit {
		if x.Verb == e.Verb && x.User == e.User && x.Proof == e.Proof && x.From == e.From && x.Via == e.Via && x.Target == e.Target && x.Status == 0 &&
			hourOf(x.At).Equal(hourOf(e.At)) {
			out := *x
			out.Times = max(x.Times, 1) + max(e.Times, 1)
			for _, t := range []time.Time{x.At, x.Last, e.At, e.Last} {
				if t.After(out.Last) {
					out.Last = t
				}
			}
			return &out
		}
	}
	return nil
}
