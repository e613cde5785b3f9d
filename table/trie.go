// SPDX-License-Identifier: Apache-2.0

package table

import (
	"hash/maphash"
	"math/bits"
	"slices"
)

// A trie is a persistent hash trie: a copy of the value is a snapshot. Changes copy the nodes on the path to a row, but nodes with the
// token of the change, which no snapshot shares, are changed in place. Its shape depends only on its rows.
type trie[K comparable, V any] struct {
	place[K, V]
	size int
}

// A place holds a row, a node with several rows below it, or nothing.
type place[K comparable, V any] struct {
	row  *row[K, V]
	node *node[K, V]
}

// A row is never changed.
type row[K comparable, V any] struct {
	hash  uint64
	key   K
	value V
}

// A node has up to 32 places, chosen by five bits of the hash.
type node[K comparable, V any] struct {
	token *token
	leafs uint32 // which places hold a row, and
	forks uint32 // which hold a node
	rows  []*row[K, V]
	nodes []*node[K, V]
}

// A token marks the nodes that were made since the last snapshot. It has a size, so that no two share an address.
type token struct{ _ byte }

const (
	width = 5             // bits of a hash that choose a place
	last  = 64 - 64%width // where a hash has too few bits for another
)

var seed = maphash.MakeSeed()

func newRow[K comparable, V any](key K, value V) *row[K, V] {
	return &row[K, V]{maphash.Comparable(seed, key), key, value}
}

// bit is the bit of the place of a key at a level that starts at bit shift of its hash.
func bit[K comparable](hash uint64, key K, shift uint) uint32 {
	if shift >= last {
		return deeper(key, shift)
	}
	return 1 << (hash >> shift & (1<<width - 1))
}

// deeper is bit at a level beyond the hash. There each level has a hash of its own, which distinguishes keys with the same hash: the level
// comes first, so that it acts as a seed.
func deeper[K comparable](key K, shift uint) uint32 {
	return 1 << (maphash.Comparable(seed, struct {
		shift uint
		key   K
	}{shift, key}) & (1<<width - 1))
}

// at counts the places before bit.
func at(places, bit uint32) int { return bits.OnesCount32(places & (bit - 1)) }

// get returns the row of a key, or nil.
func (p place[K, V]) get(key K) *row[K, V] { return p.find(maphash.Comparable(seed, key), key) }

func (p place[K, V]) find(hash uint64, key K) *row[K, V] {
	for shift := uint(0); p.node != nil; shift += width {
		p = p.node.in(bit(hash, key, shift))
	}
	if p.row != nil && p.row.hash == hash && p.row.key == key {
		return p.row
	}
	return nil
}

// in returns the content of a place of a node.
func (n *node[K, V]) in(bit uint32) (p place[K, V]) {
	switch {
	case n.leafs&bit != 0:
		p.row = n.rows[at(n.leafs, bit)]
	case n.forks&bit != 0:
		p.node = n.nodes[at(n.forks, bit)]
	}
	return p
}

// set changes the content of a place of a node.
func (n *node[K, V]) set(bit uint32, p place[K, V]) {
	n.rows = hold(n.rows, &n.leafs, bit, p.row)
	n.nodes = hold(n.nodes, &n.forks, bit, p.node)
}

// hold inserts something in the list of filled places, or removes what is there if it is nil.
func hold[T any](list []*T, places *uint32, bit uint32, it *T) []*T {
	i, there := at(*places, bit), *places&bit != 0
	switch {
	case it == nil && there:
		*places &^= bit
		return slices.Delete(list, i, i+1)
	case it != nil && there:
		list[i] = it
	case it != nil:
		*places |= bit
		return slices.Insert(list, i, it)
	}
	return list
}

// own returns the node if it may be changed, a copy otherwise, with capacity for the row that most copies are made for.
func (n *node[K, V]) own(by *token) *node[K, V] {
	if n.token == by {
		return n
	}
	c := &node[K, V]{by, n.leafs, n.forks, nil, slices.Clone(n.nodes)}
	if n.leafs != 0 {
		c.rows = append(make([]*row[K, V], 0, len(n.rows)+1), n.rows...)
	}
	return c
}

// put adds a row, or replaces the one of its key.
func (t *trie[K, V]) put(by *token, r *row[K, V]) {
	added := false
	if t.place, added = t.place.put(by, r, 0); added {
		t.size++
	}
}

func (p place[K, V]) put(by *token, r *row[K, V], shift uint) (_ place[K, V], added bool) {
	if p.node == nil && (p.row == nil || p.row.hash == r.hash && p.row.key == r.key) {
		return place[K, V]{row: r}, p.row == nil
	}
	n, b := p.lift(by, shift).own(by), bit(r.hash, r.key, shift)
	below, added := n.in(b).put(by, r, shift+width)
	n.set(b, below)
	return place[K, V]{node: n}, added
}

// lift turns the content of a place into a node of a level.
func (p place[K, V]) lift(by *token, shift uint) *node[K, V] {
	if p.node != nil {
		return p.node
	}
	n := &node[K, V]{token: by}
	if p.row != nil {
		n.set(bit(p.row.hash, p.row.key, shift), p)
	}
	return n
}

// drop removes a row that is there.
func (t *trie[K, V]) drop(by *token, r *row[K, V]) {
	t.place = t.place.drop(by, r, 0)
	t.size--
}

func (p place[K, V]) drop(by *token, r *row[K, V], shift uint) place[K, V] {
	if p.node == nil {
		return place[K, V]{}
	}
	n, b := p.node.own(by), bit(r.hash, r.key, shift)
	n.set(b, n.in(b).drop(by, r, shift+width))
	if len(n.nodes) == 0 && len(n.rows) == 1 {
		return place[K, V]{row: n.rows[0]}
	}
	return place[K, V]{node: n}
}

// each calls yield with every row until it returns false, and reports whether it never did.
func (p place[K, V]) each(yield func(*row[K, V]) bool) bool {
	if p.node == nil {
		return p.row == nil || yield(p.row)
	}
	for _, r := range p.node.rows {
		if !yield(r) {
			return false
		}
	}
	for _, below := range p.node.nodes {
		if !(place[K, V]{node: below}).each(yield) {
			return false
		}
	}
	return true
}
