// SPDX-License-Identifier: Apache-2.0

package flow

import "fmt"

// GroupType is the way in which a group uses its buckets (OpenFlow 1.3.5 section 5.6.1).
type GroupType uint8

// The group types.
const (
	GroupAll GroupType = iota
	GroupSelect
	GroupIndirect
	GroupFailover
)

// Group is a group table entry. It is comparable.
type Group struct {
	ID      uint32
	Type    GroupType
	Buckets Buckets
}

// Bucket is one branch of a group.
type Bucket struct {
	Weight    uint16 // of a select group; else 0
	WatchPort Port   // 0: none
	Actions   Actions
}

// Buckets is a list of buckets in its OpenFlow form; immutable and comparable.
type Buckets struct{ wire string }

// NewBuckets encodes a list of buckets. Only the actions that apply at once count: a bucket has no instructions.
func NewBuckets(list ...Bucket) Buckets {
	var l BucketList
	l.Add(list...)
	return l.Done()
}

// Wire is the list as OpenFlow carries it.
func (b Buckets) Wire() string { return b.wire }

// All yields the buckets in order.
func (b Buckets) All(yield func(Bucket) bool) {
	for rest := []byte(b.wire); len(rest) >= 16; {
		n := int(be.Uint16(rest))
		if n < 16 || n > len(rest) {
			return
		}
		k := Bucket{Weight: be.Uint16(rest[2:]), WatchPort: be.Uint32(rest[4:])}
		if k.WatchPort == PortAny {
			k.WatchPort = 0
		}
		k.Actions, _ = DecodeActions(rest[16:n])
		if !yield(k) {
			return
		}
		rest = rest[n:]
	}
}

// Len counts the buckets.
func (b Buckets) Len() (n int) {
	for range b.All {
		n++
	}
	return n
}

// DecodeBuckets reads the buckets of a group, as a group description carries them.
func DecodeBuckets(wire []byte) (Buckets, error) {
	for rest := wire; len(rest) > 0; {
		if len(rest) < 16 {
			return Buckets{}, fmt.Errorf("bucket: %d bytes are left of at least 16", len(rest))
		}
		n := int(be.Uint16(rest))
		if n < 16 || n%8 != 0 || n > len(rest) {
			return Buckets{}, fmt.Errorf("bucket: length %d with %d bytes left", n, len(rest))
		}
		if err := checkActions(rest[16:n]); err != nil {
			return Buckets{}, err
		}
		rest = rest[n:]
	}
	return Buckets{string(wire)}, nil
}

// refersTo yields the groups that the group's buckets hand packets to.
func (g Group) refersTo(yield func(uint32) bool) { groupsIn(g.Buckets.All, yield) }

func groupsIn(buckets func(func(Bucket) bool), yield func(uint32) bool) {
	for k := range buckets {
		for id := range k.Actions.Groups {
			if !yield(id) {
				return
			}
		}
	}
}

// Groups yields the groups that the list hands packets to.
func (a Actions) Groups(yield func(uint32) bool) {
	for rest := a.Apply(); len(rest) >= 8; {
		n := int(rest[2])<<8 | int(rest[3])
		if n < 8 || n > len(rest) {
			return
		}
		if rest[0] == 0 && rest[1] == actGroup && !yield(be.Uint32([]byte(rest[4:8]))) {
			return
		}
		rest = rest[n:]
	}
}

// Meters yields the meters that the list sends packets through.
func (a Actions) Meters(yield func(uint32) bool) {
	for rest := a.wire; len(rest) >= 8; {
		n := int(rest[2])<<8 | int(rest[3])
		if n < 8 || n > len(rest) {
			return
		}
		if rest[0] == 0 && rest[1] == insMeter && !yield(be.Uint32([]byte(rest[4:8]))) {
			return
		}
		rest = rest[n:]
	}
}

// Meter is a meter table entry with one drop band. Rate is in kbit/s, or packets/s when Packets is set; Burst in
// kbit or packets, 0 for the switch's default.
type Meter struct {
	ID      uint32
	Packets bool
	Rate    uint32
	Burst   uint32
}

// Gotos yields the tables that the list continues in.
func (a Actions) Gotos(yield func(TableID) bool) {
	for rest := a.wire; len(rest) >= 8; {
		n := int(rest[2])<<8 | int(rest[3])
		if n < 8 || n > len(rest) {
			return
		}
		if rest[0] == 0 && rest[1] == insGoto && !yield(TableID(rest[4])) {
			return
		}
		rest = rest[n:]
	}
}
