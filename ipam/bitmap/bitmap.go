// Package bitmap keeps a set of numbers 0..n-1 and finds the lowest free one in constant time at any fill.
//
// Every 64 numbers share a word in which a set bit means free. Above the words lies a summary, and a summary of the
// summary, where a set bit means that the word below has something free: finding the lowest free number is one
// count of trailing zeros a level, at most four for 16 million numbers. The package computes only.
package bitmap

import (
	"iter"
	"math/bits"
)

const (
	wordBits  = 64
	wordShift = 6
	wordMask  = wordBits - 1
	maxLevels = 6 // 64^6 numbers, more than an int32 counts
)

// Set is a set of numbers of which each is free or taken. It is not safe for concurrent use.
// The zero Set holds no numbers at all.
type Set struct {
	size   int
	free   int
	height int
	levels [maxLevels][]uint64 // levels[0] are the numbers, levels[height-1] is one word
}

// New returns a set of the numbers 0..size-1, all free. A negative size counts as 0.
func New(size int) *Set {
	s := &Set{size: max(size, 0)}
	s.free = s.size
	if s.size == 0 {
		return s
	}
	total := 0
	for n := s.size; ; {
		n = (n + wordMask) >> wordShift
		total += n
		s.height++
		if n == 1 {
			break
		}
	}
	words := make([]uint64, total)
	n := s.size
	for l := range s.height {
		w := (n + wordMask) >> wordShift
		s.levels[l], words = words[:w:w], words[w:]
		fill(s.levels[l], n)
		n = w
	}
	return s
}

// fill sets the first n bits.
func fill(words []uint64, n int) {
	for i := range words {
		words[i] = ^uint64(0)
	}
	if rest := n & wordMask; rest != 0 {
		words[len(words)-1] = 1<<rest - 1
	}
}

// Len is how many numbers the set has, free and taken.
func (s *Set) Len() int { return s.size }

// Free is how many numbers are free.
func (s *Set) Free() int { return s.free }

// Taken is how many numbers are taken.
func (s *Set) Taken() int { return s.size - s.free }

// IsFree says whether i is free. A number outside the set is not.
func (s *Set) IsFree(i int) bool {
	return i >= 0 && i < s.size && s.levels[0][i>>wordShift]&(1<<(i&wordMask)) != 0
}

// First returns the lowest free number, or -1 when none is.
func (s *Set) First() int {
	if s.free == 0 {
		return -1
	}
	i := 0
	for l := s.height - 1; l >= 0; l-- {
		i = i<<wordShift | bits.TrailingZeros64(s.levels[l][i])
	}
	return i
}

// Take takes i and reports whether it was free.
func (s *Set) Take(i int) bool {
	if !s.IsFree(i) {
		return false
	}
	s.free--
	for l := range s.height {
		w := &s.levels[l][i>>wordShift]
		*w &^= 1 << (i & wordMask)
		if *w != 0 {
			break
		}
		i >>= wordShift
	}
	return true
}

// Release gives i back and reports whether it was taken.
func (s *Set) Release(i int) bool {
	if i < 0 || i >= s.size || s.IsFree(i) {
		return false
	}
	s.free++
	for l := range s.height {
		w := &s.levels[l][i>>wordShift]
		had := *w
		*w |= 1 << (i & wordMask)
		if had != 0 {
			break
		}
		i >>= wordShift
	}
	return true
}

// TakeRange takes first..last if all of them are free, otherwise nothing, and reports which of the two happened.
func (s *Set) TakeRange(first, last int) bool {
	if first < 0 || last >= s.size || first > last {
		return false
	}
	for i := first; i <= last; i++ {
		if !s.IsFree(i) {
			return false
		}
	}
	for i := first; i <= last; i++ {
		s.Take(i)
	}
	return true
}

// ReleaseRange gives back whatever of first..last is taken.
func (s *Set) ReleaseRange(first, last int) {
	for i := max(first, 0); i <= min(last, s.size-1); i++ {
		s.Release(i)
	}
}

// Runs yields first and last of every longest run of free (or, with free false, of taken) numbers, ascending.
func (s *Set) Runs(free bool) iter.Seq2[int, int] {
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
func (s *Set) next(i int, free bool) int {
	for i < s.size {
		w := s.levels[0][i>>wordShift]
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
