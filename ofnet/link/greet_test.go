// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/link/linktest"
)

func TestGreetResolvesNeighbour(t *testing.T) {
	a, b := linktest.Pair(t)
	a.IP("addr", "add", "192.0.2.1/24", "dev", "u0")
	b.IP("addr", "add", "192.0.2.2/24", "dev", "u0")
	a.IP("link", "set", "u0", "up")
	b.IP("link", "set", "u0", "up")
	h, err := link.Open(a.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if err := h.Greet(netip.MustParseAddr("192.0.2.2")); err != nil {
		t.Fatal(err)
	}
	// The peer is a queue away: the request is asked and answered while it is sent.
	if got := a.IP("neigh", "show", "192.0.2.2"); !strings.Contains(got, "192.0.2.2 dev u0") {
		t.Errorf("neighbours after Greet: want an entry of 192.0.2.2, got %q", got)
	}
	if err := h.Greet(netip.MustParseAddr("198.51.100.1")); err == nil {
		t.Error("Greet without a route: want an error, got nil")
	}
}

// TestForgetAndGreet: the kernel asks for the link address of a neighbour that it believes to know, so that an answer passes by.
func TestForgetAndGreet(t *testing.T) {
	a, b := linktest.Pair(t)
	b.IP("link", "set", "u0", "address", "0e:00:00:00:00:01")
	for _, address := range []string{"192.0.2.2/24", "192.0.2.3/24", "192.0.2.254/24", "2001:db8::2/64"} {
		b.IP("addr", "add", address, "dev", "u0", "nodad")
	}
	a.IP("addr", "add", "192.0.2.1/24", "dev", "u0")
	a.IP("addr", "add", "2001:db8::1/64", "dev", "u0", "nodad")
	a.IP("link", "set", "u0", "up")
	b.IP("link", "set", "u0", "up")
	a.IP("route", "add", "198.51.100.0/24", "via", "192.0.2.254")
	for address, state := range map[string]string{"192.0.2.2": "stale", "192.0.2.3": "permanent", "192.0.2.254": "reachable", "2001:db8::2": "stale"} {
		a.IP("neigh", "replace", address, "lladdr", "0e:00:00:00:00:77", "dev", "u0", "nud", state)
	}
	h, err := link.Open(a.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for _, address := range []string{"192.0.2.2", "192.0.2.3", "198.51.100.7", "2001:db8::2"} {
		if err := h.ForgetAndGreet(netip.MustParseAddr(address)); err != nil {
			t.Error(err)
		}
	}
	for address, want := range map[string]string{"192.0.2.2": "0e:00:00:00:00:01", "192.0.2.3": "0e:00:00:00:00:77 PERMANENT",
		"192.0.2.254": "0e:00:00:00:00:01", "2001:db8::2": "0e:00:00:00:00:01"} {
		a.AwaitNeighbours(address+" at "+want, func() bool { return strings.Contains(a.IP("neigh", "show", address), want) })
	}
	if err := h.ForgetAndGreet(netip.MustParseAddr("203.0.113.1")); err == nil || !strings.Contains(err.Error(), "203.0.113.1") {
		t.Errorf("without a route: want an error that names the address, got %v", err)
	}
}
