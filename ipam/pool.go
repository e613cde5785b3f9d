// Package ipam hands out addresses from a subnet.
//
// A Pool is a value in memory: nothing here is stored. Who wants addresses to outlive the process rebuilds a pool
// from its own records: New, then Carve for every group pool, then Take for every address (about 20 ns each).
// The package computes only.
package ipam

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/contiv/contiv/ipam/bitmap"
)

// Errors that callers decide on; pools wrap them with the address and the subnet concerned.
var (
	ErrInUse      = errors.New("address is in use")
	ErrReserved   = errors.New("address is reserved")
	ErrOutOfRange = errors.New("address is out of range")
	ErrExhausted  = errors.New("address exhaustion")
)

// Spec says what a Pool hands out.
type Spec struct {
	Prefix  netip.Prefix // IPv4, length 8 to 31; bits after the length are ignored
	First   netip.Addr   // lowest and highest address to give; not valid: the whole subnet
	Last    netip.Addr
	Gateway netip.Addr // reserved when valid; must be inside Prefix
}

// Range is the declared range, or all of the subnet when none is.
func (s Spec) Range() Range {
	r := RangeOf(s.Prefix)
	if s.First.IsValid() {
		r.First = s.First
	}
	if s.Last.IsValid() {
		r.Last = s.Last
	}
	return r
}

// Pool hands out the addresses of an IPv4 subnet, or of a block carved out of one.
// The network address, the broadcast address, the gateway and everything outside the range are never given.
// Next, Take and Release take the same time at any fill and do not allocate memory.
// A Pool is not safe for concurrent use.
type Pool struct {
	name    string // the subnet, or for a block "first-last", for errors
	base    uint32 // address of number 0 of the set
	set     *bitmap.Set
	gateway int // its number, -1: none among the pool's numbers
	parent  *Pool
	blocks  []*Pool // ordered by base; they do not overlap
	inBlock int     // how many numbers blocks hold
}

// New makes the pool of a subnet.
func New(s Spec) (*Pool, error) {
	base, size, err := span(s.Prefix)
	if err != nil {
		return nil, err
	}
	r := s.Range()
	for _, a := range []netip.Addr{r.First, r.Last} {
		if !s.Prefix.Contains(a) {
			return nil, fmt.Errorf("%s is not in %s: %w", a, s.Prefix.Masked(), ErrOutOfRange)
		}
	}
	if r.Last.Less(r.First) {
		return nil, fmt.Errorf("range %s-%s: first address is greater than the last", r.First, r.Last)
	}
	if s.Gateway.IsValid() && !s.Prefix.Contains(s.Gateway) {
		return nil, fmt.Errorf("gateway %s is not in %s: %w", s.Gateway, s.Prefix.Masked(), ErrOutOfRange)
	}
	first := max(number4(r.First), base+1)      // host 0 names the network
	last := min(number4(r.Last), base+(size-2)) // the last host is the broadcast address
	p := &Pool{name: s.Prefix.Masked().String(), base: first, gateway: -1, set: bitmap.New(int(last) - int(first) + 1)}
	if s.Gateway.IsValid() {
		if i := int(number4(s.Gateway)) - int(first); p.set.Take(i) {
			p.gateway = i
		}
	}
	return p, nil
}

// index is the number of address a in the set, or an error that says why it has none.
func (p *Pool) index(a netip.Addr) (int, error) {
	if !a.Is4() {
		return 0, fmt.Errorf("%s is not in %s: %w", a, p.name, ErrOutOfRange)
	}
	i := int(number4(a)) - int(p.base)
	if i < 0 || i >= p.set.Len() {
		return 0, fmt.Errorf("%s is not given out by %s: %w", a, p.name, ErrOutOfRange)
	}
	return i, nil
}

// Contains says whether a is one of the addresses that the pool or one of its blocks gives out.
func (p *Pool) Contains(a netip.Addr) bool {
	_, err := p.index(a)
	return err == nil
}

func (p *Pool) addr(i int) netip.Addr { return addr4(p.base + uint32(i)) }

// Next takes the lowest free address. Error: ErrExhausted.
func (p *Pool) Next() (netip.Addr, error) {
	i := p.set.First()
	if i < 0 {
		return netip.Addr{}, fmt.Errorf("%s: %w", p.name, ErrExhausted)
	}
	p.set.Take(i)
	return p.addr(i), nil
}

