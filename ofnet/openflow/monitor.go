// SPDX-License-Identifier: Apache-2.0

package openflow

import (
	"context"

	"github.com/contiv/contiv/ofnet/flow"
)

// Flow monitors of OpenFlow 1.3: extension 187 of the Open Networking Foundation, which Open vSwitch has from version 2.16 on. The messages
// are multipart ones of an experimenter.
const (
	flowMonitor = 1870
	// flowMonitorResumed is the last one of the messages by which a switch reports that it sends no updates for a while, because too many
	// wait, or that it sends updates again.
	flowMonitorResumed = flowMonitor + 3

	// PartExperimenter is the type of multipart messages of an experimenter.
	PartExperimenter Part = 0xffff
)

// Bits of a MonitorRequest: which changes are reported. Those by the connection itself are reported as FlowAbbrev.
const (
	monitorAdd    = 1 << 1
	monitorDelete = 1 << 2
	monitorModify = 1 << 3
)

// MonitorRequest makes the switch report all changes of flows, without their actions.
type MonitorRequest struct{ ID uint32 }

// Type is TypeMultipartRequest.
func (*MonitorRequest) Type() Type { return TypeMultipartRequest }

func (m *MonitorRequest) append(b []byte, _ uint32) []byte {
	b = be.AppendUint16(b, uint16(PartExperimenter))
	b = append(b, 0, 0, 0, 0, 0, 0)
	b = be.AppendUint32(b, experimenterONF)
	b = be.AppendUint32(b, flowMonitor)
	b = be.AppendUint32(b, m.ID)
	b = be.AppendUint16(b, monitorAdd|monitorDelete|monitorModify)
	b = be.AppendUint16(b, 4) // length of the match, which has no field
	b = be.AppendUint32(b, flow.PortAny)
	b = append(b, AllTables, 0, 0, 0)
	return appendMatch(b, flow.Match{})
}

// FlowEvent is a kind of FlowUpdate.
type FlowEvent uint16

// The kinds. FlowAbbrev stands for changes by the connection itself.
const (
	FlowAdded FlowEvent = iota
	FlowDeleted
	FlowModified
	FlowAbbrev
)

// FlowUpdate is a change of a flow. Flow has no actions; that of FlowAbbrev is empty.
type FlowUpdate struct {
	Event  FlowEvent
	Reason uint16 // of FlowDeleted, as in a flow-removed message
	Flow   flow.Flow
	XID    uint32 // of FlowAbbrev: of the request
}

// append writes the update again; only tests and fakes send updates.
func (u *FlowUpdate) append(b []byte) []byte {
	start := len(b)
	b = be.AppendUint16(append(b, 0, 0), uint16(u.Event))
	if u.Event == FlowAbbrev {
		b = be.AppendUint32(b, u.XID)
	} else {
		b = be.AppendUint16(b, u.Reason)
		b = be.AppendUint16(b, u.Flow.Priority)
		b = append(b, 0, 0, 0, 0)
		b = be.AppendUint16(b, uint16(min(4+len(u.Flow.Match.OXM()), maxMessage)))
		b = append(b, byte(u.Flow.Table), 0)
		b = be.AppendUint64(b, uint64(u.Flow.Cookie))
		b = appendMatch(b, u.Flow.Match)
	}
	be.PutUint16(b[start:], uint16(min(len(b)-start, maxMessage)))
	return b
}

// appendUpdates writes the body of a reply to a MonitorRequest.
func appendUpdates(b []byte, list []FlowUpdate) []byte {
	b = be.AppendUint32(b, experimenterONF)
	b = be.AppendUint32(b, flowMonitor)
	for i := range list {
		b = list[i].append(b)
	}
	return b
}

// experimenterReply reads the rest of a multipart reply of an experimenter: the updates of a flow monitor, otherwise its body.
func (m *MultipartReply) experimenterReply(r *reader) {
	if len(r.b) < 8 || be.Uint32(r.b) != experimenterONF || be.Uint32(r.b[4:]) != flowMonitor {
		m.Body = clone(r.b)
		r.b = nil
		return
	}
	r.skip(8)
	m.Monitors = true
	for r.err == nil && len(r.b) > 0 {
		m.Updates = append(m.Updates, r.flowUpdate())
	}
}

// flowUpdate reads one update. One of an unknown kind has only the kind.
func (r *reader) flowUpdate() (u FlowUpdate) {
	e := reader{b: r.sub("flow update", 0, 8), err: r.err}
	e.skip(2)
	u.Event = FlowEvent(e.u16())
	switch u.Event {
	case FlowAbbrev:
		u.XID = e.u32()
	case FlowAdded, FlowDeleted, FlowModified:
		u.Reason = e.u16()
		u.Flow.Priority = e.u16()
		e.skip(6) // timeouts, and the length of the match, which the match has too
		u.Flow.Table = flow.TableID(e.u8())
		e.skip(1)
		u.Flow.Cookie = flow.Cookie(e.u64())
		u.Flow.Match = e.match()
	}
	if r.err == nil {
		r.err = e.err
	}
	return u
}

// Monitor makes the switch report changes of flows to Options.Updates as long as the connection lives. It blocks until the switch has
// agreed; the error is an *Error if it refuses, as a version of Open vSwitch before 2.16 does.
func (c *Conn) Monitor(ctx context.Context) error {
	_, err := c.Request(ctx, &MonitorRequest{ID: 1})
	return err
}
