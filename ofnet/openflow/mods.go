// SPDX-License-Identifier: Apache-2.0

package openflow

import (
	"github.com/contiv/contiv/ofnet/flow"
)

// Command is the operation of a flow, group or meter modification.
type Command uint8

// The commands; groups and meters have only Add, Modify and Delete.
const (
	Add          Command = 0
	Modify       Command = 1
	ModifyStrict Command = 2
	Delete       Command = 3
	DeleteStrict Command = 4
)

// groupDelete is the wire number of Delete for groups and meters.
const groupDelete = 2

func wireCommand(c Command) uint16 {
	if c == Delete || c == DeleteStrict {
		return groupDelete
	}
	return uint16(c)
}

func commandOf(w uint16) Command {
	if w == groupDelete {
		return Delete
	}
	return Command(w)
}

// AllTables, AllGroups and AllMeters stand for everything in a delete or a request.
const (
	AllTables = 0xff
	AllGroups = 0xfffffffc
	AllMeters = 0xffffffff

	anyGroup = 0xffffffff
	noBuffer = 0xffffffff
)

// ResetCounts is the flag of an Add that resets the counters of the flow that it replaces; without it they continue (OFPFF_RESET_COUNTS;
// OpenFlow 1.3.5 section 7.3.4.1).
const ResetCounts uint16 = 1 << 2

// FlowMod changes one flow, or with Delete and Modify all that its match covers.
type FlowMod struct {
	Command    Command
	Flow       flow.Flow
	CookieMask uint64 // of a Delete or Modify: only flows whose cookie equals Cookie in these bits
	Seconds    uint16 // of an Add: lifetime of the flow (hard_timeout), 0: unlimited
	Flags      uint16
}

// Type is TypeFlowMod.
func (*FlowMod) Type() Type { return TypeFlowMod }

func (m *FlowMod) append(b []byte, _ uint32) []byte {
	b = be.AppendUint64(b, uint64(m.Flow.Cookie))
	b = be.AppendUint64(b, m.CookieMask)
	b = append(b, byte(m.Flow.Table), byte(m.Command), 0, 0)
	b = be.AppendUint16(b, m.Seconds)
	b = be.AppendUint16(b, m.Flow.Priority)
	b = be.AppendUint32(b, noBuffer)
	b = be.AppendUint32(b, flow.PortAny)
	b = be.AppendUint32(b, anyGroup)
	b = be.AppendUint16(b, m.Flags)
	b = append(b, 0, 0)
	b = appendMatch(b, m.Flow.Match)
	if m.Command < Delete {
		b = append(b, m.Flow.Actions.Wire()...)
	}
	return b
}

func decodeFlowMod(r *reader) *FlowMod {
	m := &FlowMod{}
	m.Flow.Cookie = flow.Cookie(r.u64())
	m.CookieMask = r.u64()
	m.Flow.Table = flow.TableID(r.u8())
	m.Command = Command(r.u8())
	r.skip(2)
	m.Seconds = r.u16()
	m.Flow.Priority = r.u16()
	r.skip(12)
	m.Flags = r.u16()
	r.skip(2)
	m.Flow.Match = r.match()
	m.Flow.Actions = r.instructions()
	return m
}

// GroupMod changes one group; a Delete of AllGroups removes all.
type GroupMod struct {
	Command Command
	Group   flow.Group
}

// Type is TypeGroupMod.
func (*GroupMod) Type() Type { return TypeGroupMod }

func (m *GroupMod) append(b []byte, _ uint32) []byte {
	b = be.AppendUint16(b, wireCommand(m.Command))
	b = append(b, byte(m.Group.Type), 0)
	b = be.AppendUint32(b, m.Group.ID)
	if m.Command < ModifyStrict {
		b = append(b, m.Group.Buckets.Wire()...)
	}
	return b
}

func decodeGroupMod(r *reader) *GroupMod {
	m := &GroupMod{Command: commandOf(r.u16())}
	m.Group.Type = flow.GroupType(r.u8())
	r.skip(1)
	m.Group.ID = r.u32()
	m.Group.Buckets = r.buckets()
	return m
}

// buckets reads the rest as buckets.
func (r *reader) buckets() flow.Buckets {
	if r.err != nil {
		return flow.Buckets{}
	}
	k, err := flow.DecodeBuckets(r.b)
	r.b = nil
	r.err = err
	return k
}

// MeterMod changes one meter; a Delete of AllMeters removes all.
type MeterMod struct {
	Command Command
	Meter   flow.Meter
}

// Type is TypeMeterMod.
func (*MeterMod) Type() Type { return TypeMeterMod }

// Meter flags and the drop band (OpenFlow 1.3.5 section 7.3.4.4).
const (
	meterKbps    = 1
	meterPackets = 2
	meterBurst   = 4
	bandDrop     = 1
)

func (m *MeterMod) append(b []byte, _ uint32) []byte {
	flags := uint16(meterKbps)
	if m.Meter.Packets {
		flags = meterPackets
	}
	if m.Meter.Burst != 0 {
		flags |= meterBurst
	}
	b = be.AppendUint16(b, wireCommand(m.Command))
	b = be.AppendUint16(b, flags)
	b = be.AppendUint32(b, m.Meter.ID)
	if m.Command >= ModifyStrict {
		return b
	}
	b = append(b, 0, bandDrop, 0, 16)
	b = be.AppendUint32(b, m.Meter.Rate)
	b = be.AppendUint32(b, m.Meter.Burst)
	return be.AppendUint32(b, 0)
}

func decodeMeterMod(r *reader) *MeterMod {
	m := &MeterMod{Command: commandOf(r.u16())}
	m.Meter = r.meter()
	return m
}

// meter reads flags, id and bands; of several bands the last drop band counts.
func (r *reader) meter() (m flow.Meter) {
	m.Packets = r.u16()&meterPackets != 0
	m.ID = r.u32()
	for r.err == nil && len(r.b) > 0 {
		band := reader{b: r.sub("meter band", 2, 12)}
		if band.u16() == bandDrop {
			band.skip(2)
			m.Rate, m.Burst = band.u32(), band.u32()
		}
	}
	return m
}

// PacketOut sends a packet as if it had arrived at InPort.
type PacketOut struct {
	InPort  uint32
	Actions flow.Actions // only actions that apply at once
	Data    []byte
}

// Type is TypePacketOut.
func (*PacketOut) Type() Type { return TypePacketOut }

func (m *PacketOut) append(b []byte, _ uint32) []byte {
	acts := m.Actions.Apply()
	b = be.AppendUint32(b, noBuffer)
	b = be.AppendUint32(b, m.InPort)
	b = be.AppendUint16(b, uint16(len(acts)))
	b = append(b, 0, 0, 0, 0, 0, 0)
	b = append(b, acts...)
	return append(b, m.Data...)
}

func decodePacketOut(r *reader) *PacketOut {
	r.skip(4)
	m := &PacketOut{InPort: r.u32()}
	n := int(r.u16())
	r.skip(6)
	acts, err := flow.DecodeActions(r.read(n))
	if err != nil && r.err == nil {
		r.err = err
	}
	m.Actions, m.Data = acts, clone(r.b)
	return m
}
