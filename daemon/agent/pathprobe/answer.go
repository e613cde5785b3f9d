// SPDX-License-Identifier: Apache-2.0

package pathprobe

import (
	"maps"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/frame"
)

// Agents that send questions are remembered for a while, up to a maximum, so that an answer has the number of questions of the burst that
// have arrived.
const (
	maxRequesters = 4096
	forgetting    = 10 * time.Second
)

// requester is the sender of a burst of questions.
type requester struct {
	origin  Origin
	mac     ofnet.MAC // without the lane
	session uint64
}

// asked is the state of a requester's burst.
type asked struct {
	probes uint32
	at     time.Time
}

// answer reports to another agent that its question has arrived, and how many of its burst have.
func (p *Prober) answer(origin Origin, probe *frame.Probe, now time.Time) {
	heard, way, ok := p.countQuestion(origin, probe, now)
	if !ok {
		return
	}
	reply := frame.Probe{EthSrc: probe.EthDst, EthDst: probe.EthSrc, Session: probe.Session, Seq: probe.Seq, Received: heard, Size: smallProbe}
	if err := p.o.Send(way, reply.Append(nil)); err != nil {
		p.o.Log.Debug("answer to a probe", "error", err) // the question is repeated
	}
}

// countQuestion counts a question, and finds the path back.
func (p *Prober) countQuestion(origin Origin, probe *frame.Probe, now time.Time) (heard uint32, way Path, ok bool) {
	who := requester{origin, probe.EthSrc, probe.Session}
	who.mac[5] = 0
	p.mu.Lock()
	defer p.mu.Unlock()
	if way, ok = p.back[origin]; !ok {
		return 0, way, false
	}
	if c := p.conditions[way]; c != nil {
		c.lastReceived = now
	}
	if len(p.requesters) >= maxRequesters {
		maps.DeleteFunc(p.requesters, func(_ requester, a asked) bool { return now.Sub(a.at) > forgetting })
		if _, there := p.requesters[who]; !there && len(p.requesters) >= maxRequesters {
			return 0, way, false
		}
	}
	a := asked{p.requesters[who].probes + 1, now}
	p.requesters[who] = a
	return a.probes, way, true
}
