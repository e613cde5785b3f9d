// SPDX-License-Identifier: Apache-2.0

package flow

// nxLearn2 is the subtype of learn with a limit, and the flag that has learned flows go with the flow that taught them.
const (
	nxLearn2             = 45
	learnFlagDeleteFlows = 1 << 1
)

// Kinds and sources of what a learned flow is made of.
const (
	learnMatch     = 0 << 11
	learnLoad      = 1 << 11
	learnKinds     = 3 << 11
	learnImmediate = 1 << 13
	learnBits      = 1<<11 - 1
)

// A Lesson is a flow that the switch adds when a packet meets Learn, or keeps if it exists. It is deleted with the last flow that teaches
// it.
type Lesson struct {
	Table    TableID
	Idle     uint16 // seconds without use or renewal after which it ends; 0: never
	Priority uint16
	Cookie   Cookie
	Limit    uint32 // maximum number of flows with this cookie that the table learns; 0: any number
	// Match is what packets have in common with the current packet, or with Value; Load is what they receive.
	Match, Load []Learned
}

// Learned is a range of bits of a Lesson: copied from From or, if that has no bits, from the lowest bits of Value.
type Learned struct {
	To, From Bits
	Value    uint64
}

// Learn has the switch add a flow (ovs-actions(7), "learn").
func Learn(l Lesson) Action {
	b := be.AppendUint16(nil, actExperimenter)
	b = be.AppendUint16(b, 0) // its length, below
	b = be.AppendUint32(b, nicira)
	b = be.AppendUint16(b, nxLearn2)
	b = be.AppendUint16(b, l.Idle)
	b = be.AppendUint16(b, 0) // hard timeout
	b = be.AppendUint16(b, l.Priority)
	b = be.AppendUint64(b, uint64(l.Cookie))
	b = be.AppendUint16(b, learnFlagDeleteFlows)
	b = append(b, byte(l.Table), 0)
	b = zeros(b, 4) // timeouts after FIN
	b = be.AppendUint32(b, l.Limit)
	b = zeros(b, 4) // no bit says that it was done
	for i := range l.Match {
		b = l.Match[i].append(b, learnMatch)
	}
	for i := range l.Load {
		b = l.Load[i].append(b, learnLoad)
	}
	b = zeros(b, -len(b)&7)
	be.PutUint16(b[2:], uint16(len(b)))
	return newAction(insAction, b)
}

// append writes one part of a learned flow.
func (l *Learned) append(b []byte, kind uint16) []byte {
	bits := func(r Bits) {
		b = be.AppendUint32(b, fields[r.Field].nxHeader())
		b = be.AppendUint16(b, uint16(r.First))
	}
	if l.From.N > 0 {
		b = be.AppendUint16(b, kind|uint16(l.To.N))
		bits(l.From)
	} else {
		b = be.AppendUint16(b, kind|learnImmediate|uint16(l.To.N))
		size := 2 * ((l.To.N + 15) / 16)
		for i := size - 1; i >= 0; i-- {
			b = append(b, byte(l.Value>>(8*i)))
		}
	}
	bits(l.To)
	return b
}
