// SPDX-License-Identifier: Apache-2.0

package ipam

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Block is a part of a pool's addresses: a reserved range, or all others. It shows the pool's current state.
type Block struct {
	pool   *Pool
	name   string
	within span
	others []span // reserved for others, ordered by their first
}

// span is numbers of a set, first and last included.
type span struct{ first, last int }

func (p *Pool) spanOf(r Range) span { return span{p.number(r.First), p.number(r.Last)} }

// Block is the block of a range.
func (p *Pool) Block(r Range) Block {
	s := p.spanOf(r)
	return Block{pool: p, name: r.String(), within: span{max(s.first, 0), min(s.last, p.set.Len()-1)}}
}

// Rest returns the block of all addresses outside other blocks.
func (p *Pool) Rest(others []Range) Block {
	b := Block{pool: p, name: p.name, within: span{0, p.set.Len() - 1}}
	for _, r := range others {
		b.others = append(b.others, p.spanOf(r))
	}
	slices.SortFunc(b.others, func(x, y span) int { return cmp.Compare(x.first, y.first) })
	return b
}

// First returns the lowest free address. Error: ErrExhausted.
func (b Block) First() (netip.Addr, error) {
	i := b.pool.set.First(b.within.first)
	for _, o := range b.others {
		if i >= o.first && i <= o.last {
			i = b.pool.set.First(o.last + 1)
		}
	}
	if i < 0 || i > b.within.last {
		return netip.Addr{}, fmt.Errorf("%s: %w", b.name, ErrExhausted)
	}
	return b.pool.addr(i), nil
}

// Next returns the lowest free address above one or, if there is none, the lowest of all; for an address that is not in the block, or not
// valid, the lowest of all. A caller that always passes the last result reuses released addresses as late as possible. Error: ErrExhausted.
func (b Block) Next(after netip.Addr) (netip.Addr, error) {
	if i, err := b.pool.index(after); err == nil && i >= b.within.first && i < b.within.last {
		later := b
		later.within.first = i + 1
		if a, err := later.First(); err == nil {
			return a, nil
		}
	}
	return b.First()
}

// Contains reports whether a is one of the addresses of the block, taken or not.
func (b Block) Contains(a netip.Addr) bool {
	i, err := b.pool.index(a)
	return err == nil && i >= b.within.first && i <= b.within.last && !b.kept(i)
}

// kept reports whether a number is in another block.
func (b Block) kept(i int) bool {
	return slices.ContainsFunc(b.others, func(o span) bool { return i >= o.first && i <= o.last })
}

// Check returns why address a cannot be taken from the block; nil if it is free. Errors: those of Pool.Check, and ErrReserved for an
// address in another block.
func (b Block) Check(a netip.Addr) error {
	i, err := b.pool.index(a)
	switch {
	case err == nil && b.kept(i):
		return fmt.Errorf("%s in %s: %w", a, b.name, ErrReserved)
	case err == nil && (i < b.within.first || i > b.within.last):
		return fmt.Errorf("%s is not given out by %s: %w", a, b.name, ErrOutOfRange)
	}
	return b.pool.Check(a)
}

// CheckAll returns why a range cannot become a block of its own; nil if all of it is free here. Errors: those of Check.
func (b Block) CheckAll(r Range) error {
	for _, a := range []netip.Addr{r.First, r.Last} {
		if _, err := b.pool.index(a); err != nil {
			return err
		}
	}
	if r.Last.Less(r.First) {
		return fmt.Errorf("range %s-%s: first address is greater than the last", r.First, r.Last)
	}
	for a := r.First; r.Contains(a); a = a.Next() {
		if err := b.Check(a); err != nil {
			return err
		}
	}
	return nil
}

// String names the block: its range, or the pool's subnet.
func (b Block) String() string { return b.name }

// AllocatedText lists the taken addresses, including the gateway and other blocks, as ranges "a-b" and single addresses joined by ", ".
func (b Block) AllocatedText() string {
	var gaps []span
	at := b.within.first
	for s := range b.free {
		gaps = append(gaps, span{at, s.first - 1})
		at = s.last + 1
	}
	return b.text(append(gaps, span{at, b.within.last}))
}

// AvailableText lists the free addresses, in the same form.
func (b Block) AvailableText() string { return b.text(slices.Collect(b.free)) }

func (b Block) text(list []span) string {
	var out []string
	for _, s := range list {
		if s.first <= s.last {
			out = append(out, Range{b.pool.addr(s.first), b.pool.addr(s.last)}.String())
		}
	}
	return strings.Join(out, ", ")
}

// free yields the longest runs of free numbers, ascending.
func (b Block) free(yield func(span) bool) {
	for first, last := range b.pool.set.Runs(true) {
		first, last = max(first, b.within.first), min(last, b.within.last)
		for _, o := range b.others {
			if o.last < first || o.first > last {
				continue
			}
			if first < o.first && !yield(span{first, o.first - 1}) {
				return
			}
			first = o.last + 1
		}
		if first <= last && !yield(span{first, last}) {
			return
		}
	}
}

// Free returns the number of free addresses.
func (b Block) Free() (n int) {
	for s := range b.free {
		n += s.last - s.first + 1
	}
	return n
}
