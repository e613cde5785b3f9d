// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"net/netip"
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// Packets of an endpoint with another's address are counted; those with its own address, and those of its kernel, are not.
func TestSpoofed(t *testing.T) {
	l := newLab(t, moreState)
	w := newWires(t, l)
	a1, a2 := w.Endpoints.Get("a1"), w.Endpoints.Get("a2")
	want := uint64(0)
	for _, row := range []struct {
		name    string
		f       frame
		counted uint64
	}{
		{"another's address", frame{kind: "udp", from: a2.IP4, to: a2.IP4, ttl: 9}, 1},
		{"another's address of IPv6", frame{kind: "udp", from: a2.IP6, to: a2.IP6, ttl: 9}, 1},
		{"another's link address", frame{kind: "udp", src: stranger, from: a1.IP4, to: a2.IP4, ttl: 9}, 1},
		{"another's address in ARP", frame{kind: "arp", op: 2, sha: a1.MAC, from: a2.IP4, to: a2.IP4}, 1},
		{"its own address", frame{kind: "udp", from: a1.IP4, to: a2.IP4, ttl: 9}, 0},
		{"a link-local address", frame{kind: "udp", from: linkLocal(a1.MAC), to: allNodes6, ttl: 1}, 0},
		{"no address of IPv6", frame{kind: "udp", from: netip.IPv6Unspecified(), to: allNodes6, ttl: 1}, 0},
		{"no address", frame{kind: "udp", from: netip.IPv4Unspecified(), to: netip.MustParseAddr("255.255.255.255"), ttl: 1}, 0},
	} {
		f := row.f
		if f.src == (ofnet.MAC{}) {
			f.src = a1.MAC
		}
		f.dst = a2.MAC
		w.verdict(t, way{endpoint: a1}, f)
		if v := (&visit{in: way{endpoint: a1}, f: f}); !v.honest() {
			p := w.passed["p1"]
			p.sent--
			w.passed["p1"] = p
		}
		want += row.counted
		l.ovs.Appctl("revalidator/wait")
		eventually(t, row.name+" is counted", func() bool { return w.counted(pipeline.Offered, "a1") >= w.passed["p1"].offered })
		if got := w.counted(pipeline.Spoofed, "a1"); got != want {
			t.Errorf("%s: want %d counted by now, got %d", row.name, want, got)
		}
	}
}
