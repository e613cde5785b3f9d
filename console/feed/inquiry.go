package feed

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	asksAtOnce = 16          // questions under way at a time
	forget     = time.Minute // after which an answer that nobody wants is dropped
)

// inquiry is what the pages want to know and how far asking is.
type inquiry struct {
	mu     sync.Mutex
	wanted []Question
	asked  map[Question]time.Time // last attempt
	busy   map[Question]bool
	wake   chan struct{}
}

func newInquiry() *inquiry {
	return &inquiry{asked: map[Question]time.Time{}, busy: map[Question]bool{}, wake: make(chan struct{}, 1)}
}

// Ask says which questions are to be asked from now on; the answers come with the snapshots. It does not block.
func (f *Feed) Ask(questions []Question) {
	i := f.inquiry
	i.mu.Lock()
	fresh := !slices.Equal(i.wanted, questions)
	i.wanted = slices.Clone(questions)
	i.mu.Unlock()
	if !fresh {
		return
	}
	select {
	case i.wake <- struct{}{}:
	default:
	}
}

// due takes the questions whose time has come.
func (i *inquiry) due(now time.Time) []Question {
	i.mu.Lock()
	defer i.mu.Unlock()
	var out []Question
	for _, q := range i.wanted {
		if !i.busy[q] && now.Sub(i.asked[q]) >= q.Topic.Every() && len(i.busy) < asksAtOnce {
			i.busy[q], i.asked[q] = true, now
			out = append(out, q)
		}
	}
	return out
}

func (i *inquiry) done(q Question) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.busy, q)
}

// inquire asks what is wanted until ctx ends, each question by itself: one that nobody answers holds up no other.
func (f *Feed) inquire(ctx context.Context) error {
	var wait sync.WaitGroup
	defer wait.Wait()
	ticker := time.NewTicker(frameEvery)
	defer ticker.Stop()
	for {
		for _, q := range f.inquiry.due(f.store.now()) {
			wait.Go(func() {
				f.answer(ctx, q)
				f.inquiry.done(q)
			})
		}
		select {
		case <-ctx.Done():
			return nil
		case <-f.inquiry.wake:
		case <-ticker.C:
		}
	}
}

func (f *Feed) answer(ctx context.Context, q Question) {
	value, err := f.ask(ctx, q)
	if ctx.Err() == nil {
		f.store.answer(q, value, err)
	}
}

// answer keeps an answer, and drops old ones that nobody asked for again.
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
		s.told(Input{Answer: &in})
		s.answers[q] = a
		for old, x := range s.answers {
			if !x.At.IsZero() && now.Sub(x.At) > forget {
				delete(s.answers, old)
			}
		}
	})
}
