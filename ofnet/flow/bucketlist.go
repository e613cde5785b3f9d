// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"slices"
	"strings"
)

// BucketList is a growing list of buckets. The zero BucketList is empty; one that is in use must not be copied.
type BucketList struct{ wire strings.Builder }

// bucketHead is the length of an ofp_bucket without its actions (OpenFlow 1.3.5 section 7.3.4.2).
const bucketHead = 16

// Add appends buckets. Only the actions that apply at once count: a bucket has no instructions.
func (l *BucketList) Add(list ...Bucket) {
	size := bucketHead * len(list)
	for i := range list {
		size += len(list[i].Actions.Apply())
	}
	l.wire.Grow(size)
	var head [bucketHead]byte
	for i := range list {
		acts := list[i].Actions.Apply()
		l.wire.Write(appendHead(head[:0], list[i].Weight, list[i].WatchPort, len(acts)))
		l.wire.WriteString(acts)
	}
}

// Resubmit appends a bucket for each value, which writes it to a register and looks the packet up in a table. The lists of a network's
// receivers are long and recreated for each endpoint; this is Add without actions for each.
func (l *BucketList) Resubmit(t TableID, reg Field, values ...uint32) {
	const valueAt, size, few = bucketHead + loadLen - 4, bucketHead + loadLen + resubmitLen, 8
	l.wire.Grow(size * len(values))
	var block [few * size]byte // written at once
	write, look := Load(All(reg), 0), Resubmit(t)
	for at := 0; at < min(few, len(values)); at++ {
		look.appendTo(write.appendTo(appendHead(block[at*size:at*size], 0, 0, loadLen+resubmitLen)))
	}
	for piece := range slices.Chunk(values, few) {
		for n, v := range piece {
			be.PutUint32(block[n*size+valueAt:], v)
		}
		l.wire.Write(block[:len(piece)*size])
	}
}

// Done returns the list; nothing may be appended afterwards.
func (l *BucketList) Done() Buckets { return Buckets{l.wire.String()} }

// appendHead appends the part of a bucket before its actions.
func appendHead(b []byte, weight uint16, watch Port, actions int) []byte {
	if watch == 0 {
		watch = PortAny
	}
	b = be.AppendUint16(b, uint16(min(bucketHead+actions, 0xfff8)))
	b = be.AppendUint16(b, weight)
	b = be.AppendUint32(b, watch)
	return append(b, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0) // no watch group
}
