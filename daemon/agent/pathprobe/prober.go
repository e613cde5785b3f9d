// SPDX-License-Identifier: Apache-2.0

package pathprobe

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/frame"
	"github.com/contiv/contiv/ofnet/pipeline"
	"github.com/contiv/contiv/table"
)

// The interval of visits, and the number of probes per visit: ten per second and host, whatever the number of paths.
const (
	visitInterval = 500 * time.Millisecond
	visitSmall    = 4 // and one of full size
	visitGap      = 20 * time.Millisecond
	answerTimeout = time.Second

	// Suspect paths are visited more often, up to this number at a time.
	suspectInterval = time.Second
	suspectSmall    = 10
	suspects        = 8
)

// Origin is the origin of a probe.
type Origin struct {
	End     netip.Addr // of the tunnel; invalid: the trunk
	Segment uint32     // number of the network whose tag it had
}

// Liveness is the state of the machine at the other end if nothing answers on a path.
type Liveness struct {
	Alive bool
	Text  string // the result: "the machine answers at 10.0.0.2"
	Other string // version of its agent if that differs from this one's: its switch may return no probes
}

// Options are the dependencies of a Prober.
type Options struct {
	Host     string                       // label of this one
	Port     int                          // of tunnels, UDP
	Overhead int                          // of a tunnel, in bytes
	View     func(func(s *ofnet.State))   // calls a function with the desired state of the switch
	Send     func(w Path, b []byte) error // sends a frame on a path
	// Self sends a frame to the switch, which must return it to Receive: for a path with a tag as if it had arrived with that by the trunk,
	// for others without a network.
	Self  func(w Path, b []byte) error
	Room  func(w Path) int // the longest packet that a container sends on a path
	Alive func(ctx context.Context, host string) Liveness
	Other func(host string) string // version of a host's agent if that differs from this one's, as in Liveness; it does not block
	Log   *slog.Logger
}

// Prober sends probes and keeps their results. It is safe for concurrent use.
type Prober struct {
	o Options

	mu             sync.Mutex
	seen           *ofnet.State // from which paths and back derive
	paths          []Path       // sorted
	conditions     map[Path]*pathState
	back           map[Origin]Path // paths to the requesters
	flights        map[uint64]*pendingBurst
	requesters     map[requester]asked
	base           uint64 // sessions count from there
	sessions       uint64
	next           int // index of the path that is visited next
	suspect        int // index of the next suspect path
	selfTestFailed bool
}

// New returns a Prober; Run probes, and Receive handles probes that arrive.
func New(o Options) *Prober {
	return &Prober{o: o, conditions: map[Path]*pathState{}, back: map[Origin]Path{}, flights: map[uint64]*pendingBurst{}, requesters: map[requester]asked{}, base: rand.Uint64()}
}

// Run visits paths until ctx ends; then it returns nil.
func (p *Prober) Run(ctx context.Context) error {
	var visits sync.WaitGroup
	defer visits.Wait()
	tick := time.NewTicker(visitInterval)
	defer tick.Stop()
	for {
		p.refresh()
		if w, ok := p.turn(); ok {
			visits.Go(func() { p.visit(ctx, burst{path: w, n: visitSmall, gap: visitGap, timeout: answerTimeout}) })
		}
		for _, w := range p.suspected(time.Now()) {
			visits.Go(func() {
				p.visit(ctx, burst{path: w, n: suspectSmall, gap: 2 * visitGap, timeout: answerTimeout / 2})
				p.diagnose(ctx, w)
			})
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// refresh updates the paths from the State.
func (p *Prober) refresh() {
	p.o.View(func(s *ofnet.State) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if was := p.seen; was != nil && table.Same(was.Endpoints, s.Endpoints) && table.Same(was.Hosts, s.Hosts) && table.Same(was.Segments, s.Segments) && was.Local.Equal(&s.Local) {
			return
		}
		p.seen = s.Clone()
		p.paths = pathsOf(s)
		now, had := time.Now(), p.conditions
		p.conditions = make(map[Path]*pathState, len(p.paths))
		for _, w := range p.paths {
			if p.conditions[w] = had[w]; p.conditions[w] == nil {
				p.conditions[w] = &pathState{known: now}
			}
		}
		p.back = map[Origin]Path{}
		for h := range s.Hosts.Values() {
			if h.VTEP.IsValid() {
				p.back[Origin{End: h.VTEP}] = Path{Host: h.Label, End: h.VTEP}
			}
		}
		for n := range s.Segments.Values() {
			if n.Encap == ofnet.VLAN {
				p.back[Origin{Segment: n.ID}] = Path{Network: n.Name, Tag: n.Tag, segment: n.ID}
			}
		}
	})
}

// turn returns the next path in rotation.
func (p *Prober) turn() (w Path, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.paths) == 0 {
		return w, false
	}
	p.next %= len(p.paths)
	w = p.paths[p.next]
	p.next++
	return w, true
}

// suspected returns the suspect paths that are due, up to a maximum.
func (p *Prober) suspected(now time.Time) (out []Path) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range p.paths {
		p.suspect = (p.suspect + 1) % len(p.paths)
		w := p.paths[p.suspect]
		if c := p.conditions[w]; len(out) < suspects && c.suspicious(now) && !now.Before(c.due) {
			c.due = now.Add(suspectInterval)
			out = append(out, w)
		}
		if len(out) == suspects {
			break
		}
	}
	return out
}

