// SPDX-License-Identifier: Apache-2.0

package ofnet

import (
	"net/netip"
	"slices"
)

// Without returns the prefixes that together are a block except for others.
func Without(block netip.Prefix, except []netip.Prefix) []netip.Prefix {
	inside := slices.DeleteFunc(slices.Clone(except), func(e netip.Prefix) bool { return !e.Overlaps(block) })
	switch {
	case len(inside) == 0:
		return []netip.Prefix{block}
	case slices.ContainsFunc(inside, func(e netip.Prefix) bool { return e.Bits() <= block.Bits() }):
		return nil
	}
	low, high := halves(block)
	return append(Without(low, inside), Without(high, inside)...)
}

// halves returns the two halves of a prefix.
func halves(p netip.Prefix) (low, high netip.Prefix) {
	b := p.Addr().AsSlice()
	b[p.Bits()/8] |= 0x80 >> (p.Bits() % 8)
	upper, _ := netip.AddrFromSlice(b) // of as many bytes as the address has
	return netip.PrefixFrom(p.Addr(), p.Bits()+1), netip.PrefixFrom(upper, p.Bits()+1)
}
