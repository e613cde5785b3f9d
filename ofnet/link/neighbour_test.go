// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/link/linktest"
)

// TestNeighbourMoves: a neighbour whose link address changes without a word is found at the new one, though nothing is sent to it
// but questions; until then it is known at the old one.
func TestNeighbourMoves(t *testing.T) {
	a, b := linktest.Pair(t)
	b.IP("link", "set", "u0", "address", "0e:00:00:00:00:01")
	b.IP("addr", "add", "192.0.2.2/24", "dev", "u0")
	b.IP("addr", "add", "2001:db8::2/64", "dev", "u0", "nodad")
	b.IP("link", "set", "u0", "up")
	a.IP("link", "set", "u0", "address", "0e:00:00:00:00:aa")
	for _, own := range []string{"192.0.2.1", "2001:db8::1"} { // nor does the neighbour ask, which would reveal it
		b.IP("neigh", "replace", own, "lladdr", "0e:00:00:00:00:aa", "dev", "u0", "nud", "permanent")
	}
	h, err := link.Open(a.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if err := h.EnsureAddresses("u0", netip.MustParsePrefix("192.0.2.1/24"), netip.MustParsePrefix("2001:db8::1/64")); err != nil {
		t.Fatal(err)
	}
	if err := h.WatchNeighbours("u0"); err != nil {
		t.Fatal(err)
	}
	for _, family := range []string{"ipv4", "ipv6"} {
		folder := "net." + family + ".neigh.u0."
		if out, err := a.Exec("sysctl", "-n", folder+"base_reachable_time_ms", folder+"delay_first_probe_time"); err != nil || out != "5000\n1\n" {
			t.Errorf("%s: %q, %v", family, out, err)
		}
		if out, err := a.Exec("sysctl", "-w", folder+"retrans_time_ms=100"); err != nil { // this test has no time
			t.Fatal(out, err)
		}
	}
	neighbours := []netip.Addr{netip.MustParseAddr("192.0.2.2"), netip.MustParseAddr("2001:db8::2")}
	seen := func(n netip.Addr, want [6]byte) bool {
		mac, ok := h.Neighbour("u0", n)
		if !ok {
			_ = h.Greet(n) // there may be no answer yet
		}
		return ok && mac == want
	}
	find := func(want [6]byte) {
		t.Helper()
		for _, n := range neighbours {
			a.AwaitNeighbours(fmt.Sprintf("%s at %x", n, want), func() bool { return seen(n, want) })
		}
	}
	find([6]byte{0x0e, 0, 0, 0, 0, 1})
	for _, n := range neighbours { // as after a while without traffic
		a.IP("neigh", "replace", n.String(), "lladdr", "0e:00:00:00:00:01", "dev", "u0", "nud", "stale")
	}
	b.IP("link", "set", "u0", "address", "0e:00:00:00:00:02")
	for _, n := range neighbours {
		if !seen(n, [6]byte{0x0e, 0, 0, 0, 0, 1}) {
			t.Errorf("%s has not said anything, and is not known where it was any more", n)
		}
	}
	find([6]byte{0x0e, 0, 0, 0, 0, 2})
	if err := h.WatchNeighbours("nothing"); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("no such interface: got %v", err)
	}
}
