// SPDX-License-Identifier: Apache-2.0

package ipam

import (
	"encoding/binary"
	"fmt"
	"net/netip"
)

// Lengths of the IPv4 subnets that have pools.
const (
	minBits = 8
	maxBits = 31
)

// extent is the first address of a subnet as a number and how many addresses it has.
func extent(subnet netip.Prefix) (base, size uint32, err error) {
	if !subnet.Addr().Is4() || subnet.Bits() < minBits || subnet.Bits() > maxBits {
		return 0, 0, fmt.Errorf("subnet %s: want an IPv4 subnet of length %d to %d", subnet, minBits, maxBits)
	}
	return number4(subnet.Masked().Addr()), 1 << (32 - subnet.Bits()), nil
}

func number4(a netip.Addr) uint32 {
	b := a.As4()
	return binary.BigEndian.Uint32(b[:])
}

func addr4(n uint32) netip.Addr {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], n)
	return netip.AddrFrom4(b)
}
