package budget

import (
	"runtime"
	"sync"
)

// Pace is on how many processors a daemon runs: on those that Processors says, and on all while something is hurried. Its methods are safe for
// concurrent use. A nil Pace is always that of all.
type Pace struct {
	mu      sync.Mutex
	all     int // 0: the environment says how many, and nothing is changed
	usual   int
	hurried int // how many hurry
}

// NewPace begins without hurry. told is the variable GOMAXPROCS.
func NewPace(told string) *Pace {
	p := &Pace{all: runtime.GOMAXPROCS(0)}
	if p.usual = Processors(p.all, told); p.usual == 0 {
		p.all = 0
	}
	runtime.GOMAXPROCS(p.usual)
	return p
}

// Hurry has all processors used until done is called, which may be called again.
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
	switch now := p.hurried > 0; {
	case now == before:
	case now:
		runtime.GOMAXPROCS(p.all)
	default:
		runtime.GOMAXPROCS(p.usual)
	}
}
