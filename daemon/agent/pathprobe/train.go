package pathprobe

import (
	"context"
	"slices"
	"time"

	"github.com/contiv/contiv/ofnet/frame"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// train is a number of probes that are sent one after the other, alike but for their number.
type train struct {
	way      Way
	kind     pipeline.ProbeKind // pipeline.AskSwitch, or AskAgent
	n        int
	size     int           // of the frames
	gap      time.Duration // between them
	patience time.Duration // after the last
}

// outcome is what has come of a train.
type outcome struct {
	sent  int
	back  int
	shots []shot          // that were sent
	trips []time.Duration // of those that came back
	// asked and heard are, as far as an agent has answered, how many were sent up to the last that it has answered, and how many of them had come to it.
	asked, heard int
}

// shot is one probe.
type shot struct {
	at   time.Time
	back bool
}

// trip is the median of the round trips; 0 when there are none.
func (o *outcome) trip() time.Duration {
	if len(o.trips) == 0 {
		return 0
	}
	slices.Sort(o.trips)
	return o.trips[len(o.trips)/2]
}

// flight is a train that is under way.
type flight struct {
	way Way
	n   int // that are to be sent
	outcome
	home chan struct{} // closed when all have come back
}

// take counts an answer.
func (f *flight) take(p *frame.Probe, now time.Time) {
	seq := int(p.Seq)
	if seq >= len(f.shots) || f.shots[seq].back {
		return
	}
	f.shots[seq].back = true
	f.back++
	f.trips = append(f.trips, now.Sub(f.shots[seq].at))
	if p.Received > 0 && seq >= f.asked {
		f.asked, f.heard = seq+1, int(p.Received)
	}
	if f.back == f.n {
		close(f.home)
	}
}

// smallProbe is the size of probes that pass everywhere.
const smallProbe = 100

// lanes is how many addresses of origin the probes of a tunnel have, so that they spread over the ways that the underlay may choose from.
const lanes = 8

// run sends a train and waits for it. It returns early when all are back, or ctx ends: then what has come until then counts for those that have
// been sent long enough.
func (p *Prober) run(ctx context.Context, t train) (outcome, error) {
	f := &flight{way: t.way, n: t.n, home: make(chan struct{})}
	session := p.depart(f)
	defer p.arrive(session)
	to := pipeline.ProbeMAC(t.kind, t.way.Host, 0)
	pause := time.NewTicker(t.gap)
	defer pause.Stop()
	for seq := range t.n {
		if seq > 0 {
			select {
			case <-pause.C:
			case <-ctx.Done():
				return p.soFar(f), ctx.Err()
			}
		}
		lane := uint8(0)
		if t.way.Network == "" {
			lane = uint8(seq) % lanes
		}
		p.mu.Lock()
		f.shots = append(f.shots, shot{at: time.Now()})
		p.mu.Unlock()
		probe := frame.Probe{EthSrc: pipeline.ProbeMAC(pipeline.ProbeBack, p.o.Host, lane), EthDst: to, Session: session, Seq: uint32(seq), Size: t.size}
		if err := p.o.Send(t.way, probe.Append(nil)); err != nil {
			return outcome{}, err
		}
	}
	wait := time.NewTimer(t.patience)
	defer wait.Stop()
	select {
	case <-f.home:
	case <-wait.C:
	case <-ctx.Done():
		return p.soFar(f), ctx.Err()
	}
	return p.soFar(f), nil
}

// depart writes down that a train is under way.
func (p *Prober) depart(f *flight) (session uint64) {
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

// soFar is what has come of a train by now.
func (p *Prober) soFar(f *flight) outcome {
	p.mu.Lock()
	defer p.mu.Unlock()
	o := f.outcome
	o.trips, o.shots = slices.Clone(o.trips), slices.Clone(o.shots)
	o.sent = len(o.shots)
	return o
}

// Take takes a probe that has come here: by the tunnel of an end, or by the trunk in a network, by its number.
func (p *Prober) Take(origin Origin, b []byte) {
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
	if f := p.flights[probe.Session]; f != nil && f.way.End == origin.End && f.way.segment == origin.Segment {
		f.take(&probe, now)
	}
}
