// SPDX-License-Identifier: Apache-2.0

package flow

import "net/netip"

// A Part is one condition of a Match, or the word for its protocol.
type Part struct {
	Text  string // as ovs-ofctl prints it
	Field Field  // NoField: only Text describes the condition
	// Value and Mask are those of a field of at most 64 bits. The bits that the field does not have are not in Mask.
	Value, Mask uint64
	Addr        netip.Addr // of an address field all of whose bits are matched
}

// Parts are the conditions in the order in which ovs-ofctl prints them.
func (m Match) Parts() (out []Part) {
	m.print(func(t *Term, text []byte) {
		p := Part{Text: string(text)}
		if t != nil {
			size := fields[t.field].size
			p.Field, p.Value, p.Mask = t.field, uintOf(t.value[:size]), uintOf(t.mask[:size])
			if t.whole() {
				p.Addr = addrOf(t.field, t.value[:size])
			}
		}
		out = append(out, p)
	})
	return out
}

// addrOf returns the value of a field if that is an address, or an invalid address.
func addrOf(f Field, value []byte) (a netip.Addr) {
	if form := fields[f].form; form == formIP4 || form == formIP6 {
		a, _ = netip.AddrFromSlice(value)
	}
	return a
}

// A Verb is what a Step does.
type Verb uint8

// The verbs. An Other is described only by Text.
const (
	Other      Verb = iota
	Write           // Value, or Addr, into the bits To
	Goto            // continue in table Value
	OutputTo        // to port Value
	OutputFrom      // to the port that is in the bits To
	GroupTo         // to group Value
	MeterTo         // through meter Value
	Push            // a VLAN tag
	Pop             // a VLAN tag
	Decrement       // TTL
)

// A Step is one of the Actions of a flow.
type Step struct {
	Verb      Verb
	Text      string // as ovs-ofctl prints it
	To        Bits
	Value     uint64     // of at most 64 bits
	Addr      netip.Addr // of an address field
	FieldText string     // the value of a whole field, as ovs-ofctl prints it
}

// Steps are what the list does, in the order in which ovs-ofctl prints it; names are those of tables.
func (a Actions) Steps(names Tables) (out []Step) {
	a.print(names, func(w, text []byte, instruction bool) {
		s := Step{Text: string(text)}
		if instruction {
			s.instruction(w)
		} else {
			s.action(w)
		}
		out = append(out, s)
	})
	return out
}

func (s *Step) instruction(w []byte) {
	switch be.Uint16(w) {
	case insGoto:
		s.Verb, s.Value = Goto, uint64(w[4])
	case insMeter:
		s.Verb, s.Value = MeterTo, uint64(be.Uint32(w[4:]))
	}
}

// action reads one action, whose length has been checked.
func (s *Step) action(w []byte) {
	switch be.Uint16(w) {
	case actOutput:
		s.Verb, s.Value = OutputTo, uint64(be.Uint32(w[4:]))
	case actGroup:
		s.Verb, s.Value = GroupTo, uint64(be.Uint32(w[4:]))
	case actPushVLAN:
		s.Verb = Push
	case actPopVLAN:
		s.Verb = Pop
	case actDecTTL:
		s.Verb = Decrement
	case actSetField:
		f := fieldOf(be.Uint32(w[4:]))
		if f == NoField || len(w) < 8+int(fields[f].size) {
			return
		}
		value := w[8 : 8+fields[f].size]
		s.Verb, s.To, s.Value, s.Addr, s.FieldText = Write, All(f), uintOf(value), addrOf(f, value), string(appendValue(nil, f, value, false))
	case actExperimenter:
		s.nicira(w)
	}
}

func (s *Step) nicira(w []byte) {
	if len(w) != 24 || be.Uint32(w[4:]) != nicira {
		return
	}
	bits, ok := decodeBits(be.Uint16(w[10:]), be.Uint32(w[12:]))
	switch be.Uint16(w[8:]) {
	case nxRegLoad:
		if ok {
			s.Verb, s.To, s.Value = Write, bits, be.Uint64(w[16:])
		}
	case nxOutputReg:
		if ok {
			s.Verb, s.To = OutputFrom, bits
		}
	}
}
