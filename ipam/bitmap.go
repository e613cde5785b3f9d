// SPDX-License-Identifier: Apache-2.0

package ipam

import (
	"iter"
	"math/bits"
	"slices"
)

const (
	wordShift = 6
	wordBits  = 1 << wordShift
	wordMask  = wordBits - 1
	maxLevels = 5 // 64^6 numbers, more than an int32 counts
)

// bitmap is a set of the numbers 0..n-1, each of which is free or taken. It finds the lowest free one in constant time at any fill: every
// 64 numbers share a word in which a set bit means free, and 64 words a leaf of a tree. Every node has a bit for each of its 64 words or
// nodes that has something free, so finding the lowest free number is one count of trailing zeros per level, at most four for 16 million
// numbers. A clone takes constant time, and copies what it changes. A bitmap is not safe for concurrent use. The zero bitmap has no
// numbers.
type bitmap struct {
	size  int
	free  int
	shift int // right shift of a number to its word or node in the root
	root  *node
	token *token // marks the nodes that only this set has
}

// A node has up to 64 words, or as many nodes below it.
type node struct {
	token *token
	some  uint64 // those with something free
	words []uint64
	nodes []*node
}

// A token has a size, so that no two share an address.
type token struct{ _ byte }

// newBitmap returns a set of the numbers 0..size-1, all free. A negative size counts as 0.
func newBitmap(size int) *bitmap {
	s := &bitmap{size: max(size, 0), shift: wordShift, token: new(token)}
	s.free = s.size
	for s.size > 1<<(s.shift+wordShift) {
		s.shift += wordShift
	}
	s.root = fullNode(s.size, s.shift)
	return s
}

// fullNode returns a node of n free numbers. Its full subtrees are one shared node, which a change copies.
func fullNode(n, shift int) *node {
	count := (n + 1<<shift - 1) >> shift
	out := &node{some: lowBits(count)}
	rest := n - (count-1)<<shift
	if shift == wordShift {
		out.words = slices.Repeat([]uint64{^uint64(0)}, count)
		if count > 0 {
			out.words[count-1] = lowBits(rest)
		}
		return out
	}
	out.nodes = slices.Repeat([]*node{fullNode(1<<shift, shift-wordShift)}, count)
	out.nodes[count-1] = fullNode(rest, shift-wordShift)
	return out
}

// lowBits are the n lowest bits.
func lowBits(n int) uint64 { return 1<<n - 1 }

// Clone returns a set of the same numbers, to be changed while others read s. From then on s must not be changed, since the clone shares
// its unchanged nodes.
func (s *bitmap) Clone() *bitmap {
	c := *s
	c.token = new(token)
	return &c
}

// Len returns the number of all numbers, free and taken.
func (s *bitmap) Len() int { return s.size }

// Free returns the number of free numbers.
func (s *bitmap) Free() int { return s.free }

// IsFree reports whether i is free. A number outside the set is not.
func (s *bitmap) IsFree(i int) bool {
	return i >= 0 && i < s.size && s.word(i)&(1<<(i&wordMask)) != 0
}

// word is the word of a number.
func (s *bitmap) word(i int) uint64 {
	n, shift := s.root, s.shift
	for ; shift > wordShift; shift -= wordShift {
		n = n.nodes[i>>shift&wordMask]
	}
	return n.words[i>>shift&wordMask]
}

// First returns the lowest free number that is i or above, or -1 if there is none.
func (s *bitmap) First(i int) int {
	if i = max(i, 0); i >= s.size {
		return -1
	}
	return s.root.first(i, s.shift)
}

// first is First of the numbers below a node.
func (n *node) first(i, shift int) int {
	at := i >> shift & wordMask
	if n.some&(1<<at) != 0 {
		if found := n.within(at, i, shift); found >= 0 {
			return found
		}
	}
	later := n.some &^ lowBits(at+1)
	if later == 0 {
		return -1
	}
	return n.within(bits.TrailingZeros64(later), 0, shift)
}

// within is first of the numbers of one word or node.
func (n *node) within(at, i, shift int) int {
	found := -1
	if n.words == nil {
		found = n.nodes[at].first(i&int(lowBits(shift)), shift-wordShift)
	} else if w := n.words[at] &^ lowBits(i&wordMask); w != 0 {
		found = bits.TrailingZeros64(w)
	}
	if found < 0 {
		return -1
	}
	return at<<shift | found
}

// Acquire takes i and reports whether it was free.
func (s *bitmap) Acquire(i int) bool {
	if !s.IsFree(i) {
		return false
	}
	s.free--
	s.flip(i)
	return true
}

// Release frees i and reports whether it was taken.
func (s *bitmap) Release(i int) bool {
	if i < 0 || i >= s.size || s.IsFree(i) {
		return false
	}
	s.free++
	s.flip(i)
	return true
}

// flip makes a free number taken, and a taken one free. It copies nodes that a clone shares.
func (s *bitmap) flip(i int) {
	var way [maxLevels]*node
	depth := 0
	for at, shift := &s.root, s.shift; ; shift -= wordShift {
		n := *at
		if n.token != s.token {
			n = &node{s.token, n.some, slices.Clone(n.words), slices.Clone(n.nodes)}
			*at = n
		}
		way[depth] = n
		if shift == wordShift {
			break
		}
		at = &n.nodes[i>>shift&wordMask]
		depth++
	}
	word := &way[depth].words[i>>wordShift&wordMask]
	*word ^= 1 << (i & wordMask)
	some := *word != 0
	for shift := wordShift; depth >= 0; shift += wordShift { // until nothing changes above
		n, bit := way[depth], uint64(1)<<(i>>shift&wordMask)
		if n.some&bit != 0 == some {
			return
		}
		n.some ^= bit
		some = n.some != 0
		depth--
	}
}

// Runs yields first and last of every longest run of free (or, with free false, of taken) numbers, ascending.
func (s *bitmap) Runs(free bool) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for i := s.next(0, free); i < s.size; {
			end := s.next(i, !free)
			if !yield(i, end-1) {
				return
			}
			i = s.next(end, free)
		}
	}
}

// next is the lowest number at or after i that is free (or taken), or the size when there is none.
func (s *bitmap) next(i int, free bool) int {
	for i < s.size {
		w := s.word(i)
		if !free {
			w = ^w
		}
		if w >>= i & wordMask; w != 0 {
			return min(i+bits.TrailingZeros64(w), s.size)
		}
		i = (i>>wordShift + 1) << wordShift
	}
	return s.size
}
