// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// qos limits the traffic that an endpoint sends and receives, and marks what it sends, according to its group's profile and its own limits.
// Each endpoint has meters of its own, whose numbers derive from that of its port. Without profiles everything passes.
type qos struct{}

func (qos) Name() string { return "qos" }

func (qos) Tables() []flow.Table {
	return []flow.Table{
		{ID: tQoS, Name: "qos", Miss: flow.Do(flow.GotoTable(tLocal)), Asks: "meter, DSCP"},
	}
}

func (qos) Reads() []*Input {
	return slices.Concat(readsSwitch, readsMember)
}

func (qos) Flows(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	m, ok := here(s, owner)
	if !ok {
		return
	}
	p := profileOf(s, m)
	if s.Missing.Has(ofnet.Meters) {
		p.Rate, p.ReceiveRate = 0, 0 // a flow that names a meter would be refused, and its packets lost
	}
	if p.ReceiveRate != 0 {
		meter := receiveMeters | m.Port
		out.AddMeter(flow.Meter{ID: meter, Rate: p.ReceiveRate, Burst: burst(p.ReceiveRate, p.ReceiveBurst)})
		for _, family := range []flow.Term{flow.IP(), flow.IPv6()} {
			out.Add(flow.New(tDeliver, exact, flow.NewMatch(family, flow.Eq(regOut, uint64(m.Port))),
				flow.Do(flow.ToMeter(meter), flow.GotoTable(tOutput))))
		}
	}
	if p.Rate == 0 && p.DSCP == 0 {
		return
	}
	var steps []flow.Action
	if p.Rate != 0 {
		out.AddMeter(flow.Meter{ID: m.Port, Rate: p.Rate, Burst: burst(p.Rate, p.Burst)})
		steps = append(steps, flow.ToMeter(m.Port))
	}
	if p.DSCP != 0 {
		steps = append(steps, flow.SetField(flow.IPDSCP, uint64(p.DSCP)))
	}
	do := flow.Do(append(steps, flow.GotoTable(tLocal))...)
	for _, family := range []flow.Term{flow.IP(), flow.IPv6()} {
		out.Add(flow.New(tQoS, exact, flow.NewMatch(family, flow.Eq(flow.InPort, uint64(m.Port))), do))
	}
}

// receiveMeters is the offset of the meters of receivers from the numbers of ports.
const receiveMeters = 1 << 16

// profileOf returns the limits and the mark of an endpoint: its group's profile, and the lower rate if the endpoint has one of its own.
func profileOf(s *ofnet.State, m member) ofnet.Profile {
	var p ofnet.Profile
	if g := s.Groups.Get(m.Endpoint.Group); g != nil {
		p = g.Profile
	}
	own := m.Limits
	if own.Rate != 0 && (p.Rate == 0 || own.Rate < p.Rate) {
		p.Rate, p.Burst = own.Rate, own.Burst
	}
	if own.ReceiveRate != 0 && (p.ReceiveRate == 0 || own.ReceiveRate < p.ReceiveRate) {
		p.ReceiveRate, p.ReceiveBurst = own.ReceiveRate, own.ReceiveBurst
	}
	return p
}

// burst is the burst in kbit: that of the profile, or a quarter of a second, with which TCP nearly reaches its rate. It is never less than
// eight packets of 1500 bytes: a meter lets no packet pass that is larger than its burst.
func burst(rate, said uint32) uint32 {
	const least = 96
	if said != 0 {
		return max(said, least)
	}
	return max(rate/4, least)
}
