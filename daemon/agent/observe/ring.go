// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
)

// kept is the number of events that a host keeps: some 8 MB.
const kept = 8192

// ring holds the latest events. Readers have a position in it, and no queue: events overwritten before they are read are counted.
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

// add appends an event and returns its number. No two events of a ring have the same time: each is later than the one before.
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

// again counts one more packet of an event that still exists.
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

// read returns events from a number on, up to a maximum, and the number that follows; lost is the number of earlier ones that were
// overwritten, and more is closed at the next event. It does not block.
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
