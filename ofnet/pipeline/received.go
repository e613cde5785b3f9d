package pipeline

import (
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// received counts what each endpoint here gets: all of it leaves by table output. What it sends is counted by source, which lets it pass.
// Counters cost a packet nothing: they are the switch's own, of flows that forward.
type received struct{}

func (received) Name() string { return "received" }

func (received) Tables() []flow.Table { return nil }

func (received) Reads() []*Input {
	return slices.Concat(readsSwitch, readsMember)
}

func (received) Flows(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	if m, ok := here(s, owner); ok {
		out.Add(flow.New(tOutput, exact, flow.NewMatch(flow.Eq(regOut, uint64(m.Port))), flow.Do(flow.OutputField(flow.All(regOut)))))
	}
}

// Counter is a number of packets and bytes that the switch counts of each endpoint.
type Counter string

// The counters. What an endpoint sends with an address that is not its own is offered, and not sent.
const (
	Offered  Counter = "port"
	Sent     Counter = "source"
	Received Counter = "received"
	Spoofed  Counter = "spoofed" // of what is offered, with an address of someone else
)

// Counted is the cookie of the flows that count for an endpoint.
func (p *Pipeline) Counted(c Counter, endpoint string) flow.Cookie {
	return flow.NewCookie(p.Number(string(c)), round, flow.Owner(ofnet.Key{Kind: ofnet.KindEndpoint, Name: endpoint}))
}
