// SPDX-License-Identifier: Apache-2.0

package openflow

import (
	"github.com/contiv/contiv/ofnet/flow"
)

// Part is the type of a multipart message (OpenFlow 1.3.5 section 7.3.5).
type Part uint16

// The multipart types.
const (
	PartFlow          Part = 1
	PartTable         Part = 3
	PartGroupDesc     Part = 7
	PartGroupFeatures Part = 8
	PartMeter         Part = 9
	PartMeterConfig   Part = 10
	PartMeterFeatures Part = 11
	PartPortDesc      Part = 13
)

// MultipartRequest asks for a listing. Filter narrows PartFlow; its Table is AllTables for all.
type MultipartRequest struct {
	Part       Part
	Filter     FlowFilter
	Number     uint32 // of PartMeter and PartMeterConfig, AllMeters for all
	moreToCome bool
}

// FlowFilter selects flows.
type FlowFilter struct {
	Table      uint8
	Cookie     flow.Cookie
	CookieMask uint64
	Match      flow.Match
}

// Type is TypeMultipartRequest.
func (*MultipartRequest) Type() Type { return TypeMultipartRequest }

func (m *MultipartRequest) append(b []byte, _ uint32) []byte {
	b = be.AppendUint16(b, uint16(m.Part))
	b = append(b, 0, boolByte(m.moreToCome), 0, 0, 0, 0)
	switch m.Part {
	case PartFlow:
		b = append(b, m.Filter.Table, 0, 0, 0)
		b = be.AppendUint32(b, flow.PortAny)
		b = be.AppendUint32(b, anyGroup)
		b = append(b, 0, 0, 0, 0)
		b = be.AppendUint64(b, uint64(m.Filter.Cookie))
		b = be.AppendUint64(b, m.Filter.CookieMask)
		b = appendMatch(b, m.Filter.Match)
	case PartMeter, PartMeterConfig:
		b = be.AppendUint32(b, m.Number)
		b = append(b, 0, 0, 0, 0)
	}
	return b
}

func boolByte(v bool) byte {
	if v {
		return 1
	}
	return 0
}

func decodeMultipartRequest(r *reader) *MultipartRequest {
	m := &MultipartRequest{Part: Part(r.u16())}
	m.moreToCome = r.u16()&1 != 0
	r.skip(4)
	switch m.Part {
	case PartFlow:
		m.Filter.Table = r.u8()
		r.skip(15)
		m.Filter.Cookie = flow.Cookie(r.u64())
		m.Filter.CookieMask = r.u64()
		m.Filter.Match = r.match()
	case PartMeter, PartMeterConfig:
		m.Number = r.u32()
	}
	return m
}

// MultipartReply is one part of a listing. Only the list that belongs to Part is filled; an unknown type stays in Body.
type MultipartReply struct {
	Part   Part
	More   bool // another part follows
	Flows  []FlowStats
	Groups []flow.Group
	Meters []flow.Meter
	Drops  []MeterDrops
	Ports  []Port
	Tables []TableStats
	Can    *Can
	// Updates are changes of flows, of a reply to a MonitorRequest.
	Monitors bool
	Updates  []FlowUpdate
	Body     []byte
}

// Type is TypeMultipartReply.
func (*MultipartReply) Type() Type { return TypeMultipartReply }

// FlowStats is a flow with its counters.
type FlowStats struct {
	Flow           flow.Flow
	Packets, Bytes uint64
	Seconds        uint32 // since it was added
}

// TableStats is the number of flows of a table.
type TableStats struct {
	Table flow.TableID
	Flows uint32
}

// MeterDrops is the number of packets that a meter has dropped since it was created or changed.
type MeterDrops struct {
	ID      uint32
	Packets uint64
}

