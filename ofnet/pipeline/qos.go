package pipeline

import (
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// qos limits and marks what an endpoint sends, as its group's profile says. Each endpoint has a meter of its own, whose
// number is that of its port. Without profiles everything passes.
type qos struct{}

func (qos) Name() string { return "qos" }

func (qos) Tables() []flow.Table {
	return []flow.Table{{ID: tQoS, Name: "qos", Miss: flow.Do(flow.GotoTable(tLocal))}}
}

func (qos) Flows(s *ofnet.State, owner ofnet.Key) (out flow.Set) {
	m, ok := here(s, owner)
	if !ok {
		return out
	}
	g := s.Groups[m.Endpoint.Group]
	if g == nil || g.Profile.Rate == 0 && g.Profile.DSCP == 0 {
		return out
	}
	p := g.Profile
	var steps []flow.Action
	if p.Rate != 0 {
		out.AddMeter(flow.Meter{ID: m.Port, Rate: p.Rate, Burst: burst(p)})
		steps = append(steps, flow.ToMeter(m.Port))
	}
	if p.DSCP != 0 {
		steps = append(steps, flow.SetField(flow.IPDSCP, uint64(p.DSCP)))
	}
	do := flow.Do(append(steps, flow.GotoTable(tLocal))...)
	for _, family := range []flow.Term{flow.IP(), flow.IPv6()} {
		out.Add(flow.New(tQoS, exact, flow.NewMatch(family, flow.Eq(flow.InPort, uint64(m.Port))), do))
	}
	return out
}

// burst is what may pass at once, in kbit: what the profile says, or a quarter of a second, with which TCP comes near its
// rate. It is never less than eight packets of 1500 bytes: a meter lets no packet pass that is larger than its burst.
func burst(p ofnet.Profile) uint32 {
	const least = 96
	if p.Burst != 0 {
		return max(p.Burst, least)
	}
	return max(p.Rate/4, least)
}
