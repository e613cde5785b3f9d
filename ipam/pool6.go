package ipam

import (
	"fmt"
	"math/bits"
	"net/netip"
)

// Lengths of the IPv6 subnets that have pools.
const (
	minBits6 = 16
	maxBits6 = 127
)

// Spec6 says what a Pool6 hands out.
type Spec6 struct {
	Prefix  netip.Prefix // IPv6, length 16 to 127; bits after the length are ignored
	Gateway netip.Addr   // reserved when valid; must be inside Prefix
}

// Pool6 hands out the addresses of an IPv6 subnet: the next after the last given, skipping those in use, starting
// again after the end of the subnet. The subnet's own address is never given: it is every router's (RFC 4291 section
// 2.6.1). Memory and time follow what is in use, not the size of the subnet. A Pool6 is not safe for concurrent use.
type Pool6 struct {
	prefix  netip.Prefix
	gateway netip.Addr
	last    netip.Addr
	used    map[netip.Addr]struct{}
}

// New6 makes the pool of an IPv6 subnet.
func New6(s Spec6) (*Pool6, error) {
	if !s.Prefix.Addr().Is6() || s.Prefix.Addr().Is4In6() || s.Prefix.Bits() < minBits6 || s.Prefix.Bits() > maxBits6 {
		return nil, fmt.Errorf("subnet %s: an IPv6 subnet of length %d to %d is wanted", s.Prefix, minBits6, maxBits6)
	}
	prefix := s.Prefix.Masked()
	gateway := s.Gateway.WithZone("")
	if gateway.IsValid() && !prefix.Contains(gateway) {
		return nil, fmt.Errorf("gateway %s is not in %s: %w", gateway, prefix, ErrOutOfRange)
	}
	if gateway == prefix.Addr() {
		gateway = netip.Addr{} // reserved anyway
	}
	return &Pool6{prefix: prefix, gateway: gateway, last: prefix.Addr(), used: map[netip.Addr]struct{}{}}, nil
}

// Next takes the next free address after the last that Next gave (see Continue). Error: ErrExhausted.
func (p *Pool6) Next() (netip.Addr, error) {
	if p.full() {
		return netip.Addr{}, fmt.Errorf("%s: %w", p.prefix, ErrExhausted)
	}
	a := p.last
	for {
		a = a.Next()
		if !p.prefix.Contains(a) {
			a = p.prefix.Addr().Next()
		}
		if _, taken := p.used[a]; !taken && a != p.gateway {
			break
		}
	}
	p.used[a] = struct{}{}
	p.last = a
	return a, nil
}

// full says whether every address but the subnet's own and the gateway is in use.
func (p *Pool6) full() bool {
	host := 128 - p.prefix.Bits()
	if host >= bits.UintSize-1 {
		return false
	}
	n := 1<<host - 1
	if p.gateway.IsValid() {
		n--
	}
	return len(p.used) >= n
}

// Continue makes Next go on after a, the last address given before a restart. An address outside the subnet is ignored.
func (p *Pool6) Continue(a netip.Addr) {
	if p.prefix.Contains(a) {
		p.last = a
	}
}

// Take takes address a. Errors: ErrOutOfRange, ErrReserved, ErrInUse.
func (p *Pool6) Take(a netip.Addr) error {
	if !p.prefix.Contains(a) {
		return fmt.Errorf("%s is not in %s: %w", a, p.prefix, ErrOutOfRange)
	}
	if a == p.gateway || a == p.prefix.Addr() {
		return fmt.Errorf("%s in %s: %w", a, p.prefix, ErrReserved)
	}
	if _, taken := p.used[a]; taken {
		return fmt.Errorf("%s in %s: %w", a, p.prefix, ErrInUse)
	}
	p.used[a] = struct{}{}
	return nil
}

// Contains tells whether a is an address that the pool gives out.
func (p *Pool6) Contains(a netip.Addr) bool {
	return p.prefix.Contains(a) && a != p.gateway && a != p.prefix.Addr()
}

// Release gives address a back and reports whether it was in use.
func (p *Pool6) Release(a netip.Addr) bool {
	_, taken := p.used[a]
	delete(p.used, a)
	return taken
}

// String names the pool by its subnet.
func (p *Pool6) String() string { return p.prefix.String() }

// Host6 is the address of host id in an IPv6 subnet: prefix OR id, ::45 in babe:face::80/121 is babe:face::c5.
// An id with bits inside the prefix is refused.
func Host6(subnet netip.Prefix, id netip.Addr) (netip.Addr, error) {
	if !subnet.Addr().Is6() || !id.Is6() {
		return netip.Addr{}, fmt.Errorf("host %s of %s: both must be IPv6", id, subnet)
	}
	head := subnet.Masked().Addr().As16()
	tail := id.As16()
	if netip.PrefixFrom(id, subnet.Bits()).Masked().Addr() != netip.IPv6Unspecified() {
		return netip.Addr{}, fmt.Errorf("host %s does not fit behind %s: %w", id, subnet.Masked(), ErrOutOfRange)
	}
	for i := range head {
		head[i] |= tail[i]
	}
	return netip.AddrFrom16(head), nil
}

// HostID6 is the host id of address a in an IPv6 subnet, the inverse of Host6: the bits after the prefix.
func HostID6(subnet netip.Prefix, a netip.Addr) (netip.Addr, error) {
	if !a.Is6() || !subnet.Contains(a) {
		return netip.Addr{}, fmt.Errorf("%s is not in %s: %w", a, subnet.Masked(), ErrOutOfRange)
	}
	head, whole := subnet.Masked().Addr().As16(), a.As16()
	for i := range whole {
		whole[i] &^= head[i]
	}
	return netip.AddrFrom16(whole), nil
}
