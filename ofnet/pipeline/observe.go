package pipeline

import (
	"net/netip"

	"github.com/contiv/contiv/ofnet/flow"
)

// observedBytes is how much of a packet an observer gets: all headers, as far as ports.
const observedBytes = 128

// observedPriority is above that of a table's miss alone.
const observedPriority = 1

// Observes says of a flow that it is one of Observations: its packets end, as if no flow had taken them.
func Observes(f *flow.Flow) bool {
	return f.Cookie.Feature() == flow.Leased && f.Priority == observedPriority
}

// Observations is what brings an agent the headers of packets that end here, through a meter, as long as it holds them by a lease: of those that
// rules refuse when they would open a connection, of those that no flow takes, and of what endpoints here say with an address that is not theirs. They
// end all the same.
func Observations() []flow.Flow {
	do := LeaseConnections.toAgent(flow.Trace(observedBytes))
	var out []flow.Flow
	for _, at := range []struct {
		table flow.TableID
		terms []flow.Term
	}{
		{tRefuse, nil}, {tNowhere, nil}, {tBackend, nil}, {tUnserved, nil}, {tUplink, nil}, {tHostOut, nil}, {tOrigin, nil}, {tSpoofed, nil}, {tShut, nil},
		// What a physical switch floods is no one's loss.
		{tBridge, []flow.Term{hasNot(bitUplink)}},
	} {
		for _, family := range []flow.Term{flow.IP(), flow.IPv6()} {
			out = append(out, LeaseConnections.flow(at.table, observedPriority, flow.NewMatch(append(at.terms[:len(at.terms):len(at.terms)], family)...), do))
		}
	}
	return out
}

// Ended is what the registers say of a packet that ended in a table.
type Ended struct {
	Segment  uint32
	Tenant   uint16
	Refused  bool   // by rules or policies
	Out, In  uint32 // numbers of what admitted or refused at the sender's end and at the receiver's; the last one that is not 0 refused
	SrcGroup uint32 // 0: none, or not known here
	DstGroup uint32
	Sender   uint32     // port that it came in by, of an endpoint that may not send from that address; 0: the source address says who has sent it
	Asked    netip.Addr // where the packet went before a service led it to a backend; invalid: where it goes
	Why      string     // what it means that it ended there; "" where rules refused it
}

// Ended reads the packet-in of a packet that ended: one of Observations, or of Troubles.
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
