// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"net/netip"

	"github.com/contiv/contiv/ofnet/flow"
)

// observedBytes is the length of the captured part of a packet: all headers up to the ports.
const observedBytes = 128

// observedPriority is only above a table's miss.
const observedPriority = 1

// Observes reports whether a flow is one of Observations: its packets are dropped as if they matched no flow.
func Observes(f *flow.Flow) bool {
	return f.Cookie.Feature() == flow.Leased && f.Priority == observedPriority
}

// Observations are the flows that send an agent the headers of dropped packets, through a meter, while it holds the lease: of packets that
// rules refuse when they would open a connection, of packets that match no flow, and of packets that local endpoints send with an address
// of others. The packets are dropped in any case.
func Observations() []flow.Flow {
	do := LeaseConnections.toAgent(flow.Trace(observedBytes))
	var out []flow.Flow
	for _, at := range []struct {
		table flow.TableID
		terms []flow.Term
	}{
		{tRefuse, nil}, {tNowhere, nil}, {tBackend, nil}, {tUnserved, nil}, {tUplink, nil}, {tHostOut, nil}, {tOrigin, nil}, {tSpoofed, nil}, {tShut, nil},
		// Dropping what a physical switch floods is no loss.
		{tBridge, []flow.Term{hasNot(bitUplink)}},
	} {
		for _, family := range []flow.Term{flow.IP(), flow.IPv6()} {
			out = append(out, LeaseConnections.flow(at.table, observedPriority, flow.NewMatch(append(at.terms[:len(at.terms):len(at.terms)], family)...), do))
		}
	}
	return out
}

// Ended is the content of the registers for a packet that was dropped in a table.
type Ended struct {
	Segment  uint32
	Tenant   uint16
	Refused  bool   // by rules or policies
	Out, In  uint32 // numbers of the deciders at the sender's end and at the receiver's; the last one that is not 0 refused
	SrcGroup uint32 // 0: none, or unknown here
	DstGroup uint32
	Sender   uint32     // the ingress port, if its endpoint may not send from that address; 0: the source address identifies the sender
	Asked    netip.Addr // the destination before a service directed it to a backend; invalid: unchanged
	Why      string     // why it was dropped there; "" if rules refused it
}

// Ended reads the packet-in of a dropped packet: one of Observations, or of Failures.
func (p *Pipeline) Ended(table flow.TableID, m flow.Match) Ended {
	e := Ended{Refused: table == tRefuse, Why: p.tables.Table(table).Lost}
	e.Segment, e.Tenant = Origin(m)
	number := func(f flow.Field) uint32 {
		v, _ := m.Uint(f)
		return uint32(v)
	}
	e.SrcGroup, e.DstGroup = number(regSrcGroup), number(regDstGroup)
	if e.Refused {
		e.Out, e.In = number(regRuleOut), number(regRuleIn)
	}
	if table == tSpoofed {
		e.Sender = number(flow.InPort)
	}
	if HasExpired(table) {
		e.Why = "it has passed as many routers as it may (its TTL)"
	}
	if a, ok := m.Addr(flow.CTNwDst); ok {
		e.Asked = a
	} else if a, ok := m.Addr(flow.CTIPv6Dst); ok {
		e.Asked = a
	}
	return e
}
