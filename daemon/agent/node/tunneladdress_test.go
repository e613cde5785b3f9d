package node

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// tunnelEnd is what there is of a tunnel address: on the host, and in the switch.
type tunnelEnd struct {
	mu     sync.Mutex
	here   bool
	ports  string
	refuse error           // what the switch answers to a purge
	began  time.Time       // when the test began
	purged []time.Duration // since then
}

// become changes it, and waits.
func (e *tunnelEnd) become(change func(), wait time.Duration) {
	e.mu.Lock()
	change()
	e.mu.Unlock()
	time.Sleep(wait)
	synctest.Wait()
}

// onHost says whether the host has the address.
func (e *tunnelEnd) onHost() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.here
}

// listening is where the switch takes tunnel packets in.
func (e *tunnelEnd) listening(context.Context) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ports, nil
}

// purge notes when it was asked for.
func (e *tunnelEnd) purge(context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.purged = append(e.purged, time.Since(e.began).Truncate(time.Second))
	return e.refuse
}

// When the tunnel address has gone and is back, the datapath's flows are dropped, once the switch takes its packets in; never otherwise.
func TestTunnelAddressReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const own, other = "ipv4(dst=192.0.2.1,proto=17,frag=no)", "ipv4(dst=192.0.2.11,proto=17,frag=no)"
		e := &tunnelEnd{here: true, ports: own, began: time.Now()}
		a := &tunnelAddress{addr: netip.MustParseAddr("192.0.2.1"), here: e.onHost, ports: e.listening, purge: e.purge, log: slog.New(slog.DiscardHandler)}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- a.run(ctx) }()
		e.become(func() {}, 10500*time.Millisecond)
		e.become(func() { e.here, e.ports = false, other }, 5*time.Second)
		e.become(func() { e.here = true }, 2*time.Second)
		if len(e.purged) != 0 {
			t.Fatalf("dropped after %v, before the switch takes packets in", e.purged)
		}
		e.become(func() { e.ports, e.refuse = own, errors.New("busy") }, 2*time.Second)
		e.become(func() { e.refuse = nil }, time.Minute)
		cancel()
		if err := <-done; err != nil || !slices.Equal(e.purged, []time.Duration{18 * time.Second, 19 * time.Second, 20 * time.Second, 25 * time.Second, 30 * time.Second}) {
			t.Errorf("dropped after %v, %v", e.purged, err)
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
