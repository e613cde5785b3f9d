package observe

import (
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
)

// kept is how many events a host keeps: some 8 MB.
const kept = 8192

// ring holds the last events. Readers have a place in it, and no queue: what is overwritten before they come is counted.
type ring struct {
	mu     sync.Mutex
	events []model.Observed // event n is at n modulo len
	next   uint64           // number of the next event, from 0
	last   time.Time
	more   chan struct{} // closed with the next event
}

func newRing(size int) *ring {
	return &ring{events: make([]model.Observed, size), more: make(chan struct{})}
}

// add appends an event and returns its number. No two events of a ring have one time: it is later than that of the one before.
func (r *ring) add(e model.Observed) (number uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !e.Time.After(r.last) {
		e.Time = r.last.Add(1)
	}
	r.last = e.Time
	number = r.next
	r.events[number%uint64(len(r.events))] = e
	r.next++
	close(r.more)
	r.more = make(chan struct{})
	return number
}

// again counts one more packet of an event that is still there.
func (r *ring) again(number uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if number+uint64(len(r.events)) >= r.next {
		r.events[number%uint64(len(r.events))].Count++
	}
}

// end is the number of the next event.
func (r *ring) end() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.next
}

// read returns events from a number on, so many at most, and the number that follows; lost is how many of those before were overwritten,
// and more is closed when there are others. It does not block.
func (r *ring) read(from uint64, most int) (out []model.Observed, next, lost uint64, more <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	size := uint64(len(r.events))
	if from+size < r.next {
		lost = r.next - size - from
		from += lost
	}
	for ; from < r.next && len(out) < most; from++ {
		out = append(out, r.events[from%size])
	}
	return out, from, lost, r.more
}
