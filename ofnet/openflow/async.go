// SPDX-License-Identifier: Apache-2.0

package openflow

import (
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// PacketIn is a packet that the switch sends to the controller, with the fields it had in the pipeline.
type PacketIn struct {
	TotalLen uint16
	Reason   uint8
	Table    flow.TableID
	Cookie   flow.Cookie
	Match    flow.Match
	Data     []byte
}

// Type is TypePacketIn.
func (*PacketIn) Type() Type { return TypePacketIn }

func (m *PacketIn) append(b []byte, _ uint32) []byte {
	b = be.AppendUint32(b, noBuffer)
	b = be.AppendUint16(b, m.TotalLen)
	b = append(b, m.Reason, byte(m.Table))
	b = be.AppendUint64(b, uint64(m.Cookie))
	b = appendMatch(b, m.Match)
	return append(append(b, 0, 0), m.Data...)
}

func decodePacketIn(r *reader) *PacketIn {
	r.skip(4)
	m := &PacketIn{TotalLen: r.u16(), Reason: r.u8(), Table: flow.TableID(r.u8()), Cookie: flow.Cookie(r.u64())}
	m.Match = r.match()
	r.skip(2)
	m.Data = clone(r.b)
	return m
}

// Port describes a port (OpenFlow 1.3.5 section 7.2.1).
type Port struct {
	Number uint32
	MAC    ofnet.MAC
	Name   string // at most 15 bytes
	Config uint32 // bit 0: administratively down
	State  uint32 // bit 0: no link
}

// Up reports whether the port is enabled and has a link.
func (p Port) Up() bool { return p.Config&1 == 0 && p.State&1 == 0 }

func (p Port) append(b []byte) []byte {
	b = be.AppendUint32(b, p.Number)
	b = append(b, 0, 0, 0, 0)
	b = append(b, p.MAC[:]...)
	b = append(b, 0, 0)
	var name [16]byte
	copy(name[:15], p.Name)
	b = append(b, name[:]...)
	b = be.AppendUint32(b, p.Config)
	b = be.AppendUint32(b, p.State)
	return append(b, make([]byte, 24)...)
}

func decodePort(r *reader) (p Port) {
	p.Number = r.u32()
	r.skip(4)
	copy(p.MAC[:], r.read(6))
	r.skip(2)
	p.Name = r.text(16)
	p.Config = r.u32()
	p.State = r.u32()
	r.skip(24)
	return p
}
