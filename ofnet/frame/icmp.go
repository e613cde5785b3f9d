// SPDX-License-Identifier: Apache-2.0

package frame

import (
	"errors"
	"net/netip"

	"github.com/contiv/contiv/ofnet"
)

// Failure is the reason why a router did not forward a packet.
type Failure uint8

// The failures: the hop limit was exceeded; no host has the address; no process has the port, so the connection is refused.
const (
	Expired Failure = iota + 1
	Unreachable
	Refused
)

// kinds are the type and code of a failure in ICMP (RFC 792) and ICMPv6 (RFC 4443 section 3).
func (t Failure) kinds() (four, six [2]byte) {
	switch t {
	case Expired:
		return [2]byte{11, 0}, [2]byte{3, 0}
	case Refused:
		return [2]byte{3, 3}, [2]byte{1, 4}
	}
	return [2]byte{3, 1}, [2]byte{1, 3}
}

const (
	protoICMP  = 1
	protoICMP6 = 58
	icmpSize   = 8
	// max4 and max6 bound the length of an error message (RFC 1812 section 4.3.2.3, RFC 4443 section 2.4).
	max4 = 576
	max6 = 1280
)

// ErrSilent is returned by Report for packets about which a router sends no error (RFC 1122 section 3.2.2, RFC 4443 section 2.4): ICMP
// errors, later fragments, multicast and broadcast, unspecified senders, and truncated packets.
var ErrSilent = errors.New("no message of trouble is due")

// Receiver is the destination of an IP packet in an Ethernet frame; invalid if there is none.
func Receiver(packet []byte) (a netip.Addr) {
	if len(packet) < ethSize {
		return a
	}
	switch inner := packet[ethSize:]; {
	case be.Uint16(packet[12:]) == etherIP4 && len(inner) >= ip4Size:
		a = netip.AddrFrom4([4]byte(inner[16:20]))
	case be.Uint16(packet[12:]) == etherIP6 && len(inner) >= ip6Size:
		a = netip.AddrFrom16([16]byte(inner[24:40]))
	}
	return a
}

// Report returns the ICMP error about a packet in an Ethernet frame, addressed to its sender: from a router with link address mac and the
// address router, of the packet's family.
func Report(t Failure, packet []byte, mac ofnet.MAC, router netip.Addr) ([]byte, error) {
	if len(packet) < ethSize || packet[0]&1 == 1 {
		return nil, ErrSilent
	}
	b := append(make([]byte, 0, ethSize+max6), packet[6:12]...)
	b = append(b, mac[:]...)
	four, six := t.kinds()
	switch inner := packet[ethSize:]; be.Uint16(packet[12:]) {
	case etherIP4:
		return report4(be.AppendUint16(b, etherIP4), inner, four, router)
	case etherIP6:
		return report6(be.AppendUint16(b, etherIP6), inner, six, router)
	}
	return nil, ErrSilent
}

func report4(b, packet []byte, kind [2]byte, router netip.Addr) ([]byte, error) {
	if len(packet) < ip4Size || packet[0]>>4 != 4 || !router.Is4() {
		return nil, ErrSilent
	}
	header, total := int(packet[0]&0xf)*4, int(be.Uint16(packet[2:]))
	if header < ip4Size || total < header || total > len(packet) {
		return nil, ErrSilent
	}
	const laterFragment = 0x1fff
	src, dst := netip.AddrFrom4([4]byte(packet[12:16])), netip.AddrFrom4([4]byte(packet[16:20]))
	if be.Uint16(packet[6:])&laterFragment != 0 || !oneHost(src) || !oneHost(dst) {
		return nil, ErrSilent
	}
	if packet[9] == protoICMP {
		if total == header {
			return nil, ErrSilent
		}
		switch packet[header] {
		case 3, 4, 5, 11, 12:
			return nil, ErrSilent
		}
	}
	quote := packet[:min(total, max4-ip4Size-icmpSize)]
	at := len(b)
	b = append(b, 0x45, 0xc0) // precedence of network control (RFC 1812 section 4.3.2.5)
	b = be.AppendUint16(b, uint16(ip4Size+icmpSize+len(quote)))
	b = append(b, 0, 0, 0x40, 0, freshTTL, protoICMP, 0, 0)
	b = append(append(b, router.AsSlice()...), packet[12:16]...)
	be.PutUint16(b[at+10:], ^sum(0, b[at:]))
	at = len(b)
	b = append(b, kind[0], kind[1], 0, 0, 0, 0, 0, 0)
	b = append(b, quote...)
	be.PutUint16(b[at+2:], ^sum(0, b[at:]))
	return b, nil
}

func report6(b, packet []byte, kind [2]byte, router netip.Addr) ([]byte, error) {
	if len(packet) < ip6Size || packet[0]>>4 != 6 || !router.Is6() {
		return nil, ErrSilent
	}
	total := ip6Size + int(be.Uint16(packet[4:]))
	src, dst := netip.AddrFrom16([16]byte(packet[8:24])), netip.AddrFrom16([16]byte(packet[24:40]))
	if total > len(packet) || !oneHost(src) || !oneHost(dst) {
		return nil, ErrSilent
	}
	const informational = 128 // the first type that is no error
	if packet[6] == protoICMP6 && (total == ip6Size || packet[ip6Size] < informational) {
		return nil, ErrSilent
	}
	quote := packet[:min(total, max6-ip6Size-icmpSize)]
	size := uint16(icmpSize + len(quote))
	b = append(b, 0x60, 0, 0, 0)
	b = be.AppendUint16(b, size)
	b = append(b, protoICMP6, freshTTL)
	from, to := router.AsSlice(), packet[8:24]
	b = append(append(b, from...), to...)
	at := len(b)
	b = append(b, kind[0], kind[1], 0, 0, 0, 0, 0, 0)
	b = append(b, quote...)
	c := ^sum(sum(sum(sum(protoICMP6, be.AppendUint16(nil, size)), from), to), b[at:])
	be.PutUint16(b[at+2:], c)
	return b, nil
}

// IsIPv6 reports whether a frame, without a tag, holds a packet of IPv6.
func IsIPv6(b []byte) bool { return len(b) >= ethSize && be.Uint16(b[12:]) == etherIP6 }

// oneHost reports whether an address is a unicast address of one machine.
func oneHost(a netip.Addr) bool {
	return !a.IsMulticast() && !a.IsUnspecified() && !a.IsLoopback() && !a.Is4In6() && a != netip.AddrFrom4([4]byte{255, 255, 255, 255})
}