// Take takes address a. Errors: ErrOutOfRange for what the pool never gives, ErrReserved for the gateway and for
// addresses of a carved block, ErrInUse.
func (p *Pool) Take(a netip.Addr) error {
	i, err := p.index(a)
	if err != nil {
		return err
	}
	if p.set.Take(i) {
		return nil
	}
	if p.reserved(i) {
		return fmt.Errorf("%s in %s: %w", a, p.name, ErrReserved)
	}
	return fmt.Errorf("%s in %s: %w", a, p.name, ErrInUse)
}

// Release gives address a back and reports whether an owner had it. Giving back what is free, reserved or not of this
// pool is harmless.
func (p *Pool) Release(a netip.Addr) bool {
	i, err := p.index(a)
	if err != nil || p.reserved(i) {
		return false
	}
	return p.set.Release(i)
}

// reserved says whether number i is the gateway or belongs to a block.
func (p *Pool) reserved(i int) bool {
	if i == p.gateway {
		return true
	}
	a := p.base + uint32(i)
	k, exact := p.search(a)
	return exact || k > 0 && a-p.blocks[k-1].base < uint32(p.blocks[k-1].set.Len())
}

// search finds where a block that starts at address a is, or belongs, among the blocks.
func (p *Pool) search(a uint32) (int, bool) {
	return slices.BinarySearchFunc(p.blocks, a, func(b *Pool, a uint32) int { return cmp.Compare(b.base, a) })
}

// Carve takes first..last as one block, which becomes a pool of its own. All of it must be free here.
// Errors: ErrOutOfRange, ErrReserved (network, broadcast, gateway or another block inside it), ErrInUse.
func (p *Pool) Carve(first, last netip.Addr) (*Pool, error) {
	lo, err := p.index(first)
	if err != nil {
		return nil, err
	}
	hi, err := p.index(last)
	if err != nil {
		return nil, err
	}
	if lo > hi {
		return nil, fmt.Errorf("range %s-%s: first address is greater than the last", first, last)
	}
	if !p.set.TakeRange(lo, hi) {
		return nil, p.blocked(lo, hi)
	}
	b := &Pool{
		name: Range{first, last}.String(), base: p.base + uint32(lo), set: bitmap.New(hi - lo + 1), gateway: -1, parent: p,
	}
	k, _ := p.search(b.base)
	p.blocks = slices.Insert(p.blocks, k, b)
	p.inBlock += b.set.Len()
	return b, nil
}

// blocked says which address of lo..hi is not free, and why.
func (p *Pool) blocked(lo, hi int) error {
	for i := lo; i <= hi; i++ {
		switch {
		case p.set.IsFree(i):
		case p.reserved(i):
			return fmt.Errorf("%s in %s: %w", p.addr(i), p.name, ErrReserved)
		default:
			return fmt.Errorf("%s in %s: %w", p.addr(i), p.name, ErrInUse)
		}
	}
	return nil
}

// Uncarve gives a block back to the pool that it came from. Errors: ErrInUse while owners have addresses of it,
// ErrOutOfRange when it is not a block of this pool.
func (p *Pool) Uncarve(block *Pool) error {
	if block.parent != p {
		return fmt.Errorf("%s is not a block of %s: %w", block.name, p.name, ErrOutOfRange)
	}
	if n := block.InUse(); n > 0 {
		return fmt.Errorf("%s has %d addresses in use: %w", block.name, n, ErrInUse)
	}
	p.blocks = slices.DeleteFunc(p.blocks, func(b *Pool) bool { return b == block })
	lo := int(block.base) - int(p.base)
	p.set.ReleaseRange(lo, lo+block.set.Len()-1)
	p.inBlock -= block.set.Len()
	block.parent = nil
	return nil
}

// InUse is how many addresses have owners: without the gateway, without carved blocks.
func (p *Pool) InUse() int {
	n := p.set.Taken() - p.inBlock
	if p.gateway >= 0 {
		n--
	}
	return n
}

// Available is how many addresses Next can still give.
func (p *Pool) Available() int { return p.set.Free() }

// String names the pool: its subnet, or the range of a block.
func (p *Pool) String() string { return p.name }

// Compare orders pools by their first address.
func (p *Pool) Compare(q *Pool) int { return cmp.Compare(p.base, q.base) }

// AllocatedText lists what is taken, the gateway and carved blocks included, as ranges "a-b" and single addresses
// joined by ", ".
func (p *Pool) AllocatedText() string { return p.text(false) }

// AvailableText lists what Next can still give, in the same form.
func (p *Pool) AvailableText() string { return p.text(true) }

func (p *Pool) text(free bool) string {
	var text strings.Builder
	for a, b := range p.set.Runs(free) {
		if text.Len() > 0 {
			text.WriteString(", ")
		}
		text.WriteString(Range{p.addr(a), p.addr(b)}.String())
	}
	return text.String()
}
