// SPDX-License-Identifier: Apache-2.0

package underlay

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"slices"
	"testing"
	"time"
)

// When the tunnel address has gone and is back, the datapath's flows are dropped, once the switch takes its packets in; never otherwise.
func TestTunnelAddressReturns(t *testing.T) {
	const own, other = "ipv4(dst=192.0.2.1,proto=17,frag=no)", "ipv4(dst=192.0.2.11,proto=17,frag=no)"
	here, ports, refuse := true, own, error(nil)
	second, purged := int64(0), []int64(nil)
	a := &tunnelAddress{addr: netip.MustParseAddr("192.0.2.1"), here: func() bool { return here }, log: slog.New(slog.DiscardHandler),
		ports: func(context.Context) (string, error) { return ports, nil },
		purge: func(context.Context) error { purged = append(purged, second); return refuse }}
	looks := func(n int) {
		for range n {
			second++
			a.look(t.Context(), time.Unix(second, 0))
		}
	}
	looks(10)
	here, ports = false, other
	looks(5)
	here = true
	looks(2)
	if len(purged) != 0 {
		t.Fatalf("dropped at %v, before the switch takes packets in", purged)
	}
	ports, refuse = own, errors.New("busy")
	looks(2)
	refuse = nil
	looks(60)
	if want := []int64{18, 19, 20, 25, 30}; !slices.Equal(purged, want) {
		t.Errorf("want them dropped at %v, got %v", want, purged)
	}
}

func TestAccepts(t *testing.T) {
	for _, x := range []struct {
		ports, addr string
		want        bool
	}{
		{"Listening ports:\nvxlan_sys_4789 (4) : eth(dst=02:00:00:00:00:01),eth_type(0x0800),ipv4(dst=192.0.2.1,proto=17,frag=no),udp(dst=4789)\n", "192.0.2.1", true},
		{"ipv4(dst=192.0.2.12,proto=17,frag=no)", "192.0.2.1", false},
		{"eth_type(0x86dd),ipv6(dst=2001:db8::1,proto=17,frag=no)", "2001:db8::1", true},
		{"eth_type(0x86dd),ipv6(dst=2001:db8::11,proto=17,frag=no)", "2001:db8::1", false},
		{"", "192.0.2.1", false},
	} {
		if got := accepts(x.ports, netip.MustParseAddr(x.addr)); got != x.want {
			t.Errorf("%q: %v", x.ports, got)
		}
	}
}
