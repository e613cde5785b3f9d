package table

// differ calls yield with each row that one of two nodes has and the other has not, or has with another value; nil is for none. It
// passes over what the nodes share, so it takes time in proportion to the differences. It reports whether yield always returned true.
func differ[K comparable, V any](a, b *node[K, V], shift uint, yield func(a, b *row[K, V]) bool) bool {
	switch {
	case a == b:
		return true
	case a == nil:
		return b.each(func(r *row[K, V]) bool { return yield(nil, r) })
	case b == nil:
		return a.each(func(r *row[K, V]) bool { return yield(r, nil) })
	case shift > bottom:
		return differSame(a, b, yield)
	}
	for places := a.leafs | a.forks | b.leafs | b.forks; places != 0; places &= places - 1 {
		bit := places & -places
		rowA, belowA := a.in(bit)
		rowB, belowB := b.in(bit)
		if rowA == rowB && belowA == belowB {
			continue
		}
		if rowA != nil && rowB != nil && rowA.key == rowB.key {
			if !yield(rowA, rowB) {
				return false
			}
			continue
		}
		if !differ(lift(rowA, belowA, shift+width), lift(rowB, belowB, shift+width), shift+width, yield) {
			return false
		}
	}
	return true
}

// in is what stands in a place: a row, a node, or neither.
func (n *node[K, V]) in(bit uint32) (*row[K, V], *node[K, V]) {
	switch {
	case n.leafs&bit != 0:
		return n.rows[at(n.leafs, bit)], nil
	case n.forks&bit != 0:
		return nil, n.nodes[at(n.forks, bit)]
	}
	return nil, nil
}

// lift is a node, or one with the row alone.
func lift[K comparable, V any](r *row[K, V], n *node[K, V], shift uint) *node[K, V] {
	if r == nil {
		return n
	}
	n, _ = (&node[K, V]{}).put(nil, r, shift)
	return n
}

// differSame is differ below the last bits.
func differSame[K comparable, V any](a, b *node[K, V], yield func(a, b *row[K, V]) bool) bool {
	for _, r := range a.rows {
		if other := b.same(r.key); other != r && !yield(r, other) {
			return false
		}
	}
	for _, r := range b.rows {
		if a.same(r.key) == nil && !yield(nil, r) {
			return false
		}
	}
	return true
}
