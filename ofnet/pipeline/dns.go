// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"fmt"

	"github.com/contiv/contiv/ofnet/flow"
)

// dnsPort is the port of name servers, over UDP and TCP (RFC 1035 section 4.2).
const dnsPort = 53

// Priorities in table local: leased flows stand above its own.
const (
	packetInPriority = 200
	bypassPriority   = 210
)

// DNSQuestions are the flows of LeaseNames, which send the DNS queries of endpoints, over UDP, to the agent. Without an agent the queries
// go to their destination.
func DNSQuestions() []flow.Flow {
	var out []flow.Flow
	for _, m := range dnsQuestions() {
		out = append(out, LeaseNames.flow(tLocal, packetInPriority, m, LeaseNames.toAgent(flow.Output(flow.PortController))))
	}
	return out
}

// DNSBypass excludes the endpoint behind a port from DNSQuestions: one that exceeds its limit bypasses the agent.
func DNSBypass(port uint32) []flow.Flow {
	var out []flow.Flow
	for _, m := range dnsQuestions(flow.Eq(flow.InPort, uint64(port))) {
		out = append(out, LeaseNames.flow(tLocal, bypassPriority, m, flow.Do(flow.GotoTable(tUnhairpin))))
	}
	return out
}

// dnsQuestions match DNS queries of endpoints that the agent has not seen.
func dnsQuestions(more ...flow.Term) []flow.Match {
	terms := append(more, flow.EqMask(regFlags, 1<<bitEndpoint, 1<<bitEndpoint|1<<bitSeen), flow.Eq(flow.UDPDst, dnsPort))
	return []flow.Match{flow.NewMatch(append(terms[:len(terms):len(terms)], flow.IP())...),
		flow.NewMatch(append(terms[:len(terms):len(terms)], flow.IPv6())...)}
}

// Resume returns the actions of a packet-out that continues a caught query, with the registers of m, from this table.
func Resume(m flow.Match) flow.Actions {
	var steps []flow.Action
	for _, r := range []flow.Field{regFlags, regNetwork, regTenant, regSrcGroup} {
		v, _ := m.Uint(r) // a packet-in omits zero values
		steps = append(steps, load(r, uint32(v)))
	}
	return flow.Do(append(steps, on(bitSeen), flow.Resubmit(tLocal))...)
}

// Resumed is the input of ofproto/trace, beside the packet, for a packet-in that continues.
func Resumed() string { return fmt.Sprintf("%s=%#x", regFlags, 1<<bitSeen) }

// Origin reads the segment and the tenant of a packet-in from its registers: their numbers.
func Origin(m flow.Match) (segment uint32, tenant uint16) {
	n, _ := m.Uint(regNetwork)
	t, _ := m.Uint(regTenant)
	return uint32(n), uint16(t)
}
