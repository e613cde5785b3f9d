package pathprobe

import (
	"maps"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/frame"
)

// Agents that ask this one are remembered for a while, so that they hear how many of a train have come; only so many are.
const (
	mostAskers = 4096
	forgetting = 10 * time.Second
)

// asker is who asks this agent in a train.
type asker struct {
	origin  Origin
	mac     ofnet.MAC // but for the lane
	session uint64
}

// asked is what has come of a train.
type asked struct {
	probes uint32
	at     time.Time
}

// answer tells another agent that its question has come, and how many of its train have.
func (p *Prober) answer(origin Origin, probe *frame.Probe, now time.Time) {
	heard, way, ok := p.hear(origin, probe, now)
	if !ok {
		return
	}
	reply := frame.Probe{EthSrc: probe.EthDst, EthDst: probe.EthSrc, Session: probe.Session, Seq: probe.Seq, Received: heard, Size: smallProbe}
	if err := p.o.Send(way, reply.Append(nil)); err != nil {
		p.o.Log.Debug("answer to a probe", "error", err) // it is asked again
	}
}

// hear counts a question, and finds the way back.
func (p *Prober) hear(origin Origin, probe *frame.Probe, now time.Time) (heard uint32, way Way, ok bool) {
	who := asker{origin, probe.EthSrc, probe.Session}
	who.mac[5] = 0
	p.mu.Lock()
	defer p.mu.Unlock()
	if way, ok = p.back[origin]; !ok {
		return 0, way, false
	}
	if c := p.conditions[way]; c != nil {
		c.heard = now
	}
	if len(p.askers) >= mostAskers {
		maps.DeleteFunc(p.askers, func(_ asker, a asked) bool { return now.Sub(a.at) > forgetting })
		if _, there := p.askers[who]; !there && len(p.askers) >= mostAskers {
			return 0, way, false
		}
	}
	a := asked{p.askers[who].probes + 1, now}
	p.askers[who] = a
	return a.probes, way, true
}
