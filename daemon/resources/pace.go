// SPDX-License-Identifier: Apache-2.0

package resources

import (
	"runtime"
	"sync"
)

// Pace is on how many processors a daemon runs: on those that Processors says, and on all while something is hurried. Its methods are
// safe for concurrent use. A nil Pace is always that of all.
type Pace struct {
	mu      sync.Mutex
	all     int // 0: the environment sets the number, and nothing changes
	usual   int
	hurried int           // number of current hurries
	moved   chan struct{} // a hurry has begun or ended
}

// NewPace returns a pace that is not hurried. set is the variable GOMAXPROCS.
func NewPace(set string) *Pace {
	p := &Pace{all: runtime.GOMAXPROCS(0), moved: make(chan struct{}, 1)}
	if p.usual = Processors(p.all, set); p.usual == 0 {
		p.all = 0
	}
	runtime.GOMAXPROCS(p.usual)
	return p
}

// Hurry makes the daemon use all processors until done is called. Further calls of done have no effect.
func (p *Pace) Hurry() (done func()) {
	if p == nil {
		return func() {}
	}
	p.change(1)
	return sync.OnceFunc(func() { p.change(-1) })
}

func (p *Pace) change(more int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.hurried > 0
	p.hurried += more
	now := p.hurried > 0
	if now == before {
		return
	}
	if now {
		runtime.GOMAXPROCS(p.all)
	} else {
		runtime.GOMAXPROCS(p.usual)
	}
	select {
	case p.moved <- struct{}{}:
	default:
	}
}

// room returns the number of bytes that may be allocated between two garbage collections.
func (p *Pace) room() uint64 {
	if p == nil {
		return room
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hurried > 0 {
		return roomy
	}
	return room
}

// moves receives a value when that may have changed. It has one receiver.
func (p *Pace) moves() <-chan struct{} {
	if p == nil {
		return nil
	}
	return p.moved
}
