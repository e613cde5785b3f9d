package flow

import "slices"

// BucketList is a list of buckets that grows. The zero BucketList is empty.
type BucketList struct {
	wire []byte
	ends []int // of each bucket in wire
}

// bucketHead is the length of an ofp_bucket without its actions (OpenFlow 1.3.5 section 7.3.4.2).
const bucketHead = 16

// Add appends buckets. Only the actions that apply at once count: a bucket has no instructions.
func (l *BucketList) Add(list ...Bucket) {
	size := bucketHead * len(list)
	for i := range list {
		size += len(list[i].Actions.Apply())
	}
	l.grow(len(list), size)
	for i := range list {
		acts := list[i].Actions.Apply()
		l.wire = append(appendHead(l.wire, list[i].Weight, list[i].WatchPort, len(acts)), acts...)
		l.ends = append(l.ends, len(l.wire))
	}
}

// Output appends a bucket for each port, which sends to it. The lists of a network's receivers are long, and made anew with each
// endpoint; this is Add without an action for each.
func (l *BucketList) Output(ports ...Port) {
	const size, portAt = bucketHead + outputLen, bucketHead + 4
	l.grow(len(ports), size*len(ports))
	var one [size]byte
	model := appendOutput(appendHead(one[:0], 0, 0, outputLen), 0)
	for _, p := range ports {
		if p == PortController { // it has a length besides
			l.Add(Bucket{Actions: Do(Output(p))})
			continue
		}
		be.PutUint32(model[portAt:], p)
		l.wire = append(l.wire, model...)
		l.ends = append(l.ends, len(l.wire))
	}
}

// Append appends the buckets of another list.
func (l *BucketList) Append(o *BucketList) {
	at := len(l.wire)
	l.wire = append(l.wire, o.wire...)
	for _, end := range o.ends {
		l.ends = append(l.ends, at+end)
	}
}

// grow makes room for n buckets of together size bytes.
func (l *BucketList) grow(n, size int) {
	l.wire, l.ends = slices.Grow(l.wire, size), slices.Grow(l.ends, n)
}

// appendHead appends what comes before a bucket's actions.
func appendHead(b []byte, weight uint16, watch Port, actions int) []byte {
	if watch == 0 {
		watch = PortAny
	}
	b = be.AppendUint16(b, uint16(min(bucketHead+actions, 0xfff8)))
	b = be.AppendUint16(b, weight)
	b = be.AppendUint32(b, watch)
	return append(b, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0) // no watch group
}

// Len counts the buckets.
func (l *BucketList) Len() int { return len(l.ends) }

// Piece is the buckets from one number up to another, which is not included.
func (l *BucketList) Piece(from, to int) Buckets {
	return Buckets{string(l.wire[l.begin(from):l.begin(to)])}
}

// begin is where a bucket begins in wire.
func (l *BucketList) begin(n int) int {
	if n == 0 {
		return 0
	}
	return l.ends[n-1]
}
