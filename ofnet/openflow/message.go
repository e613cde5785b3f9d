// SPDX-License-Identifier: Apache-2.0

package openflow

import (
	"fmt"

	"github.com/contiv/contiv/ofnet/flow"
)

// Version is the only wire version that the package speaks.
const Version = 4

// maxMessage is the maximum of the length field of a header.
const maxMessage = 0xffff

// headerSize is the size of ofp_header.
const headerSize = 8

// Type is the type of a message (OpenFlow 1.3.5 section 7.1).
type Type uint8

// The message types.
const (
	TypeHello            Type = 0
	TypeError            Type = 1
	TypeEchoRequest      Type = 2
	TypeEchoReply        Type = 3
	TypeExperimenter     Type = 4
	TypeFeaturesRequest  Type = 5
	TypeFeaturesReply    Type = 6
	TypeGetConfigRequest Type = 7
	TypeGetConfigReply   Type = 8
	TypeSetConfig        Type = 9
	TypePacketIn         Type = 10
	TypeFlowRemoved      Type = 11
	TypePortStatus       Type = 12
	TypePacketOut        Type = 13
	TypeFlowMod          Type = 14
	TypeGroupMod         Type = 15
	TypeMultipartRequest Type = 18
	TypeMultipartReply   Type = 19
	TypeBarrierRequest   Type = 20
	TypeBarrierReply     Type = 21
	TypeMeterMod         Type = 29
)

// Message is the body of an OpenFlow message.
type Message interface {
	// Type is the type in the message's header.
	Type() Type
	// append writes the body after the header. Bodies that hold whole messages need the xid.
	append(b []byte, xid uint32) []byte
}

// Append writes m with its header to b. A message over 64 kB, whose length does not fit the header, is an error.
func Append(b []byte, xid uint32, m Message) ([]byte, error) {
	start := len(b)
	b = append(b, Version, byte(m.Type()), 0, 0)
	b = be.AppendUint32(b, xid)
	b = m.append(b, xid)
	n := len(b) - start
	if n > maxMessage {
		return b[:start], fmt.Errorf("message of type %d would be %d bytes long; OpenFlow allows %d", m.Type(), n, maxMessage)
	}
	be.PutUint16(b[start+2:], uint16(n))
	return b, nil
}

// Decode reads one whole message, header included. It returns messages of unknown types as Raw. The result shares nothing with frame.
func Decode(frame []byte) (xid uint32, m Message, err error) {
	if len(frame) < headerSize || int(be.Uint16(frame[2:])) != len(frame) {
		return 0, nil, fmt.Errorf("message of %d bytes has another length than its header", len(frame))
	}
	xid = be.Uint32(frame[4:])
	kind := Type(frame[1])
	r := &reader{b: frame[headerSize:]}
	m = decodeBody(kind, frame[0], r)
	if r.err != nil {
		return xid, nil, fmt.Errorf("message of type %d: %w", kind, r.err)
	}
	return xid, m, nil
}

func decodeBody(kind Type, version uint8, r *reader) Message {
	switch kind {
	case TypeHello:
		return decodeHello(version, r)
	case TypeError:
		return decodeError(r)
	case TypeEchoRequest, TypeEchoReply:
		return &Echo{Reply: kind == TypeEchoReply, Data: clone(r.b)}
	case TypeExperimenter:
		return decodeExperimenter(r)
	case TypeFeaturesReply:
		return decodeFeatures(r)
	case TypeGetConfigReply, TypeSetConfig:
		return &Config{Set: kind == TypeSetConfig, Flags: r.u16(), MissSendLen: r.u16()}
	case TypeFeaturesRequest, TypeGetConfigRequest, TypeBarrierRequest, TypeBarrierReply:
		return Simple(kind)
	case TypePacketIn:
		return decodePacketIn(r)
	case TypePacketOut:
		return decodePacketOut(r)
	case TypeFlowMod:
		return decodeFlowMod(r)
	case TypeGroupMod:
		return decodeGroupMod(r)
	case TypeMeterMod:
		return decodeMeterMod(r)
	case TypeMultipartRequest:
		return decodeMultipartRequest(r)
	case TypeMultipartReply:
		return decodeMultipartReply(r)
	}
	return &Raw{Kind: kind, Body: clone(r.b)}
}

func clone(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return append([]byte(nil), b...)
}

