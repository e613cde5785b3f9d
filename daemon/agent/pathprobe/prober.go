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

// How often a way is visited, and how many probes a visit has: ten a second of a host, however many ways there are.
const (
	visitEvery = 500 * time.Millisecond
	visitSmall = 4 // and one of full size
	visitGap   = 20 * time.Millisecond
	patience   = time.Second

	// Ways that are under suspicion are visited more often, so many of them at a time.
	suspectEvery = time.Second
	suspectSmall = 10
	suspects     = 8
)

// Origin is where a probe has come from.
type Origin struct {
	End     netip.Addr // of the tunnel; invalid: by the trunk
	Segment uint32     // number of the network whose tag it had
}

// Life is what is known of the machine at the other end when nothing answers on a way.
type Life struct {
	Alive bool
	Said  string // how it answered, or that it did not: "the machine answers at 10.0.0.2"
	Other string // version of its agent when that is not this one's: it may be one whose switch turns no probes back
}

// Options are what a Prober needs.
type Options struct {
	Host     string                      // label of this one
	Port     int                         // of tunnels, UDP
	Overhead int                         // of a tunnel, in bytes
	View     func(func(s *ofnet.State))  // shows what the switch is to do
	Send     func(w Way, b []byte) error // sends a frame on a way
	// Self hands a frame to the switch, which is to hand it back to Take: of a way with a tag as if it had come with that by the trunk, of others without a network.
	Self  func(w Way, b []byte) error
	Room  func(w Way) int // the longest packet that a container sends on a way
	Alive func(ctx context.Context, host string) Life
	Other func(host string) string // version of a host's agent when that is not this one's, as in Life; it does not block
	Log   *slog.Logger
}

// Prober sends probes and keeps what they tell. It is safe for concurrent use.
type Prober struct {
	o Options

	mu         sync.Mutex
	seen       *ofnet.State // of which ways and back are made
	ways       []Way        // sorted
	conditions map[Way]*condition
	back       map[Origin]Way // ways to those who ask
	flights    map[uint64]*flight
	askers     map[asker]asked
	base       uint64 // sessions count from there
	sessions   uint64
	next       int // place of the way that is visited next
	suspect    int // place of the one of those under suspicion
	deaf       bool
}

// New makes a Prober; Run has it work, and Take is what it hears by.
func New(o Options) *Prober {
	return &Prober{o: o, conditions: map[Way]*condition{}, back: map[Origin]Way{}, flights: map[uint64]*flight{}, askers: map[asker]asked{}, base: rand.Uint64()}
}

// Run visits ways until ctx ends; then it returns nil.
func (p *Prober) Run(ctx context.Context) error {
	var visits sync.WaitGroup
	defer visits.Wait()
	tick := time.NewTicker(visitEvery)
	defer tick.Stop()
	for {
		p.refresh()
		if w, ok := p.turn(); ok {
			visits.Go(func() { p.visit(ctx, train{way: w, n: visitSmall, gap: visitGap, patience: patience}) })
		}
		for _, w := range p.suspected(time.Now()) {
			visits.Go(func() {
				p.visit(ctx, train{way: w, n: suspectSmall, gap: 2 * visitGap, patience: patience / 2})
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

// refresh brings the ways up to date with the State.
func (p *Prober) refresh() {
	p.o.View(func(s *ofnet.State) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if was := p.seen; was != nil && table.Same(was.Endpoints, s.Endpoints) && table.Same(was.Hosts, s.Hosts) && table.Same(was.Segments, s.Segments) && was.Local.Equal(&s.Local) {
			return
		}
		p.seen = s.Clone()
		p.ways = waysOf(s)
		now, had := time.Now(), p.conditions
		p.conditions = make(map[Way]*condition, len(p.ways))
		for _, w := range p.ways {
			if p.conditions[w] = had[w]; p.conditions[w] == nil {
				p.conditions[w] = &condition{known: now}
			}
		}
		p.back = map[Origin]Way{}
		for h := range s.Hosts.Values() {
			if h.VTEP.IsValid() {
				p.back[Origin{End: h.VTEP}] = Way{Host: h.Label, End: h.VTEP}
			}
		}
		for n := range s.Segments.Values() {
			if n.Encap == ofnet.VLAN {
				p.back[Origin{Segment: n.ID}] = Way{Network: n.Name, Tag: n.Tag, segment: n.ID}
			}
		}
	})
}

// turn is the way whose turn it is.
func (p *Prober) turn() (w Way, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.ways) == 0 {
		return w, false
	}
	p.next %= len(p.ways)
	w = p.ways[p.next]
	p.next++
	return w, true
}

// suspected are ways on which something is lost and that are due, some of them when there are many.
func (p *Prober) suspected(now time.Time) (out []Way) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range p.ways {
		p.suspect = (p.suspect + 1) % len(p.ways)
		w := p.ways[p.suspect]
		if c := p.conditions[w]; len(out) < suspects && c.suspicious(now) && !now.Before(c.due) {
			c.due = now.Add(suspectEvery)
			out = append(out, w)
		}
		if len(out) == suspects {
			break
		}
	}
	return out
}

// visit sends small probes and then one of full size on a way, and writes down what came of them.
func (p *Prober) visit(ctx context.Context, t train) {
	t.kind, t.size = pipeline.AskSwitch, smallProbe
	began := time.Now()
	small, err := p.run(ctx, t)
	if err != nil || small.back == 0 && !p.listens(ctx, t.way) {
		return
	}
	if small.back > 0 {
		p.mu.Lock()
		p.deaf = false // while the switch was away no probe could be sent, so hears was not asked
		p.mu.Unlock()
	}
	t.n, t.size = 1, frameOf(p.o.Room(t.way))
	full := outcome{}
	if small.back > 0 {
		if full, err = p.run(ctx, t); err != nil {
			return
		}
	}
	other := p.o.Other(t.way.Host)
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.conditions[t.way]; c != nil {
		if c.note(began, &small, &full); small.back > 0 {
			c.spoke = other
		}
	}
}

// listens reports whether this agent would hear an answer on a way: else the way is not to blame. Earlier evidence against it does not count then.
func (p *Prober) listens(ctx context.Context, w Way) bool {
	heard := p.hears(ctx, Way{Host: p.o.Host})
	p.mu.Lock()
	p.deaf = !heard
	p.mu.Unlock()
	if !heard || w.Network == "" {
		return heard
	}
	own := w
	own.Host = p.o.Host
	heard = p.hears(ctx, own)
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.conditions[w]; c != nil {
		if c.deaf = !heard; c.deaf {
			c.restart()
		}
	}
	return heard
}

// hears reports whether the switch hands probes to this agent.
func (p *Prober) hears(ctx context.Context, own Way) bool {
	f := &flight{way: own, n: 1, home: make(chan struct{})}
	f.shots = []shot{{at: time.Now()}}
	session := p.depart(f)
	defer p.arrive(session)
	probe := frame.Probe{EthSrc: pipeline.ProbeMAC(pipeline.AskSwitch, p.o.Host, 0), EthDst: pipeline.ProbeMAC(pipeline.ProbeBack, p.o.Host, 0), Session: session, Size: smallProbe}
	err := p.o.Self(own, probe.Append(nil))
	timer := time.NewTimer(patience / 2)
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

// Restart forgets what is held against ways: another switch than the one by which it was found does their work now, with ports of its own.
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

// Ways are those that are kept.
func (p *Prober) Ways() []Way {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.ways)
}
