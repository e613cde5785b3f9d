// SPDX-License-Identifier: Apache-2.0

package ipam

import (
	"errors"
	"fmt"
	"strings"
)

// Errors that callers handle; the pool wraps them with the number.
var (
	ErrNumberInUse      = errors.New("number is in use")
	ErrNumberOutOfRange = errors.New("number is out of range")
	ErrNoNumber         = errors.New("no free number")
)

// Numbers allocates the numbers of a range. It is not safe for concurrent use.
type Numbers struct {
	limit NumberRange // what Resize clips to
	whole NumberRange
	set   *bitmap // of the numbers less whole.Min
}

// NewNumbers returns a pool of low..high, all free. With low greater than high it has no numbers.
func NewNumbers(low, high int) *Numbers {
	return newNumbers(NumberRange{0, 1<<31 - 1}, NumberRange{low, high})
}

// NewVLANs returns a pool of the VLANs among low..high: 0 and 4095 are never allocated, whatever the range.
func NewVLANs(low, high int) *Numbers {
	return newNumbers(NumberRange{MinVLAN, MaxVLAN}, NumberRange{low, high})
}

func newNumbers(limit, r NumberRange) *Numbers {
	if r = r.clip(limit); r.Len() == 0 {
		r.Max = r.Min - 1
	}
	return &Numbers{limit: limit, whole: r, set: newBitmap(r.Len())}
}

// Clone returns a pool of the same numbers, to be changed while others read p, which must not be changed from then on.
func (p *Numbers) Clone() *Numbers {
	c := *p
	c.set = p.set.Clone()
	return &c
}

// Check returns why n cannot be taken; nil if it is free. Errors: ErrNumberOutOfRange, ErrNumberInUse.
func (p *Numbers) Check(n int) error {
	switch {
	case !p.whole.Contains(n):
		return fmt.Errorf("%d is not in %s: %w", n, p.rangeText(), ErrNumberOutOfRange)
	case !p.set.IsFree(n - p.whole.Min):
		return fmt.Errorf("%d: %w", n, ErrNumberInUse)
	}
	return nil
}

// Acquire takes n. Errors: those of Check.
func (p *Numbers) Acquire(n int) error {
	err := p.Check(n)
	if err == nil {
		p.set.Acquire(n - p.whole.Min)
	}
	return err
}

// First returns the lowest free number. Error: ErrNoNumber.
func (p *Numbers) First() (int, error) {
	i := p.set.First(0)
	if i < 0 {
		return 0, fmt.Errorf("all of %s are in use: %w", p.rangeText(), ErrNoNumber)
	}
	return p.whole.Min + i, nil
}

// Release frees n and reports whether it was in use. Releasing a number that is free or outside is harmless.
func (p *Numbers) Release(n int) bool { return p.set.Release(n - p.whole.Min) }

// Resize changes the range to low..high and keeps numbers in use. If a number in use lies outside the new range, it returns
// ErrNumberOutOfRange and changes nothing.
func (p *Numbers) Resize(low, high int) error {
	next := newNumbers(p.limit, NumberRange{low, high})
	var outside []NumberRange
	for _, r := range p.runs(false) {
		kept := r.clip(next.whole)
		for n := kept.Min; n <= kept.Max; n++ {
			next.set.Acquire(n - next.whole.Min)
		}
		for _, part := range []NumberRange{{r.Min, min(r.Max, next.whole.Min-1)}, {max(r.Min, next.whole.Max+1), r.Max}} {
			if part.Len() > 0 {
				outside = append(outside, part)
			}
		}
	}
	if outside != nil {
		return fmt.Errorf("%s in use outside %s: %w", joinNumbers(outside), next.rangeText(), ErrNumberOutOfRange)
	}
	*p = *next
	return nil
}

// Range returns the range of the pool.
func (p *Numbers) Range() NumberRange { return p.whole }

// InUse returns the number of numbers in use.
func (p *Numbers) InUse() int { return p.set.Len() - p.set.Free() }

// String lists the numbers in use, "1, 10-12, 300"; empty if there are none.
func (p *Numbers) String() string { return joinNumbers(p.runs(false)) }

// FreeText lists the free numbers in the same form.
func (p *Numbers) FreeText() string { return joinNumbers(p.runs(true)) }

// runs are the longest runs of numbers that are free, or in use, in order.
func (p *Numbers) runs(free bool) (list []NumberRange) {
	for a, b := range p.set.Runs(free) {
		list = append(list, NumberRange{p.whole.Min + a, p.whole.Min + b})
	}
	return list
}

func (p *Numbers) rangeText() string {
	if p.whole.Len() == 0 {
		return "an empty range"
	}
	return p.whole.String()
}

func joinNumbers(list []NumberRange) string {
	parts := make([]string, len(list))
	for i, r := range list {
		parts[i] = r.String()
	}
	return strings.Join(parts, ", ")
}