// Simple is a message without a body: FeaturesRequest, GetConfigRequest, BarrierRequest, BarrierReply.
type Simple Type

// Type is the value itself.
func (s Simple) Type() Type { return Type(s) }

func (Simple) append(b []byte, _ uint32) []byte { return b }

// Raw is a message of a type unknown to the package.
type Raw struct {
	Kind Type
	Body []byte
}

// Type returns the type in the header.
func (m *Raw) Type() Type { return m.Kind }

func (m *Raw) append(b []byte, _ uint32) []byte { return append(b, m.Body...) }

// Hello opens a connection; Versions is the bitmap of the versions that the sender speaks.
type Hello struct{ Versions uint32 }

// Type is TypeHello.
func (*Hello) Type() Type { return TypeHello }

func (m *Hello) append(b []byte, _ uint32) []byte {
	b = append(b, 0, 1, 0, 8) // the version bitmap element
	return be.AppendUint32(b, m.Versions)
}

// decodeHello reads the version bitmap; without one it means the header's version and all below it.
func decodeHello(version uint8, r *reader) *Hello {
	m := &Hello{Versions: 1<<(min(uint(version), 30)+1) - 2}
	for r.err == nil && len(r.b) >= 4 {
		e := r.sub("hello element", 2, 4)
		if len(e) >= 8 && be.Uint16(e) == 1 {
			m.Versions = be.Uint32(e[4:])
		}
		r.read(min(-len(e)&7, len(r.b)))
	}
	return m
}

// Echo is an echo request or reply.
type Echo struct {
	Reply bool
	Data  []byte
}

// Type is TypeEchoRequest or TypeEchoReply.
func (m *Echo) Type() Type {
	if m.Reply {
		return TypeEchoReply
	}
	return TypeEchoRequest
}

func (m *Echo) append(b []byte, _ uint32) []byte { return append(b, m.Data...) }

// Features describes a switch.
type Features struct {
	DatapathID   uint64
	Buffers      uint32
	Tables       uint8
	Capabilities uint32
}

// Type is TypeFeaturesReply.
func (*Features) Type() Type { return TypeFeaturesReply }

func (m *Features) append(b []byte, _ uint32) []byte {
	b = be.AppendUint64(b, m.DatapathID)
	b = be.AppendUint32(b, m.Buffers)
	b = append(b, m.Tables, 0, 0, 0)
	b = be.AppendUint32(b, m.Capabilities)
	return be.AppendUint32(b, 0)
}

func decodeFeatures(r *reader) *Features {
	m := &Features{DatapathID: r.u64(), Buffers: r.u32(), Tables: r.u8()}
	r.skip(3)
	m.Capabilities = r.u32()
	return m
}

// Config is the switch's configuration: how many bytes of a packet come with a packet-in. Open vSwitch sends no
// asynchronous messages to a management connection until MissSendLen is more than 0.
type Config struct {
	Set         bool
	Flags       uint16
	MissSendLen uint16
}

// Type is TypeSetConfig or TypeGetConfigReply.
func (m *Config) Type() Type {
	if m.Set {
		return TypeSetConfig
	}
	return TypeGetConfigReply
}

func (m *Config) append(b []byte, _ uint32) []byte {
	return be.AppendUint16(be.AppendUint16(b, m.Flags), m.MissSendLen)
}

// appendMatch writes ofp_match with its padding.
func appendMatch(b []byte, m flow.Match) []byte {
	oxm := m.OXM()
	n := 4 + len(oxm)
	b = append(b, 0, 1, byte(n>>8), byte(n))
	b = append(b, oxm...)
	return append(b, "\x00\x00\x00\x00\x00\x00\x00"[:-n&7]...)
}

// match reads ofp_match with its padding.
func (r *reader) match() flow.Match {
	x := r.sub("match", 2, 4)
	if x == nil {
		return flow.Match{}
	}
	if be.Uint16(x) != 1 {
		r.fail("match has type %d, not OXM", be.Uint16(x))
		return flow.Match{}
	}
	r.skip(-len(x) & 7)
	m, err := flow.DecodeMatch(x[4:])
	if err != nil && r.err == nil {
		r.err = err
	}
	return m
}

// instructions reads the rest as instructions.
func (r *reader) instructions() flow.Actions {
	if r.err != nil {
		return flow.Actions{}
	}
	a, err := flow.DecodeInstructions(r.b)
	r.b = nil
	r.err = err
	return a
}
