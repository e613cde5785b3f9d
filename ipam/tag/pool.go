// Package tag allocates numbers from a range: VLANs, VXLAN network identifiers, local VLANs, group and VRF numbers. The package only
// computes; to keep numbers beyond the process, rebuild the pool from stored records.
package tag

import (
	"errors"
	"fmt"
	"strings"

	"github.com/contiv/contiv/ipam/bitmap"
)

// Errors that callers handle; the pool wraps them with the number.
var (
	ErrInUse      = errors.New("number is in use")
	ErrOutOfRange = errors.New("number is out of range")
	ErrExhausted  = errors.New("no free number")
)

// Pool allocates the numbers of a range. It is not safe for concurrent use.
type Pool struct {
	limit Range // what Resize clips to
	whole Range
	set   *bitmap.Set // of the numbers less whole.Min
}

// New returns a pool of low..high, all free. With low greater than high it has no numbers.
func New(low, high int) *Pool { return newPool(Range{0, 1<<31 - 1}, Range{low, high}) }

// NewVLANs returns a pool of the VLANs among low..high: 0 and 4095 are never allocated, whatever the range.
func NewVLANs(low, high int) *Pool { return newPool(Range{MinVLAN, MaxVLAN}, Range{low, high}) }

func newPool(limit, r Range) *Pool {
	if r = r.clip(limit); r.Len() == 0 {
		r.Max = r.Min - 1
	}
	return &Pool{limit: limit, whole: r, set: bitmap.New(r.Len())}
}

// Clone returns a pool of the same numbers, to be changed while others read p, which must not be changed from then on.
func (p *Pool) Clone() *Pool {
	c := *p
	c.set = p.set.Clone()
	return &c
}

// Check returns why n cannot be taken; nil if it is free. Errors: ErrOutOfRange, ErrInUse.
func (p *Pool) Check(n int) error {
	switch {
	case !p.whole.Contains(n):
		return fmt.Errorf("%d is not in %s: %w", n, p.rangeText(), ErrOutOfRange)
	case !p.set.IsFree(n - p.whole.Min):
		return fmt.Errorf("%d: %w", n, ErrInUse)
	}
	return nil
}

// Acquire takes n. Errors: those of Check.
func (p *Pool) Acquire(n int) error {
	err := p.Check(n)
	if err == nil {
		p.set.Acquire(n - p.whole.Min)
	}
	return err
}

// First returns the lowest free number. Error: ErrExhausted.
func (p *Pool) First() (int, error) {
	i := p.set.First(0)
	if i < 0 {
		return 0, fmt.Errorf("all of %s are in use: %w", p.rangeText(), ErrExhausted)
	}
	return p.whole.Min + i, nil
}

// Release frees n and reports whether it was in use. Releasing a number that is free or outside is harmless.
func (p *Pool) Release(n int) bool { return p.set.Release(n - p.whole.Min) }

// Resize changes the range to low..high and keeps numbers in use. If a number in use lies outside the new range, it returns ErrOutOfRange
// and changes nothing.
func (p *Pool) Resize(low, high int) error {
	next := newPool(p.limit, Range{low, high})
	var outside []Range
	for _, r := range p.runs(false) {
		kept := r.clip(next.whole)
		for n := kept.Min; n <= kept.Max; n++ {
			next.set.Acquire(n - next.whole.Min)
		}
		for _, part := range []Range{{r.Min, min(r.Max, next.whole.Min-1)}, {max(r.Min, next.whole.Max+1), r.Max}} {
			if part.Len() > 0 {
				outside = append(outside, part)
			}
		}
	}
	if outside != nil {
		return fmt.Errorf("%s in use outside %s: %w", join(outside), next.rangeText(), ErrOutOfRange)
	}
	*p = *next
	return nil
}

// Range returns the range of the pool.
func (p *Pool) Range() Range { return p.whole }

// InUse returns the number of numbers in use.
func (p *Pool) InUse() int { return p.set.Len() - p.set.Free() }

// String lists the numbers in use, "1, 10-12, 300"; empty if there are none.
func (p *Pool) String() string { return join(p.runs(false)) }

// FreeText lists the free numbers in the same form.
func (p *Pool) FreeText() string { return join(p.runs(true)) }

// runs are the longest runs of numbers that are free, or in use, in order.
func (p *Pool) runs(free bool) (list []Range) {
	for a, b := range p.set.Runs(free) {
		list = append(list, Range{p.whole.Min + a, p.whole.Min + b})
	}
	return list
}

func (p *Pool) rangeText() string {
	if p.whole.Len() == 0 {
		return "an empty range"
	}
	return p.whole.String()
}

func join(list []Range) string {
	parts := make([]string, len(list))
	for i, r := range list {
		parts[i] = r.String()
	}
	return strings.Join(parts, ", ")
}
