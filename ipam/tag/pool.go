// Package tag hands out numbers from a range: VLANs, VXLAN network identifiers, local VLANs, group and VRF numbers.
// The package computes only; who wants numbers to outlive the process rebuilds the pool from what it has stored.
package tag

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/ipam/bitmap"
)

// Errors that callers decide on; the pool wraps them with the number concerned.
var (
	ErrInUse      = errors.New("number is in use")
	ErrOutOfRange = errors.New("number is out of range")
	ErrExhausted  = errors.New("no free number")
)

// Pool hands out the numbers of one or more ranges. It is not safe for concurrent use.
// The zero Pool has no numbers.
type Pool struct {
	limit  Range // what Resize clips to
	ranges []Range
	base   int // the lowest number of the set
	set    *bitmap.Set
	used   int
}

var unlimited = Range{0, 1<<31 - 1}

// New returns a pool of low..high, all free. With low greater than high it has no numbers.
func New(low, high int) *Pool { return newPool(unlimited, Range{low, high}) }

// NewVLANs returns a pool of the VLANs among low..high: 0 and 4095 are never given, whatever the range says.
func NewVLANs(low, high int) *Pool { return newPool(Range{MinVLAN, MaxVLAN}, Range{low, high}) }

func newPool(limit, whole Range) *Pool {
	p := &Pool{limit: limit}
	p.ranges = p.clip([]Range{whole})
	p.base, p.set = build(p.ranges)
	return p
}

// clip sorts ranges and cuts away what lies outside the limit.
func (p *Pool) clip(ranges []Range) []Range {
	var list []Range
	for _, r := range ranges {
		r = Range{max(r.Min, p.limit.Min), min(r.Max, p.limit.Max)}
		if r.Len() > 0 {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b Range) int { return a.Min - b.Min })
	return list
}

// build makes the set that spans ranges, with the gaps between them taken.
func build(ranges []Range) (base int, set *bitmap.Set) {
	if len(ranges) == 0 {
		return 0, bitmap.New(0)
	}
	base = ranges[0].Min
	top := base
	for _, r := range ranges {
		top = max(top, r.Max)
	}
	set = bitmap.New(top - base + 1)
	next := base
	for _, r := range ranges {
		set.TakeRange(next-base, r.Min-1-base)
		next = max(next, r.Max+1)
	}
	return base, set
}

func (p *Pool) contains(n int) bool {
	return slices.ContainsFunc(p.ranges, func(r Range) bool { return r.Contains(n) })
}

// Clone returns a pool of the same numbers, to be changed while others read p, which must not be changed from then on.
func (p *Pool) Clone() *Pool {
	c := *p
	c.set = p.set.Clone()
	return &c
}

// Check says why n cannot be taken; nil when it is free. Errors: ErrOutOfRange, ErrInUse.
func (p *Pool) Check(n int) error {
	switch {
	case !p.contains(n):
		return fmt.Errorf("%d is not in %s: %w", n, p.rangeText(), ErrOutOfRange)
	case !p.set.IsFree(n - p.base):
		return fmt.Errorf("%d: %w", n, ErrInUse)
	}
	return nil
}

// Take takes n. Errors: those of Check.
func (p *Pool) Take(n int) error {
	err := p.Check(n)
	if err == nil {
		p.set.Take(n - p.base)
		p.used++
	}
	return err
}

// First returns the lowest free number. Error: ErrExhausted.
func (p *Pool) First() (int, error) {
	if p.set == nil {
		return 0, ErrExhausted
	}
	i := p.set.First(0)
	if i < 0 {
		return 0, fmt.Errorf("all of %s are in use: %w", p.rangeText(), ErrExhausted)
	}
	return p.base + i, nil
}

// Release gives n back and reports whether it was in use. Giving back what is free or outside is harmless.
func (p *Pool) Release(n int) bool {
	if !p.contains(n) || !p.set.Release(n-p.base) {
		return false
	}
	p.used--
	return true
}

// Resize changes the range to low..high and keeps what is in use. It is refused with ErrOutOfRange, and the pool
// stays as it was, unless every number in use lies in the new range.
func (p *Pool) Resize(low, high int) error { return p.ResizeList(Range{low, high}) }

// ResizeList is Resize to several ranges.
func (p *Pool) ResizeList(ranges ...Range) error {
	next := &Pool{limit: p.limit}
	if p.limit == (Range{}) {
		next.limit = unlimited
	}
	next.ranges = next.clip(ranges)
	next.base, next.set = build(next.ranges)
	var outside []Range
	for r := range p.inUse {
		for n := r.Min; n <= r.Max; n++ {
			if !next.contains(n) {
				outside = appendNumber(outside, n)
				continue
			}
			next.set.Take(n - next.base)
			next.used++
		}
	}
	if outside != nil {
		return fmt.Errorf("%s in use outside %s: %w", join(outside), next.rangeText(), ErrOutOfRange)
	}
	*p = *next
	return nil
}

// Ranges are what the pool hands out, ascending.
func (p *Pool) Ranges() []Range { return slices.Clone(p.ranges) }

// InUse is how many numbers are in use.
func (p *Pool) InUse() int { return p.used }

// String lists the numbers in use, "1, 10-12, 300"; empty when none is.
func (p *Pool) String() string {
	var list []Range
	for r := range p.inUse {
		list = append(list, r)
	}
	return join(list)
}

// FreeText lists the free numbers in the same form.
func (p *Pool) FreeText() string {
	if p.set == nil {
		return ""
	}
	var list []Range
	for a, b := range p.set.Runs(true) {
		list = append(list, Range{p.base + a, p.base + b})
	}
	return join(list)
}

// inUse yields the runs of numbers in use: the taken numbers without the gaps between the ranges.
func (p *Pool) inUse(yield func(Range) bool) {
	if p.set == nil {
		return
	}
	for a, b := range p.set.Runs(false) {
		run := Range{p.base + a, p.base + b}
		for _, r := range p.ranges {
			part := Range{max(run.Min, r.Min), min(run.Max, r.Max)}
			if part.Len() > 0 && !yield(part) {
				return
			}
		}
	}
}

func (p *Pool) rangeText() string {
	if len(p.ranges) == 0 {
		return "an empty range"
	}
	return join(p.ranges)
}

// appendNumber adds n, which is greater than all of list, as part of its last range where it can.
func appendNumber(list []Range, n int) []Range {
	if k := len(list); k > 0 && list[k-1].Max == n-1 {
		list[k-1].Max = n
		return list
	}
	return append(list, Range{n, n})
}

func join(list []Range) string {
	var text strings.Builder
	for i, r := range list {
		if i > 0 {
			text.WriteString(", ")
		}
		text.WriteString(r.String())
	}
	return text.String()
}
