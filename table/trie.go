package table

import (
	"hash/maphash"
	"math/bits"
	"slices"
)

// A trie is a persistent hash trie: whoever copies the value has a snapshot. Changes copy the nodes on the way to a row, but those
// that carry the token of the change, which no snapshot shares, are changed where they are. Its shape follows from its rows alone.
type trie[K comparable, V any] struct {
	root *node[K, V] // nil: no rows
	size int
}

// A row is never changed.
type row[K comparable, V any] struct {
	hash  uint64
	key   K
	value V
}

// A token marks the nodes that were made since the last snapshot. It has a size, so that no two share an address.
type token struct{ _ byte }

// A node has up to 32 places, chosen by five bits of the hash. Each holds a row, or a node with several rows. Below the last
// bits all rows have the same hash, and stand in no order.
type node[K comparable, V any] struct {
	token *token
	leafs uint32 // which places have a row, and
	forks uint32 // which have a node
	rows  []*row[K, V]
	nodes []*node[K, V]
}

const (
	width  = 5                  // bits of a hash that choose a place
	bottom = 64 / width * width // where fewer are left than a place needs, which is one level more, and then none
)

var seed = maphash.MakeSeed()

func newRow[K comparable, V any](key K, value V) *row[K, V] {
	return &row[K, V]{maphash.Comparable(seed, key), key, value}
}

// place is the bit of the place of a hash, at a level that starts at bit shift.
func place(hash uint64, shift uint) uint32 { return 1 << (hash >> shift & (1<<width - 1)) }

// at counts the places before bit.
func at(places, bit uint32) int { return bits.OnesCount32(places & (bit - 1)) }

// get finds the row of a key, nil when there is none.
func (t trie[K, V]) get(key K) *row[K, V] {
	if t.root == nil {
		return nil
	}
	return t.find(maphash.Comparable(seed, key), key)
}

func (t trie[K, V]) find(hash uint64, key K) *row[K, V] {
	if t.root == nil {
		return nil
	}
	return t.root.get(hash, key)
}

func (n *node[K, V]) get(hash uint64, key K) *row[K, V] {
	for shift := uint(0); shift <= bottom; shift += width {
		bit := place(hash, shift)
		switch {
		case n.leafs&bit != 0:
			if r := n.rows[at(n.leafs, bit)]; r.hash == hash && r.key == key {
				return r
			}
			return nil
		case n.forks&bit == 0:
			return nil
		}
		n = n.nodes[at(n.forks, bit)]
	}
	return n.same(key)
}

// same finds a row of a node below the last bits.
func (n *node[K, V]) same(key K) *row[K, V] {
	for _, r := range n.rows {
		if r.key == key {
			return r
		}
	}
	return nil
}

// put adds a row, or replaces the one of its key.
func (t *trie[K, V]) put(by *token, r *row[K, V]) {
	if t.root == nil {
		t.root = &node[K, V]{token: by}
	}
	added := false
	t.root, added = t.root.put(by, r, 0)
	if added {
		t.size++
	}
}

// own returns the node if it may be changed, a copy otherwise.
func (n *node[K, V]) own(by *token) *node[K, V] {
	if n.token == by {
		return n
	}
	return &node[K, V]{by, n.leafs, n.forks, roomy(n.rows), roomy(n.nodes)}
}

// roomy copies a list, with room for one more.
func roomy[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return append(make([]T, 0, len(list)+1), list...)
}

func (n *node[K, V]) put(by *token, r *row[K, V], shift uint) (_ *node[K, V], added bool) {
	n = n.own(by)
	if shift > bottom {
		for i, old := range n.rows {
			if old.key == r.key {
				n.rows[i] = r
				return n, false
			}
		}
		n.rows = append(n.rows, r)
		return n, true
	}
	bit := place(r.hash, shift)
	i, j := at(n.leafs, bit), at(n.forks, bit)
	switch {
	case n.forks&bit != 0:
		n.nodes[j], added = n.nodes[j].put(by, r, shift+width)
		return n, added
	case n.leafs&bit == 0:
		n.leafs |= bit
		n.rows = slices.Insert(n.rows, i, r)
		return n, true
	case n.rows[i].hash == r.hash && n.rows[i].key == r.key:
		n.rows[i] = r
		return n, false
	}
	below, _ := (&node[K, V]{token: by}).put(by, n.rows[i], shift+width)
	below, _ = below.put(by, r, shift+width)
	n.leafs &^= bit
	n.rows = slices.Delete(n.rows, i, i+1)
	n.forks |= bit
	n.nodes = slices.Insert(n.nodes, j, below)
	return n, true
}

// drop removes a row that is there.
func (t *trie[K, V]) drop(by *token, r *row[K, V]) {
	if t.size--; t.size == 0 {
		t.root = nil
		return
	}
	t.root = t.root.drop(by, r.hash, r.key, 0)
}

// drop removes a row that is there.
func (n *node[K, V]) drop(by *token, hash uint64, key K, shift uint) *node[K, V] {
	n = n.own(by)
	if shift > bottom {
		for i, r := range n.rows {
			if r.key == key {
				n.rows = slices.Delete(n.rows, i, i+1)
				break
			}
		}
		return n
	}
	bit := place(hash, shift)
	i, j := at(n.leafs, bit), at(n.forks, bit)
	if n.leafs&bit != 0 {
		n.leafs &^= bit
		n.rows = slices.Delete(n.rows, i, i+1)
		return n
	}
	below := n.nodes[j].drop(by, hash, key, shift+width)
	if len(below.nodes) > 0 || len(below.rows) > 1 {
		n.nodes[j] = below
		return n
	}
	n.forks &^= bit
	n.nodes = slices.Delete(n.nodes, j, j+1)
	n.leafs |= bit
	n.rows = slices.Insert(n.rows, i, below.rows[0])
	return n
}

// each calls yield with every row until it returns false, and reports whether it never did.
func (n *node[K, V]) each(yield func(*row[K, V]) bool) bool {
	if n == nil {
		return true
	}
	for _, r := range n.rows {
		if !yield(r) {
			return false
		}
	}
	for _, below := range n.nodes {
		if !below.each(yield) {
			return false
		}
	}
	return true
}
