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

// Host is address number n of an IPv4 subnet of length 8 to 31: host 5 of 11.2.1.0/24 is 11.2.1.5.
func Host(subnet netip.Prefix, n uint32) (netip.Addr, error) {
	base, size, err := extent(subnet)
	if err != nil {
		return netip.Addr{}, err
	}
	if n >= size {
		return netip.Addr{}, fmt.Errorf("host %d is not in %s: %w", n, subnet.Masked(), ErrOutOfRange)
	}
	return addr4(base + n), nil
}

// HostID is the number of address a in an IPv4 subnet of length 8 to 31, the inverse of Host.
func HostID(subnet netip.Prefix, a netip.Addr) (uint32, error) {
	base, _, err := extent(subnet)
	if err != nil {
		return 0, err
	}
	if !subnet.Contains(a) {
		return 0, fmt.Errorf("%s is not in %s: %w", a, subnet.Masked(), ErrOutOfRange)
	}
	return number4(a) - base, nil
}

// extent is the first address of a subnet as a number and how many addresses it has.
func extent(subnet netip.Prefix) (base, size uint32, err error) {
	if !subnet.Addr().Is4() || subnet.Bits() < minBits || subnet.Bits() > maxBits {
		return 0, 0, fmt.Errorf("subnet %s: an IPv4 subnet of length %d to %d is wanted", subnet, minBits, maxBits)
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