// append writes the part again; only tests and fakes send replies.
func (m *MultipartReply) append(b []byte, _ uint32) []byte {
	b = be.AppendUint16(b, uint16(m.Part))
	b = append(b, 0, boolByte(m.More), 0, 0, 0, 0)
	for i := range m.Flows {
		f := &m.Flows[i]
		start := len(b)
		b = append(b, 0, 0, byte(f.Flow.Table), 0)
		b = be.AppendUint32(b, f.Seconds)
		b = be.AppendUint32(b, 0)
		b = be.AppendUint16(b, f.Flow.Priority)
		b = append(b, make([]byte, 10)...)
		b = be.AppendUint64(b, uint64(f.Flow.Cookie))
		b = be.AppendUint64(b, f.Packets)
		b = be.AppendUint64(b, f.Bytes)
		b = appendMatch(b, f.Flow.Match)
		b = append(b, f.Flow.Actions.Wire()...)
		be.PutUint16(b[start:], uint16(min(len(b)-start, maxMessage)))
	}
	for _, g := range m.Groups {
		b = be.AppendUint16(b, uint16(min(8+len(g.Buckets.Wire()), maxMessage)))
		b = append(b, byte(g.Type), 0)
		b = be.AppendUint32(b, g.ID)
		b = append(b, g.Buckets.Wire()...)
	}
	for _, d := range m.Drops {
		b = be.AppendUint32(b, d.ID)
		b = be.AppendUint16(b, 56)
		b = append(b, make([]byte, 34)...)
		b = be.AppendUint64(b, d.Packets)
		b = be.AppendUint64(b, 0)
	}
	for _, p := range m.Ports {
		b = p.append(b)
	}
	for _, t := range m.Tables {
		b = append(b, byte(t.Table), 0, 0, 0)
		b = be.AppendUint32(b, t.Flows)
		b = append(b, make([]byte, 16)...)
	}
	if m.Can != nil {
		b = m.Can.append(b, m.Part)
	}
	if m.Monitors {
		b = appendUpdates(b, m.Updates)
	}
	return append(b, m.Body...)
}

func decodeMultipartReply(r *reader) *MultipartReply {
	m := &MultipartReply{Part: Part(r.u16())}
	m.More = r.u16()&1 != 0
	r.skip(4)
	for r.err == nil && len(r.b) > 0 {
		switch m.Part {
		case PartFlow:
			m.Flows = append(m.Flows, r.flowStats())
		case PartGroupDesc:
			m.Groups = append(m.Groups, r.groupDesc())
		case PartMeterConfig:
			e := reader{b: r.sub("meter", 0, 8), err: r.err}
			e.skip(2)
			m.Meters = append(m.Meters, e.meter())
			if r.err == nil {
				r.err = e.err
			}
		case PartMeter:
			m.Drops = append(m.Drops, r.meterDrops())
		case PartTable:
			m.Tables = append(m.Tables, r.tableStats())
		case PartPortDesc:
			m.Ports = append(m.Ports, decodePort(r))
		case PartGroupFeatures:
			m.Can = r.groupFeatures()
		case PartMeterFeatures:
			m.Can = r.meterFeatures()
		case PartExperimenter:
			m.experimenterReply(r)
		default:
			m.Body = clone(r.b)
			r.b = nil
		}
	}
	return m
}

func (r *reader) flowStats() (f FlowStats) {
	e := reader{b: r.sub("flow", 0, 56)}
	e.skip(2)
	f.Flow.Table = flow.TableID(e.u8())
	e.skip(1)
	f.Seconds = e.u32()
	e.skip(4)
	f.Flow.Priority = e.u16()
	e.skip(10)
	f.Flow.Cookie = flow.Cookie(e.u64())
	f.Packets, f.Bytes = e.u64(), e.u64()
	f.Flow.Match = e.match()
	f.Flow.Actions = e.instructions()
	if r.err == nil {
		r.err = e.err
	}
	return f
}

// tableStats reads a table's number of flows, before the counters of lookups (OpenFlow 1.3.5 section 7.3.5.4).
func (r *reader) tableStats() (t TableStats) {
	t.Table = flow.TableID(r.u8())
	r.skip(3)
	t.Flows = r.u32()
	r.skip(16)
	return t
}

// meterDrops reads the statistics of a meter, whose length follows its number (OpenFlow 1.3.5 section 7.3.5.14).
func (r *reader) meterDrops() (d MeterDrops) {
	e := reader{b: r.sub("meter statistics", 4, 40), err: r.err}
	d.ID = e.u32()
	e.skip(36)
	for e.err == nil && len(e.b) > 0 {
		d.Packets += e.u64()
		e.skip(8)
	}
	if r.err == nil {
		r.err = e.err
	}
	return d
}

func (r *reader) groupDesc() (g flow.Group) {
	e := reader{b: r.sub("group", 0, 8)}
	e.skip(2)
	g.Type = flow.GroupType(e.u8())
	e.skip(1)
	g.ID = e.u32()
	g.Buckets = e.buckets()
	if r.err == nil {
		r.err = e.err
	}
	return g
}
