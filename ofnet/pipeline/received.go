// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// received counts the packets to each local endpoint: all of them leave by table output. Table source counts the packets that it sends.
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

// Counter is a number of packets and bytes that the switch counts for each endpoint.
type Counter string

// The counters. Packets that an endpoint sends with an address of others count as offered, and not as sent.
const (
	Offered  Counter = "port"
	Sent     Counter = "source"
	Received Counter = "received"
	Spoofed  Counter = "spoofed" // part of the offered, with an address of others
)

// Counted is the cookie of an endpoint's counting flows.
func (p *Pipeline) Counted(c Counter, endpoint string) flow.Cookie {
	return flow.NewCookie(p.Number(string(c)), round, flow.Owner(ofnet.Key{Kind: ofnet.KindEndpoint, Name: endpoint}))
}
