package node

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// When the tunnel address has gone and is back, the datapath's flows are dropped, once the switch takes its packets in; never otherwise.
func TestTunnelAddressReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, ports, refuse := true, "", error(nil)
		var purged []time.Duration
		began := time.Now()
		a := &tunnelAddress{addr: netip.MustParseAddr("192.0.2.1"), here: func() bool { return here }, log: slog.New(slog.DiscardHandler),
			ports: func(context.Context) (string, error) { return ports, nil },
			purge: func(context.Context) error {
				purged = append(purged, time.Since(began).Truncate(time.Second))
				return refuse
			}}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- a.run(ctx) }()
		after := func(d time.Duration) { time.Sleep(d); synctest.Wait() }
		ports = "ipv4(dst=192.0.2.1,proto=17,frag=no)"
		after(10500 * time.Millisecond)
		here, ports = false, "ipv4(dst=192.0.2.11,proto=17,frag=no)"
		after(5 * time.Second)
		here = true
		after(2 * time.Second)
		if len(purged) != 0 {
			t.Fatalf("dropped after %v, before the switch takes packets in", purged)
		}
		ports, refuse = "ipv4(dst=192.0.2.1,proto=17,frag=no)", errors.New("busy")
		after(2 * time.Second)
		refuse = nil
		after(time.Minute)
		cancel()
		if err := <-done; err != nil || !slices.Equal(purged, []time.Duration{18 * time.Second, 19 * time.Second, 20 * time.Second, 25 * time.Second, 30 * time.Second}) {
			t.Errorf("dropped after %v, %v", purged, err)
		}
	})
}

func TestTakesIn(t *testing.T) {
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
		if got := takesIn(x.ports, netip.MustParseAddr(x.addr)); got != x.want {
			t.Errorf("%q: %v", x.ports, got)
		}
	}
}
