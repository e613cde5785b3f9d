// SPDX-License-Identifier: Apache-2.0

package pathprobe

import (
	"context"
	"slices"
	"time"

	"github.com/contiv/contiv/ofnet/frame"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// burst is a number of probes that are sent one after the other and differ only in their number.
type burst struct {
	path    Path
	kind    pipeline.ProbeKind // pipeline.AskSwitch, or AskAgent
	n       int
	size    int           // of the frames
	gap     time.Duration // between them
	timeout time.Duration // after the last
}

// outcome is the result of a burst.
type outcome struct {
	sent  int
	back  int
	shots []shot          // that were sent
	trips []time.Duration // of the probes that came back
	// asked and received are, according to the latest answer of an agent, the number of probes sent up to then, and the number that had
	// arrived there.
	asked, received int
}

// shot is one probe.
type shot struct {
	at   time.Time
	back bool
}

// trip is the median of the round trips; 0 if there are none.
func (o *outcome) trip() time.Duration {
	if len(o.trips) == 0 {
		return 0
	}
	slices.Sort(o.trips)
	return o.trips[len(o.trips)/2]
}

// pendingBurst is a burst in progress.
type pendingBurst struct {
	path Path
	n    int // number of probes to send
	outcome
	home chan struct{} // closed when all have come back
}

// receive counts an answer.
func (f *pendingBurst) receive(p *frame.Probe, now time.Time) {
	seq := int(p.Seq)
	if seq >= len(f.shots) || f.shots[seq].back {
		return
	}
	f.shots[seq].back = true
	f.back++
	f.trips = append(f.trips, now.Sub(f.shots[seq].at))
	if p.Received > 0 && seq >= f.asked {
		f.asked, f.received = seq+1, int(p.Received)
	}
	if f.back == f.n {
		close(f.home)
	}
}

// smallProbe is the size of probes that pass everywhere.
const smallProbe = 100

// lanes is the number of source addresses of a tunnel's probes, so that they spread over the paths that the underlay may choose from.
const lanes = 8

// run sends a burst and waits for it. It returns early if all probes are back, or ctx ends: then it counts the results for those sent long
// enough ago.
func (p *Prober) run(ctx context.Context, t burst) (outcome, error) {
	f := &pendingBurst{path: t.path, n: t.n, home: make(chan struct{})}
	session := p.start(f)
	defer p.arrive(session)
	to := pipeline.ProbeMAC(t.kind, t.path.Host, 0)
	pause := time.NewTicker(t.gap)
	defer pause.Stop()
	for seq := range t.n {
		if seq > 0 {
			select {
			case <-pause.C:
			case <-ctx.Done():
			}
		}
		if ctx.Err() != nil {
			return p.soFar(f), ctx.Err()
		}
		lane := uint8(0)
		if t.path.Network == "" {
			lane = uint8(seq) % lanes
		}
		p.mu.Lock()
		f.shots = append(f.shots, shot{at: time.Now()})
		p.mu.Unlock()
		probe := frame.Probe{EthSrc: pipeline.ProbeMAC(pipeline.ProbeBack, p.o.Host, lane), EthDst: to, Session: session, Seq: uint32(seq), Size: t.size}
		if err := p.o.Send(t.path, probe.Append(nil)); err != nil {
			return outcome{}, err
		}
	}
	wait := time.NewTimer(t.timeout)
	defer wait.Stop()
	select {
	case <-f.home:
	case <-wait.C:
	case <-ctx.Done():
		return p.soFar(f), ctx.Err()
	}
	return p.soFar(f), nil
}

// start registers a burst as in flight.
func (p *Prober) start(f *pendingBurst) (session uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sessions++
	session = p.base + p.sessions
	p.flights[session] = f
	return session
}

func (p *Prober) arrive(session uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.flights, session)
}

// soFar returns the current result of a burst.
func (p *Prober) soFar(f *pendingBurst) outcome {
	p.mu.Lock()
	defer p.mu.Unlock()
	o := f.outcome
	o.trips, o.shots = slices.Clone(o.trips), slices.Clone(o.shots)
	o.sent = len(o.shots)
	return o
}

// Receive handles a probe that has arrived here: by the tunnel of an end, or by the trunk in a network, by its number.
func (p *Prober) Receive(origin Origin, b []byte) {
	probe, err := frame.ParseProbe(b)
	if err != nil {
		return
	}
	now := time.Now()
	if pipeline.ProbeKind(probe.EthDst[0]) == pipeline.AskAgent {
		p.answer(origin, &probe, now)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.flights[probe.Session]; f != nil && f.path.End == origin.End && f.path.segment == origin.Segment {
		f.receive(&probe, now)
	}
}
