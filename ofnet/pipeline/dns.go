package pipeline

import (
	"fmt"

	"github.com/contiv/contiv/ofnet/flow"
)

// dnsPort is where name servers are asked, over UDP and TCP (RFC 1035 section 4.2).
const dnsPort = 53

// Priorities in table local: leased flows stand above its own.
const (
	packetInPriority = 200
	bypassPriority   = 210
)

// DNSQuestions are the flows of LeaseNames, which send the questions of endpoints to name servers, over UDP, to the agent. Without
// an agent the questions go where they are addressed to.
func DNSQuestions() []flow.Flow {
	var out []flow.Flow
	for _, m := range dnsQuestions() {
		out = append(out, LeaseNames.flow(tLocal, packetInPriority, m, LeaseNames.toAgent(flow.Output(flow.PortController))))
	}
	return out
}

// DNSBypass takes the endpoint behind a port out of DNSQuestions: one that asks too much asks without the agent.
func DNSBypass(port uint32) []flow.Flow {
	var out []flow.Flow
	for _, m := range dnsQuestions(flow.Eq(flow.InPort, uint64(port))) {
		out = append(out, LeaseNames.flow(tLocal, bypassPriority, m, flow.Do(flow.GotoTable(tUnhairpin))))
	}
	return out
}

// dnsQuestions match what endpoints send to name servers and the agent has not seen.
func dnsQuestions(more ...flow.Term) []flow.Match {
	terms := append(more, flow.EqMask(regFlags, 1<<bitEndpoint, 1<<bitEndpoint|1<<bitSeen), flow.Eq(flow.UDPDst, dnsPort))
	return []flow.Match{flow.NewMatch(append(terms[:len(terms):len(terms)], flow.IP())...),
		flow.NewMatch(append(terms[:len(terms):len(terms)], flow.IPv6())...)}
}

// Resume are the actions of a packet-out that sends a question that was caught, with the registers of m, on its way from there.
func Resume(m flow.Match) flow.Actions {
	var steps []flow.Action
	for _, r := range []flow.Field{regFlags, regNetwork, regTenant, regSrcGroup} {
		v, _ := m.Uint(r) // what is 0 is not in a packet-in
		steps = append(steps, load(r, uint32(v)))
	}
	return flow.Do(append(steps, on(bitSeen), flow.Resubmit(tLocal))...)
}

// Resumed is what ofproto/trace is to be told, beside the packet, of one that was a packet-in and goes on its way.
func Resumed() string { return fmt.Sprintf("%s=%#x", regFlags, 1<<bitSeen) }

// Origin reads from the registers of a packet-in which segment and tenant it is from: their numbers.
func Origin(m flow.Match) (segment uint32, tenant uint16) {
	n, _ := m.Uint(regNetwork)
	t, _ := m.Uint(regTenant)
	return uint32(n), uint16(t)
}
