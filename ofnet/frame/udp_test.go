// SPDX-License-Identifier: Apache-2.0

package frame

import (
	"bytes"
	"net/netip"
	"testing"

	"github.com/contiv/contiv/ofnet"
)

func datagram(src, dst string, payload []byte) UDP {
	return UDP{EthSrc: ofnet.MAC{2, 2, 0, 0, 0, 1}, EthDst: ofnet.MAC{2, 2, 0, 0, 0, 2}, Src: netip.MustParseAddrPort(src),
		Dst: netip.MustParseAddrPort(dst), Payload: payload}
}

var families = []struct{ name, src, dst string }{
	{"IPv4", "10.1.0.1:4321", "10.1.0.254:53"},
	{"IPv6", "[fd01::1]:4321", "[fd01::fe]:53"},
}

func TestUDP_ThereAndBack(t *testing.T) {
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			for _, payload := range [][]byte{{}, {1}, []byte("even"), bytes.Repeat([]byte{0xff}, 1401)} {
				want := datagram(f.src, f.dst, payload)
				b := want.Append(nil)
				got, err := ParseUDP(append(b, 0, 0, 0)) // Ethernet pads
				if err != nil || got.Src != want.Src || got.Dst != want.Dst || got.EthSrc != want.EthSrc || got.EthDst != want.EthDst ||
					!bytes.Equal(got.Payload, payload) {
					t.Errorf("%d bytes: want %+v, got %+v, %v", len(payload), want, got, err)
				}
				back := got.Reply([]byte("answer"))
				if back.Src != want.Dst || back.Dst != want.Src || back.EthSrc != want.EthDst || back.EthDst != want.EthSrc {
					t.Errorf("reply: got %+v", back)
				}
			}
		})
	}
}

// The checksums over headers and data, their own fields included, are all ones.
func TestUDP_Checksums(t *testing.T) {
	for _, f := range families {
		for _, payload := range [][]byte{{}, {7}, []byte("abcd"), []byte("abcde")} {
			u := datagram(f.src, f.dst, payload)
			b := u.Append(nil)[ethSize:]
			header := ip6Size
			if u.Src.Addr().Is4() {
				header = ip4Size
				if got := sum(0, b[:header]); got != 0xffff {
					t.Errorf("%s: IP checksum leaves %#x", f.name, got)
				}
			}
			pseudo := sum(sum(uint16(protoUDP+len(b)-header), u.Src.Addr().AsSlice()), u.Dst.Addr().AsSlice())
			if got := sum(pseudo, b[header:]); got != 0xffff {
				t.Errorf("%s, %d bytes: UDP checksum leaves %#x", f.name, len(payload), got)
			}
		}
	}
}

func TestParseUDP_Refuses(t *testing.T) {
	plain := func(change func(b []byte) []byte) []byte {
		return change(datagram(families[0].src, families[0].dst, []byte("query")).Append(nil))
	}
	set := func(at int, v byte) []byte {
		return plain(func(b []byte) []byte { b[at] = v; return b })
	}
	for name, b := range map[string][]byte{
		"nothing":           nil,
		"only a header":     make([]byte, ethSize),
		"ARP":               set(13, 0x06),
		"a tag":             set(12, 0x81),
		"options of IP":     set(ethSize, 0x46),
		"TCP":               set(ethSize+9, 6),
		"a fragment":        set(ethSize+6, 0x20),
		"a later fragment":  set(ethSize+7, 1),
		"too long for IP":   set(ethSize+3, 200),
		"shorter than IP":   set(ethSize+3, 19),
		"a wrong length":    set(ethSize+ip4Size+5, 9),
		"the end is missed": plain(func(b []byte) []byte { return b[:len(b)-1] }),
	} {
		if u, err := ParseUDP(b); err == nil {
			t.Errorf("%s: want an error, got %+v", name, u)
		}
	}
}

func FuzzParseUDP(f *testing.F) {
	for _, x := range families {
		f.Add(datagram(x.src, x.dst, []byte("query")).Append(nil))
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		u, err := ParseUDP(b)
		if err != nil {
			return
		}
		again, err := ParseUDP(u.Append(nil))
		if err != nil || again.Src != u.Src || again.Dst != u.Dst || !bytes.Equal(again.Payload, u.Payload) {
			t.Errorf("written again: want %+v, got %+v, %v", u, again, err)
		}
	})
}
