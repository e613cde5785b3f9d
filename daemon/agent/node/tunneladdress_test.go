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
		ports = "vxlan_sys_4789 (4789) : eth_dst=02:00:00:00:00:01,ip,nw_dst=192.0.2.1,nw_proto=17,tp_dst=4789"
		after(10500 * time.Millisecond)
		here, ports = false, "vxlan_sys_4789 (4789) : ip,nw_dst=192.0.2.11,nw_proto=17"
		after(5 * time.Second)
		here = true
		after(2 * time.Second)
		if len(purged) != 0 {
			t.Fatalf("dropped after %v, before the switch takes packets in", purged)
		}
		ports, refuse = "ip,nw_dst=192.0.2.1,nw_proto=17", errors.New("busy")
		after(2 * time.Second)
		refuse = nil
		after(time.Minute)
		cancel()
		if err := <-done; err != nil || !slices.Equal(purged, []time.Duration{18 * time.Second, 19 * time.Second, 20 * time.Second}) {
			t.Errorf("dropped after %v, %v", purged, err)
		}
	})
}

func TestTakesIn(t *testing.T) {
	for _, x := range []struct {
		ports, addr string
		want        bool
	}{
		{"Listening ports:\nvxlan_sys_4789 (4789) : ip,nw_dst=192.0.2.1,nw_frag=no", "192.0.2.1", true},
		{"Listening ports:\nvxlan_sys_4789 (4789) : ip,nw_dst=192.0.2.1", "192.0.2.1", true},
		{"nw_dst=192.0.2.12,nw_dst=192.0.2.1/32", "192.0.2.1", true},
		{"nw_dst=192.0.2.12", "192.0.2.1", false},
		{"udp6,ipv6_dst=2001:db8::1,tp_dst=4789", "2001:db8::1", true},
		{"udp6,ipv6_dst=2001:db8::11,tp_dst=4789", "2001:db8::1", false},
		{"", "192.0.2.1", false},
	} {
		if got := takesIn(x.ports, netip.MustParseAddr(x.addr)); got != x.want {
			t.Errorf("%q: %v", x.ports, got)
		}
	}
}
