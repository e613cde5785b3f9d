// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/link/linktest"
)

// Addresses of both families are there at once, others are gone, and neighbours of both are found.
func TestEnsureAddresses(t *testing.T) {
	a, b := linktest.Pair(t)
	b.IP("addr", "add", "192.0.2.2/24", "dev", "u0")
	b.IP("addr", "add", "2001:db8::2/64", "dev", "u0", "nodad")
	b.IP("link", "set", "u0", "up")
	a.IP("addr", "add", "198.51.100.1/24", "dev", "u0")
	a.IP("addr", "add", "2001:db8:1::1/64", "dev", "u0", "nodad")
	h, err := link.Open(a.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	four, six := netip.MustParsePrefix("192.0.2.1/24"), netip.MustParsePrefix("2001:db8::1/64")
	for range 2 { // the second time there is nothing to do
		if err := h.EnsureAddresses("u0", four, six); err != nil {
			t.Fatal(err)
		}
	}
	got := a.IP("-o", "addr", "show", "u0")
	for text, want := range map[string]bool{"192.0.2.1/24": true, "2001:db8::1/64": true, "tentative scope global": false,
		"198.51.100.1": false, "2001:db8:1::1": false} {
		if strings.Contains(got, text) != want {
			t.Errorf("%s is there: want %v, got\n%s", text, want, got)
		}
	}
	for _, text := range []string{"192.0.2.2", "2001:db8::2"} {
		n := netip.MustParseAddr(text)
		if mac, ok := h.Neighbour("u0", n); ok {
			t.Errorf("%s is known before it is asked for: %x", n, mac)
		}
		a.IP("neigh", "replace", text, "lladdr", "0e:00:00:00:00:07", "dev", "u0", "nud", "stale")
		if mac, ok := h.Neighbour("u0", n); !ok || mac != [6]byte{0x0e, 0, 0, 0, 0, 7} {
			t.Errorf("%s: got %x, %v", n, mac, ok)
		}
	}
	if err := h.EnsureAddresses("nothing", four); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("no such interface: got %v", err)
	}
}
