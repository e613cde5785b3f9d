// SPDX-License-Identifier: Apache-2.0

package frame

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"testing"

	"github.com/contiv/contiv/ofnet"
)

func TestAnnounce(t *testing.T) {
	mac := ofnet.MAC{2, 2, 10, 1, 0, 1}
	four := Announce(netip.MustParseAddr("10.1.0.1"), mac)
	want := "ffffffffffff" + "02020a010001" + "0806" + "0001080006040001" + "02020a010001" + "0a010001" + "000000000000" + "0a010001"
	if got := hex.EncodeToString(four[:42]); got != want || len(four) != 60 {
		t.Errorf("IPv4: want %s in 60 bytes, got %s in %d", want, got, len(four))
	}
	a := netip.MustParseAddr("fd01::1")
	six := Announce(a, mac)
	packet := six[ethSize:]
	if len(packet) != ip6Size+32 || packet[7] != 255 || packet[ip6Size] != 136 || packet[ip6Size+4] != 0x20 {
		t.Fatalf("IPv6: got %x", six)
	}
	if !bytes.Equal(packet[ip6Size+8:ip6Size+24], a.AsSlice()) || !bytes.Equal(packet[ip6Size+26:], mac[:]) {
		t.Errorf("IPv6: target or link address: got %x", packet[ip6Size:])
	}
	if s := sum(sum(sum(protoICMP6+32, packet[8:24]), packet[24:40]), packet[ip6Size:]); s != 0xffff {
		t.Errorf("IPv6: the checksum leaves %#x", s)
	}
}
