// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"fmt"
	"net/netip"
	"os"
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/ofnettest"
)

// TestAskBack plays an endpoint that asks for addresses on a datapath that writes no advertisements: it is asked back in the name of the
// address, and its answer comes back to it as that of the address.
func TestAskBack(t *testing.T) {
	text, err := os.ReadFile("testdata/state.txt")
	if err != nil {
		t.Fatal(err)
	}
	s := ofnettest.Parse(t, string(text)+moreState)
	s.Missing = ofnet.NDExtensions
	w := newWires(t, newLabOf(t, s))
	a1, b1 := w.Endpoints.Get("a1"), w.Endpoints.Get("b1")
	local := netip.MustParseAddr("fe80::2:65ff:fe01:1")
	for _, row := range []struct {
		name   string
		who    *ofnet.Endpoint
		from   netip.Addr
		target string
		mac    ofnet.MAC
	}{
		{"one here", a1, a1.IP6, "fd01::2", w.Endpoints.Get("a2").MAC},
		{"one elsewhere", a1, a1.IP6, "fd01::3", w.Endpoints.Get("a3").MAC},
		{"the gateway", a1, a1.IP6, "fd01::fe", routerMAC},
		{"from its link-local address", a1, local, "fd01::2", w.Endpoints.Get("a2").MAC},
		{"on a VLAN", b1, b1.IP6, "fd02::2", w.Endpoints.Get("b2").MAC},
	} {
		t.Run(row.name, func(t *testing.T) {
			target, port := netip.MustParseAddr(row.target), fmt.Sprintf("p%d", row.who.Port)
			one := func(in, want frame) {
				t.Helper()
				w.send(t, port, in.bytes())
				w.settle(t)
				got := w.receive(t, port)
				if got == nil {
					t.Fatalf("after %s: want %s, got nothing", in, want)
				}
				f, err := decode(got)
				if err != nil || f.String() != want.String() {
					t.Fatalf("after %s: want %s, got %s, %v", in, want, f, err)
				}
			}
			one(frame{kind: "ns", src: row.who.MAC, dst: allNodes, sha: row.who.MAC, from: row.from, to: allNodes6, target: target, ttl: 255},
				frame{kind: "ns", src: row.mac, dst: row.who.MAC, sha: row.mac, from: target, to: row.from, target: row.from, ttl: 255})
			one(frame{kind: "na", src: row.who.MAC, dst: row.mac, sha: row.who.MAC, from: row.from, to: target, target: row.from, ttl: 255},
				frame{kind: "na", src: row.mac, dst: row.who.MAC, sha: row.mac, from: target, to: row.from, target: target, ttl: 255})
		})
	}
}
