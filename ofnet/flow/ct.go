// SPDX-License-Identifier: Apache-2.0

package flow

import "net/netip"

// CT is the connection tracking action (ovs-actions(7), "ct"). The zero CT sends the packet through the tracker in
// zone 0 and forgets the result.
type CT struct {
	Commit   bool
	Force    bool
	Zone     uint16   // the zone, when ZoneFrom is zero
	ZoneFrom Bits     // field that holds the zone
	Table    TableID  // where the packet is looked up again, when Recirc is set
	Recirc   bool     // look the packet up again in Table
	NAT      *NAT     // nil: no translation
	Exec     []Action // loads and moves into ct_mark and ct_label, with Commit only
}

// NAT is the translation of a CT. The zero NAT undoes what was translated before.
type NAT struct {
	Src, Dst         bool // which side is translated; at most one
	First, Last      netip.Addr
	PortLow, PortTop uint16 // 0: any port
	Persistent       bool
	Hash             bool
	Random           bool
}

// NAT flags and range bits (nicira-ext.h, struct nx_action_nat).
const (
	natSrc        = 1 << 0
	natDst        = 1 << 1
	natPersistent = 1 << 2
	natHash       = 1 << 3
	natRandom     = 1 << 4

	natHas4Min  = 1 << 0
	natHas4Max  = 1 << 1
	natHas6Min  = 1 << 2
	natHas6Max  = 1 << 3
	natHasPMin  = 1 << 4
	natHasPMax  = 1 << 5
	ctNoRecirc  = 0xff
	ctFlagForce = 1 << 1
)

// Track makes the action of c.
func Track(c CT) Action {
	b := nx(make([]byte, 0, 96), nxCT, 0)
	flags := uint16(0)
	if c.Commit {
		flags |= 1
	}
	if c.Force {
		flags |= ctFlagForce
	}
	b = be.AppendUint16(b, flags)
	if c.ZoneFrom.Field != NoField {
		b = be.AppendUint32(b, fields[c.ZoneFrom.Field].nxHeader())
		b = be.AppendUint16(b, c.ZoneFrom.ofsNBits())
	} else {
		b = be.AppendUint32(b, 0)
		b = be.AppendUint16(b, c.Zone)
	}
	table := byte(ctNoRecirc)
	if c.Recirc {
		table = byte(c.Table)
	}
	b = zeros(append(b, table), 3)
	b = be.AppendUint16(b, 0) // no helper
	if c.NAT != nil {
		b = c.NAT.appendTo(b)
	}
	for i := range c.Exec {
		b = c.Exec[i].appendTo(b)
	}
	be.PutUint16(b[2:], uint16(min(len(b), 0xfff8)))
	return newAction(insAction, b)
}

func (n *NAT) appendTo(b []byte) []byte {
	start := len(b)
	b = nx(b, nxNAT, 0)
	b = zeros(b, 2)
	flags, present := uint16(0), uint16(0)
	for _, f := range []struct {
		on  bool
		bit uint16
	}{{n.Src, natSrc}, {n.Dst, natDst}, {n.Persistent, natPersistent}, {n.Hash, natHash}, {n.Random, natRandom}} {
		if f.on {
			flags |= f.bit
		}
	}
	var tail []byte
	for _, a := range []struct {
		addr       netip.Addr
		bit4, bit6 uint16
	}{{n.First, natHas4Min, natHas6Min}, {n.Last, natHas4Max, natHas6Max}} {
		switch {
		case !a.addr.IsValid():
		case a.addr.Is4():
			present |= a.bit4
			tail = append(tail, a.addr.AsSlice()...)
		default:
			present |= a.bit6
			tail = append(tail, a.addr.AsSlice()...)
		}
	}
	if n.PortLow != 0 {
		present |= natHasPMin
		tail = be.AppendUint16(tail, n.PortLow)
	}
	if n.PortTop != 0 {
		present |= natHasPMax
		tail = be.AppendUint16(tail, n.PortTop)
	}
	b = be.AppendUint16(b, flags)
	b = be.AppendUint16(b, present)
	b = append(b, tail...)
	b = zeros(b, -(len(b)-start)&7)
	be.PutUint16(b[start+2:], uint16(len(b)-start))
	return b
}

// ClearCT clears the tracker's result for the packet.
func ClearCT() Action {
	var buf [16]byte
	return newAction(insAction, zeros(nx(buf[:0], nxCTClear, 16), 6))
}
