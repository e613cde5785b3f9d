// SPDX-License-Identifier: Apache-2.0

package frame

import (
	"errors"
	"net/netip"
	"testing"

	"github.com/contiv/contiv/ofnet"
)

var claimMAC = ofnet.MAC{2, 2, 10, 1, 0, 1}

// solicitation is one of neighbor discovery, without options.
func solicitation(from netip.Addr) []byte {
	b := append([]byte{0x33, 0x33, 0, 0, 0, 1}, claimMAC[:]...)
	b = be.AppendUint16(b, etherIP6)
	b = append(b, 0x60, 0, 0, 0, 0, ndSize, protoICMP6, 255)
	b = append(append(b, from.AsSlice()...), netip.MustParseAddr("ff02::1").AsSlice()...)
	b = append(b, ndSolicitation, 0, 0, 0, 0, 0, 0, 0)
	return append(b, netip.MustParseAddr("fd01::9").AsSlice()...)
}

func TestParseClaim(t *testing.T) {
	four, six := netip.MustParseAddr("10.1.0.1"), netip.MustParseAddr("fd01::1")
	other := ofnet.MAC{2, 9, 9, 9, 9, 9}
	from := func(b []byte, src ofnet.MAC) []byte {
		copy(b[6:], src[:])
		return b
	}
	linked := append(solicitation(six), 1, 1)
	linked = append(linked, other[:]...)
	for name, row := range map[string]struct {
		b    []byte
		want ARPAnnouncement
	}{
		"ARP":                      {Announce(four, claimMAC), ARPAnnouncement{claimMAC, claimMAC, four}},
		"ARP, two link addresses":  {from(Announce(four, claimMAC), other), ARPAnnouncement{other, claimMAC, four}},
		"ARP probe":                {Announce(netip.IPv4Unspecified(), claimMAC), ARPAnnouncement{EthSrc: claimMAC, Link: claimMAC}},
		"advertisement":            {from(Announce(six, claimMAC), other), ARPAnnouncement{other, claimMAC, six}},
		"solicitation":             {solicitation(six), ARPAnnouncement{claimMAC, claimMAC, six}},
		"solicitation with a link": {linked, ARPAnnouncement{claimMAC, other, six}},
		"duplicate detection":      {solicitation(netip.IPv6Unspecified()), ARPAnnouncement{EthSrc: claimMAC, Link: claimMAC}},
	} {
		if got, err := ParseAnnouncement(row.b); err != nil || got != row.want {
			t.Errorf("%s: want %+v, got %+v, %v", name, row.want, got, err)
		}
	}
	for name, b := range map[string][]byte{"nothing": nil, "a cut ARP": Announce(four, claimMAC)[:41], "a cut advertisement": Announce(six, claimMAC)[:70],
		"UDP": datagram(families[0].src, families[0].dst, nil).Append(nil), "UDP of IPv6": datagram(families[1].src, families[1].dst, make([]byte, 40)).Append(nil)} {
		if got, err := ParseAnnouncement(b); !errors.Is(err, ErrNoAnnouncement) {
			t.Errorf("%s: want no claim, got %+v", name, got)
		}
	}
}

func FuzzParseClaim(f *testing.F) {
	f.Add(Announce(netip.MustParseAddr("10.1.0.1"), claimMAC))
	f.Add(Announce(netip.MustParseAddr("fd01::1"), claimMAC))
	f.Add(solicitation(netip.MustParseAddr("fd01::1")))
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, err := ParseAnnouncement(b); err == nil && c.EthSrc != ofnet.MAC(b[6:12]) {
			t.Errorf("a claim by %x in a frame from %x", c.EthSrc, b[6:12])
		}
	})
}