// visit sends small probes and then one of full size on a path, and records the results.
func (p *Prober) visit(ctx context.Context, t burst) {
	t.kind, t.size = pipeline.AskSwitch, smallProbe
	p.announce(t.path, t.kind)
	began := time.Now()
	small, err := p.run(ctx, t)
	if err != nil || small.back == 0 && !p.listens(ctx, t.path) {
		return
	}
	if small.back > 0 {
		p.mu.Lock()
		p.selfTestFailed = false // while the switch was away no probe could be sent, so selfTest did not run
		p.mu.Unlock()
	}
	t.n, t.size = 1, frameOf(p.o.Room(t.path))
	full := outcome{}
	if small.back > 0 {
		if full, err = p.run(ctx, t); err != nil {
			return
		}
	}
	other := p.o.Other(t.path.Host)
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.conditions[t.path]; c != nil {
		if c.record(began, &small, &full); small.back > 0 {
			c.spoke = other
		}
	}
}

// announce has the switches of a trunk learn where this host's probes of a kind are returned. Their address sends only when a probe arrives, so a switch
// that has learned it at a wrong port, or at the one of before a cable was moved, would lead the probes of others there until it forgets. The other agent
// ignores the frame, which answers nothing.
func (p *Prober) announce(w Path, kind pipeline.ProbeKind) {
	if w.Network == "" {
		return
	}
	f := frame.Probe{EthSrc: pipeline.ProbeMAC(kind, p.o.Host, 0), EthDst: pipeline.ProbeMAC(pipeline.ProbeBack, w.Host, 0), Size: smallProbe}
	if err := p.o.Send(w, f.Append(nil)); err != nil {
		p.o.Log.Debug("announcement of probes", "error", err) // it is repeated with each visit
	}
}

// listens reports whether this agent would receive an answer on a path; otherwise the path is not at fault, and earlier evidence against it
// does not count.
func (p *Prober) listens(ctx context.Context, w Path) bool {
	heard := p.selfTest(ctx, Path{Host: p.o.Host})
	p.mu.Lock()
	p.selfTestFailed = !heard
	p.mu.Unlock()
	if !heard || w.Network == "" {
		return heard
	}
	own := w
	own.Host = p.o.Host
	heard = p.selfTest(ctx, own)
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.conditions[w]; c != nil {
		if c.selfTestFailed = !heard; c.selfTestFailed {
			c.restart()
		}
	}
	return heard
}

// selfTest reports whether probes reach this agent; if not, no path can be blamed.
func (p *Prober) selfTest(ctx context.Context, own Path) bool {
	f := &pendingBurst{path: own, n: 1, home: make(chan struct{})}
	f.shots = []shot{{at: time.Now()}}
	session := p.start(f)
	defer p.arrive(session)
	probe := frame.Probe{EthSrc: pipeline.ProbeMAC(pipeline.AskSwitch, p.o.Host, 0), EthDst: pipeline.ProbeMAC(pipeline.ProbeBack, p.o.Host, 0), Session: session, Size: smallProbe}
	err := p.o.Self(own, probe.Append(nil))
	timer := time.NewTimer(answerTimeout / 2)
	defer timer.Stop()
	if err == nil {
		select {
		case <-f.home:
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	return p.soFar(f).back > 0
}

// Restart resets the evidence against paths: another switch than before forwards for them now, with ports of its own.
func (p *Prober) Restart() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conditions {
		c.restart()
	}
}

// frameOf is the size of the frame that carries a packet.
func frameOf(packet int) int { return packet + ethernet }

// ethernet is the size of a header without a tag.
const ethernet = 14

// Paths returns the current paths.
func (p *Prober) Paths() []Path {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.paths)
}
