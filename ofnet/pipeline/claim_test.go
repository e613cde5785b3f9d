// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"net/netip"
	"testing"

	agent "github.com/contiv/contiv/ofnet/frame"
	"github.com/contiv/contiv/ofnet/packetin"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// Claims of machines outside to addresses of endpoints here are dropped, and sent to the agent with the claimant and its place.
func TestClaims(t *testing.T) {
	l := newLab(t, moreState)
	w := newWires(t, l)
	packets := make(chan packetin.Packet, 8)
	l.listener(t, pipeline.LeaseClaims, pipeline.Claims(), packets)
	b1, b2, e1 := w.Endpoints.Get("b1"), w.Endpoints.Get("b2"), w.Endpoints.Get("e1")
	up := w.Hosts.Get("h1").UplinkMAC
	for _, row := range []struct {
		name string
		f    frame
		want string // who is claimed, by which address of whom; "": no one
	}{
		{"an answer", frame{kind: "arp", op: 2, vlan: 11, src: stranger, dst: broadcast4, sha: stranger, from: b1.IP4, to: b1.IP4}, "b1 10.2.0.1 at " + hex(b1.MAC)},
		{"a question", frame{kind: "arp", op: 1, vlan: 11, src: stranger, dst: broadcast4, sha: stranger, from: b1.IP4, to: b2.IP4}, "b1 10.2.0.1 at " + hex(b1.MAC)},
		{"its link address", frame{kind: "arp", op: 1, vlan: 11, src: b1.MAC, dst: broadcast4, sha: b1.MAC, from: netip.MustParseAddr("10.2.0.77"), to: b2.IP4}, "b1 10.2.0.77 at " + hex(b1.MAC)},
		{"an advertisement", frame{kind: "na", vlan: 11, src: stranger, dst: allNodes, sha: stranger, from: b1.IP6, to: allNodes6, target: b1.IP6, ttl: 255}, "b1 fd02::1 at " + hex(b1.MAC)},
		{"a solicitation", frame{kind: "ns", vlan: 11, src: stranger, dst: allNodes, sha: stranger, from: b1.IP6, to: allNodes6, target: b2.IP6, ttl: 255}, "b1 fd02::1 at " + hex(b1.MAC)},
		{"one of a routed network", frame{kind: "arp", op: 2, vlan: 15, src: stranger, dst: broadcast4, sha: stranger, from: e1.IP4, to: e1.IP4}, "e1 10.5.0.1 at " + hex(up)},
		{"an address elsewhere", frame{kind: "arp", op: 2, vlan: 11, src: stranger, dst: broadcast4, sha: stranger, from: b2.IP4, to: b2.IP4}, ""},
		{"an address of no one", frame{kind: "arp", op: 1, vlan: 11, src: stranger, dst: broadcast4, sha: stranger, from: netip.MustParseAddr("10.2.0.99"), to: b1.IP4}, ""},
		{"in another network", frame{kind: "arp", op: 2, vlan: 12, src: stranger, dst: broadcast4, sha: stranger, from: b1.IP4, to: b1.IP4}, ""},
	} {
		out := w.verdict(t, way{}, row.f)
		if row.want == "" {
			select {
			case p := <-packets:
				t.Errorf("%s: want nothing sent to the agent, got %x", row.name, p.Frame)
			default:
			}
			continue
		}
		p := caught(t, packets)
		segment, _ := pipeline.Origin(p.Match)
		c, err := agent.ParseAnnouncement(p.Frame)
		e, at := pipeline.Claimed(w.State, segment, c.Addr, c.Link)
		if err != nil || e == nil || e.ID+" "+c.Addr.String()+" at "+hex(at) != row.want || c.EthSrc != row.f.src || len(out) > 0 {
			t.Errorf("%s: want %s, got %v at %x: %+v, %v, and %v continued", row.name, row.want, e, at, c, err, out)
		}
	}
	if e, _ := pipeline.Claimed(w.State, 103, netip.MustParseAddr("10.2.0.99"), stranger); e != nil {
		t.Errorf("an address of no one: got %+v", e)
	}
}

var allNodes6 = netip.MustParseAddr("ff02::1")
