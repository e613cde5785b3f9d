// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet/link"
)

// The kernel's decision about an incoming packet is in words: the receiver, the interface, or the reason of its loss.
func TestOnward(t *testing.T) {
	h, ns := open(t)
	for _, name := range []string{"in0", "out0", "ours0", "down0"} {
		ns.IP("link", "add", name, "type", "veth", "peer", "name", name+"p")
		ns.IP("link", "set", name+"p", "up")
		ns.IP("link", "set", name, "up")
	}
	ns.IP("link", "set", "lo", "up")
	ns.IP("link", "set", "ours0", "group", fmt.Sprint(link.GroupHost))
	for _, a := range []string{"in0 172.19.255.254/16", "in0 fd63::1/64", "out0 192.0.2.1/24", "out0 2001:db8::1/64", "ours0 10.9.0.1/24", "down0 198.51.100.1/24"} {
		dev, addr, _ := strings.Cut(a, " ")
		ns.IP("addr", "add", addr, "dev", dev, "nodad")
	}
	ns.IP("link", "set", "down0p", "down") // no carrier: the route stays
	ns.IP("route", "add", "203.0.113.0/24", "via", "192.0.2.254")
	ns.IP("route", "add", "10.66.0.0/16", "via", "inet6", "2001:db8::fe", "dev", "out0")
	ns.IP("-6", "route", "add", "2001:db8:9::/48", "via", "2001:db8::fe")
	for _, kind := range []string{"blackhole 10.50", "unreachable 10.51", "prohibit 10.52"} {
		kind, net, _ := strings.Cut(kind, " ")
		ns.IP("route", "add", kind, net+".0.0/16")
	}
	ns.IP("-6", "route", "add", "blackhole", "2001:db8:50::/48")
	ns.IP("-6", "route", "add", "prohibit", "2001:db8:52::/48")
	rows := []struct {
		dst       string
		own       bool
		dev, via  string
		lost, try string
	}{
		{dst: "192.0.2.1", own: true},
		{dst: "172.19.255.254", own: true},
		{dst: "2001:db8::1", own: true},
		{dst: "192.0.2.7", dev: "out0"},
		{dst: "203.0.113.9", dev: "out0", via: "192.0.2.254"},
		{dst: "10.66.1.1", dev: "out0", via: "2001:db8::fe"},
		{dst: "2001:db8::7", dev: "out0"},
		{dst: "2001:db8:9::1", dev: "out0", via: "2001:db8::fe"},
		{dst: "8.8.8.8", lost: "has no route to 8.8.8.8", try: "ip route add 8.8.8.8/32 via ROUTER"},
		{dst: "2001:4860::8888", lost: "has no route to 2001:4860::8888", try: "ip route add 2001:4860::8888/128 via ROUTER"},
		{dst: "10.50.0.1", lost: "takes no packet to 10.50.0.1"},
		{dst: "10.51.0.1", lost: "has a route that forbids 10.51.0.1"},
		{dst: "10.52.0.1", lost: "has a route that forbids 10.52.0.1"},
		{dst: "2001:db8:50::1", lost: "2001:db8:50::1"},
		{dst: "2001:db8:52::1", lost: "has a route that forbids 2001:db8:52::1"},
		{dst: "127.0.0.1", lost: "takes no packet to 127.0.0.1"},
		{dst: "192.0.2.255", lost: "for many"},
		{dst: "10.9.0.7", lost: "interface ours0 of another network of Contiv"},
		{dst: "198.51.100.7", lost: "interface down0, which is down"},
	}
	for _, on := range []bool{true, false} {
		value := "0"
		if on {
			value = "1"
		}
		for _, file := range []string{"net.ipv4.ip_forward", "net.ipv6.conf.all.forwarding"} {
			if out, err := ns.Exec("sysctl", "-qw", file+"="+value); err != nil {
				t.Fatal(err, out)
			}
		}
		for _, r := range rows {
			dst := netip.MustParseAddr(r.dst)
			src := "172.19.0.1"
			if dst.Is6() {
				src = "fd63::7"
			}
			got, err := h.NextHop("in0", netip.MustParseAddr(src), dst)
			if err != nil {
				t.Errorf("%s: %v", r.dst, err)
				continue
			}
			if !on && r.dev != "" { // that is all that a host which passes nothing on does not do
				r.dev, r.via, r.lost, r.try = "", "", "does not pass packets on", "sysctl -w net.ipv"
			}
			via := ""
			if got.Via.IsValid() {
				via = got.Via.String()
			}
			lost := strings.Contains(got.Lost, r.lost) || !on && got.Lost == "does not pass packets on"
			if got.Own != r.own || got.Dev != r.dev || via != r.via || (got.Lost != "") != (r.lost != "") || !lost || on && !strings.Contains(got.Try, r.try) {
				t.Errorf("%s, forwarding %v: want %+v, got %+v", r.dst, on, r, got)
			}
		}
	}
	if _, err := h.NextHop("absent", netip.MustParseAddr("172.19.0.1"), netip.MustParseAddr("192.0.2.7")); err == nil {
		t.Error("by an interface that is not there: want an error")
	}
}
