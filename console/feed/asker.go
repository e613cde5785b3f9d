// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
)

const (
	asksAtOnce  = 16          // concurrent requests
	asksASecond = 50          // with more questions the interval of each grows
	asksSlowest = forget / 2  // maximum interval
	forget      = time.Minute // after which an unused answer is dropped
)

// requester is what the pages want to know and how far asking is.
type requester struct {
	mu     sync.Mutex
	wanted []Question
	asked  map[Question]time.Time // last attempt
	busy   map[Question]bool
	wake   chan struct{}
}

func newRequester() *requester {
	return &requester{asked: map[Question]time.Time{}, busy: map[Question]bool{}, wake: make(chan struct{}, 1)}
}

// restart forgets what was asked: it was about another moment.
func (i *requester) restart() {
	i.mu.Lock()
	clear(i.asked)
	clear(i.busy)
	i.mu.Unlock()
	i.signal()
}

// repeat has a question asked again at once.
func (i *requester) repeat(q Question) {
	i.mu.Lock()
	delete(i.asked, q)
	i.mu.Unlock()
}

// Ask sets the questions to repeat from now on; the answers come with the snapshots. It does not block.
func (f *Feed) Ask(questions []Question) {
	i := f.requester
	i.mu.Lock()
	fresh := !slices.Equal(i.wanted, questions)
	i.wanted = slices.Clone(questions)
	i.mu.Unlock()
	if fresh {
		i.signal()
	}
}

// interval is the interval of a question: it grows with the number of questions, such as those of a page about all of 1,000 hosts.
func (i *requester) interval(q Question) time.Duration {
	return max(q.Topic.Interval(), min(asksSlowest, time.Duration(len(i.wanted))*time.Second/asksASecond))
}

// due takes the questions whose time has come.
func (i *requester) due(now time.Time) []Question {
	i.mu.Lock()
	defer i.mu.Unlock()
	maps.DeleteFunc(i.asked, func(_ Question, at time.Time) bool { return now.Sub(at) > forget })
	var out []Question
	for _, q := range i.wanted {
		if !i.busy[q] && now.Sub(i.asked[q]) >= i.interval(q) && len(i.busy) < asksAtOnce {
			i.busy[q], i.asked[q] = true, now
			out = append(out, q)
		}
	}
	return out
}

// untilDue returns the time until a request is due. none reports that none will be, until the topics change or an answer arrives.
func (i *requester) untilDue(now time.Time) (rest time.Duration, none bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	none = true
	for _, q := range i.wanted {
		if i.busy[q] || len(i.busy) >= asksAtOnce {
			continue // done wakes
		}
		if left := i.interval(q) - now.Sub(i.asked[q]); none || left < rest {
			rest, none = left, false
		}
	}
	return max(rest, time.Millisecond), none
}

func (i *requester) done(q Question) {
	i.mu.Lock()
	delete(i.busy, q)
	i.mu.Unlock()
	i.signal()
}

// signal wakes the loop of questions.
func (i *requester) signal() {
	select {
	case i.wake <- struct{}{}:
	default:
	}
}

// askWanted sends the current questions until ctx ends, each by itself: one without an answer does not delay others. While nothing is due
// it sleeps.
func (f *Feed) askWanted(ctx context.Context) error {
	var wait sync.WaitGroup
	defer wait.Wait()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-f.requester.wake:
		case <-timer.C:
		}
		for _, q := range f.requester.due(f.store.now()) {
			wait.Go(func() {
				if err := f.answer(ctx, q); client.IsCode(err, model.CodeUnavailable) && f.client.Moment != "" { // of the past, a question is asked until it is answered once
					pause(ctx, pollInterval)
					f.requester.repeat(q)
				}
				f.requester.done(q)
			})
		}
		timer.Stop()
		if rest, none := f.requester.untilDue(f.store.now()); !none {
			timer.Reset(rest)
		}
	}
}

func (f *Feed) answer(ctx context.Context, q Question) error {
	value, err := f.ask(ctx, q)
	if ctx.Err() == nil {
		f.store.answer(q, value, err)
	}
	return err
}

// answer keeps an answer, and drops old ones whose question is no longer used.
func (s *store) answer(q Question, value any, err error) {
	s.change(func() {
		now, a := s.now(), s.answers[q]
		in := AnswerInput{Question: q, Value: value}
		if err != nil {
			in.Value, in.Err = nil, err.Error()
			a.Err = err.Error()
		} else {
			a = Answer{Value: value, At: now, Before: a.Value, BeforeAt: a.At}
		}
		s.record(Input{Answer: &in})
		a.Tried = now
		s.answers[q] = a
		for old, x := range s.answers {
			if now.Sub(x.Tried) > forget {
				delete(s.answers, old)
			}
		}
	})
}
