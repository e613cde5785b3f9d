// SPDX-License-Identifier: Apache-2.0

package ipam

import (
	"fmt"
	"net/netip"
)

// Lengths of the IPv6 subnets that have pools.
const (
	minBits6 = 16
	maxBits6 = 127
)

// Spec6 specifies the addresses of a Pool6.
type Spec6 struct {
	Prefix  netip.Prefix // IPv6, length 16 to 127; bits after the length are ignored
	Gateway netip.Addr   // reserved if valid; must be inside Prefix
}

// Pool6 determines the addresses of an IPv6 subnet to allocate: all but the subnet's own, which is the Subnet-Router anycast address (RFC
// 4291 section 2.6.1), and the gateway. The caller passes the taken ones. It never changes.
type Pool6 struct {
	prefix  netip.Prefix
	gateway netip.Addr
}

// New6 returns the pool of an IPv6 subnet.
func New6(s Spec6) (*Pool6, error) {
	if !s.Prefix.Addr().Is6() || s.Prefix.Addr().Is4In6() || s.Prefix.Bits() < minBits6 || s.Prefix.Bits() > maxBits6 {
		return nil, fmt.Errorf("subnet %s: want an IPv6 subnet of length %d to %d", s.Prefix, minBits6, maxBits6)
	}
	prefix := s.Prefix.Masked()
	gateway := s.Gateway.WithZone("")
	if gateway.IsValid() && !prefix.Contains(gateway) {
		return nil, fmt.Errorf("gateway %s is not in %s: %w", gateway, prefix, ErrOutOfRange)
	}
	return &Pool6{prefix: prefix, gateway: gateway}, nil
}

// Next returns the next free address after one, skipping those taken, and continues at the start of the subnet after its end. After an
// address outside the subnet it starts there. Its time depends on the taken addresses, not on the size of the subnet. Error: ErrExhausted.
func (p *Pool6) Next(after netip.Addr, taken func(netip.Addr) bool) (netip.Addr, error) {
	if !p.prefix.Contains(after) {
		after = p.prefix.Addr()
	}
	for a := after; ; {
		if a = a.Next(); !p.prefix.Contains(a) {
			a = p.prefix.Addr()
		}
		switch {
		case p.Contains(a) && !taken(a):
			return a, nil
		case a == after:
			return netip.Addr{}, fmt.Errorf("%s: %w", p.prefix, ErrExhausted)
		}
	}
}

// Check returns why address a cannot be taken; nil if it is free. Errors: ErrOutOfRange, ErrReserved, ErrInUse.
func (p *Pool6) Check(a netip.Addr, taken func(netip.Addr) bool) error {
	switch {
	case !p.prefix.Contains(a):
		return fmt.Errorf("%s is not in %s: %w", a, p.prefix, ErrOutOfRange)
	case !p.Contains(a):
		return fmt.Errorf("%s in %s: %w", a, p.prefix, ErrReserved)
	case taken(a):
		return fmt.Errorf("%s in %s: %w", a, p.prefix, ErrInUse)
	}
	return nil
}

// Contains reports whether the pool allocates address a.
func (p *Pool6) Contains(a netip.Addr) bool {
	return p.prefix.Contains(a) && a != p.gateway && a != p.prefix.Addr()
}

// String names the pool by its subnet.
func (p *Pool6) String() string { return p.prefix.String() }
