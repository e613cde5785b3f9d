// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"net/netip"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/ofnet/link"
)

func TestGuard_Refuses(t *testing.T) {
	g := link.Guard{Services: []netip.AddrPort{netip.MustParseAddrPort("172.19.255.254:5300")}, Open: []link.Ports{{Protocol: unix.IPPROTO_TCP, First: 8000, Last: 8010}},
		Known: []netip.Addr{netip.MustParseAddr("10.254.1.2")}, Control: []link.Ports{{Protocol: unix.IPPROTO_UDP, First: 4789, Last: 4789}, {Protocol: unix.IPPROTO_TCP, First: 8000, Last: 9999}}, Protected: prefixes("192.0.2.0/24")}
	for _, r := range []struct {
		to       string
		protocol uint8
		own      bool
		refused  bool
	}{
		{"10.254.1.1:9999", unix.IPPROTO_TCP, true, true},
		{"10.254.1.1:8005", unix.IPPROTO_TCP, true, false},
		{"10.254.1.1:8005", unix.IPPROTO_UDP, true, true},
		{"10.254.1.1:0", unix.IPPROTO_ICMP, true, false},
		{"172.19.255.254:5300", unix.IPPROTO_TCP, true, false},
		{"172.19.255.254:5300", unix.IPPROTO_UDP, true, true},
		{"10.254.1.2:9999", unix.IPPROTO_TCP, false, true},
		{"10.254.1.2:8005", unix.IPPROTO_TCP, false, false},
		{"192.0.2.9:80", unix.IPPROTO_UDP, false, true},
		{"8.8.8.8:80", unix.IPPROTO_UDP, false, false},
		{"8.8.8.8:4789", unix.IPPROTO_UDP, false, true},
		{"8.8.8.8:9999", unix.IPPROTO_TCP, false, true},
		{"8.8.8.8:8000", unix.IPPROTO_TCP, false, false},
	} {
		if got := g.Refuses(netip.MustParseAddrPort(r.to), r.protocol, r.own); got != r.refused {
			t.Errorf("%s protocol %d, own %v: want refused %v, got %v", r.to, r.protocol, r.own, r.refused, got)
		}
	}
}
