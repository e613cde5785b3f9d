package audit

import (
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

// maxPolls bounds the reads that are counted at a time; more are noted one by one.
const maxPolls = 4096

// polled reports whether a verb only reads, so that programs repeat it for as long as somebody looks.
func polled(verb string) bool { return verb == "relay" || verb == "observe" }

// poll is who reads what. All of an hour is one event.
type poll struct{ verb, user, proof, from, via, target string }

func pollOf(e *model.AuditEvent) poll { return poll{e.Verb, e.User, e.Proof, e.From, e.Via, e.Target} }

// polling is how often a read was repeated within an hour, since it was noted.
type polling struct {
	first model.AuditEvent
	times int
	last  time.Time
}

func hourOf(t time.Time) time.Time { return t.UTC().Truncate(time.Hour) }

// counted counts a read that was noted in this hour already; false when it is the first of its hour, which is to be noted. rest is what was
// counted in the hour before it, if anything was.
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

// rest is the event of the repetitions; nil: there was none.
func (p *polling) rest() *model.AuditEvent {
	if p.times == 0 {
		return nil
	}
	e, last := p.first, p.last
	e.Times, e.Last = p.times, &last
	return &e
}

// ended takes the repetitions of hours that are over.
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

// merged is a read joined with the event of the same hour in the store; nil: there is none.
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
