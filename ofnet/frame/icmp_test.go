// SPDX-License-Identifier: Apache-2.0

package frame

import (
	"bytes"
	"errors"
	"net/netip"
	"testing"

	"github.com/contiv/contiv/ofnet"
)

var (
	routerMAC = ofnet.MAC{0, 0, 0x11, 0x11, 0x11, 0x11}
	routers   = map[string]netip.Addr{"IPv4": netip.MustParseAddr("10.1.0.254"), "IPv6": netip.MustParseAddr("fd01::fe")}
)

func TestReport(t *testing.T) {
	for _, f := range families {
		for _, row := range []struct {
			trouble   Failure
			four, six [2]byte
		}{{Expired, [2]byte{11, 0}, [2]byte{3, 0}}, {Unreachable, [2]byte{3, 1}, [2]byte{1, 3}}, {Refused, [2]byte{3, 3}, [2]byte{1, 4}}} {
			for _, size := range []int{1, 500, 1400} {
				u := datagram(f.src, f.dst, bytes.Repeat([]byte{7}, size))
				packet := u.Append(nil)
				b, err := Report(row.trouble, packet, routerMAC, routers[f.name])
				if err != nil {
					t.Fatalf("%s, trouble %d: %v", f.name, row.trouble, err)
				}
				if !bytes.Equal(b[:6], u.EthSrc[:]) || !bytes.Equal(b[6:12], routerMAC[:]) {
					t.Errorf("%s: link addresses: got %x", f.name, b[:12])
				}
				header, most, want := ip4Size, max4, row.four
				from, to := b[ethSize+12:ethSize+16], b[ethSize+16:ethSize+20]
				check := uint16(0)
				if u.Src.Addr().Is6() {
					header, most, want = ip6Size, max6, row.six
					from, to = b[ethSize+8:ethSize+24], b[ethSize+24:ethSize+40]
					check = sum(sum(uint16(protoICMP6+len(b)-ethSize-ip6Size), from), to)
				} else if s := sum(0, b[ethSize:ethSize+ip4Size]); s != 0xffff {
					t.Errorf("%s: IP checksum leaves %#x", f.name, s)
				}
				if !bytes.Equal(from, routers[f.name].AsSlice()) || !bytes.Equal(to, u.Src.Addr().AsSlice()) {
					t.Errorf("%s: from %x to %x", f.name, from, to)
				}
				message := b[ethSize+header:]
				if s := sum(check, message); s != 0xffff {
					t.Errorf("%s: ICMP checksum leaves %#x", f.name, s)
				}
				quote := packet[ethSize : ethSize+min(len(packet)-ethSize, most-header-icmpSize)]
				if [2]byte(message[:2]) != want || !bytes.Equal(message[icmpSize:], quote) {
					t.Errorf("%s, trouble %d, %d bytes: want %v and %d bytes quoted, got %x", f.name, row.trouble, size, want, len(quote), message[:icmpSize])
				}
				if _, err := Report(row.trouble, b, routerMAC, routers[f.name]); !errors.Is(err, ErrSilent) {
					t.Errorf("%s: about a message of trouble: want silence, got %v", f.name, err)
				}
			}
		}
	}
}

func TestReport_Silent(t *testing.T) {
	four := datagram(families[0].src, families[0].dst, []byte("query")).Append(nil)
	six := datagram(families[1].src, families[1].dst, []byte("query")).Append(nil)
	set := func(b []byte, at int, v ...byte) []byte {
		b = bytes.Clone(b)
		copy(b[at:], v)
		return b
	}
	for name, b := range map[string][]byte{
		"nothing":               nil,
		"only a header":         make([]byte, ethSize),
		"a broadcast frame":     set(four, 0, 0xff),
		"ARP":                   set(four, 12, 8, 6),
		"a later fragment":      set(four, ethSize+7, 1),
		"to many":               set(four, ethSize+16, 224, 0, 0, 1),
		"to all":                set(four, ethSize+16, 255, 255, 255, 255),
		"from 0.0.0.0":          set(four, ethSize+12, 0, 0, 0, 0),
		"longer than it is":     set(four, ethSize+2, 9, 9),
		"shorter than a header": set(four, ethSize+2, 0, 19),
		"options beyond it":     set(four, ethSize, 0x4f),
		"IPv6 to many":          set(six, ethSize+24, 0xff, 2),
		"from ::":               set(six, ethSize+8, make([]byte, 16)...),
		"IPv6 cut":              six[:len(six)-1],
		"IPv6 of version 4":     set(six, ethSize, 0x40),
	} {
		for _, router := range routers {
			if got, err := Report(Expired, b, routerMAC, router); !errors.Is(err, ErrSilent) {
				t.Errorf("%s: want silence, got %x", name, got)
			}
		}
	}
}

func FuzzReport(f *testing.F) {
	for _, x := range families {
		f.Add(datagram(x.src, x.dst, []byte("query")).Append(nil))
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		to := Receiver(b)
		if _, err := Report(Refused, b, routerMAC, to); err == nil && !to.IsValid() {
			t.Errorf("a message without a sender about %x", b)
		}
		for _, router := range routers {
			got, err := Report(Unreachable, b, routerMAC, router)
			if err == nil && (len(got) > ethSize+max6 || !bytes.Equal(got[:6], b[6:12])) {
				t.Errorf("message of %d bytes to %x about a packet from %x", len(got), got[:6], b[6:12])
			}
		}
	})
}
