// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/link/linktest"
)

// guarded is a host with a container behind hp0, a router outside behind rb0, and another machine behind up0. Everyone can
// reach everyone as long as nothing guards.
func guarded(t *testing.T) (h *link.Host, host, container, router, far *linktest.Namespace) {
	t.Helper()
	h, host = open(t)
	container, router, far = linktest.New(t), linktest.New(t), linktest.New(t)
	for _, w := range []struct {
		name string
		peer *linktest.Namespace
		net4 string
		net6 string
	}{{"hp0", container, "10.1.0.", "fd01::"}, {"rb0", router, "10.2.0.", "fd02::"}, {"up0", far, "10.3.0.", "fd03::"}} {
		host.IP("link", "add", w.name, "type", "veth", "peer", "name", "eth0", "netns", w.peer.Name)
		w.peer.IP("link", "set", "lo", "up")
		w.peer.IP("link", "set", "eth0", "up")
		w.peer.IP("addr", "add", w.net4+"2/24", "dev", "eth0")
		w.peer.IP("addr", "add", w.net6+"2/64", "dev", "eth0", "nodad")
		host.IP("link", "set", w.name, "up")
		host.IP("addr", "add", w.net6+"1/64", "dev", w.name, "nodad")
		if w.name != "hp0" {
			host.IP("addr", "add", w.net4+"1/24", "dev", w.name)
		}
		w.peer.IP("route", "add", "default", "via", w.net4+"1")
		w.peer.IP("-6", "route", "add", "default", "via", w.net6+"1")
	}
	host.IP("link", "set", "lo", "up")
	if err := h.SetHostPort(link.HostPort{Name: "hp0", Addrs: prefixes("10.1.0.1/24", "fd01::1/64")}); err != nil {
		t.Fatal(err)
	}
	for _, six := range []bool{false, true} {
		if _, err := h.EnableForwarding(six); err != nil {
			t.Fatal(err)
		}
	}
	for _, at := range []struct {
		h    *link.Host
		port string
	}{{h, "80"}, {h, "81"}, {h, "82"}, {h, "179"}, {h, "9053"}, {hostOf(t, far), "80"}, {hostOf(t, far), "81"}, {hostOf(t, far), "84"}, {hostOf(t, container), "80"}} {
		l, err := at.h.Listen(netip.MustParseAddrPort("[::]:" + at.port))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
	}
	return h, host, container, router, far
}

func hostOf(t *testing.T, ns *linktest.Namespace) *link.Host {
	t.Helper()
	h, err := link.Open(ns.Path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

// reaches connects over TCP, or pings when port is "".
func reaches(from *linktest.Namespace, to, port string) bool {
	if port == "" {
		_, err := from.Exec("ping", "-n", "-c", "1", "-W", "2", to)
		return err == nil
	}
	_, err := from.Exec("timeout", "3", "bash", "-c", "exec 3<>/dev/tcp/"+to+"/"+port)
	return err == nil
}

// Anyone who comes by a network's interface finds closed what is the host's own, by any of its addresses, and what is protected
// elsewhere; what the host has opened, and everything that comes another way, is not concerned.
func TestGuard(t *testing.T) {
	h, host, container, router, far := guarded(t)
	far.IP("addr", "add", "10.3.0.9/24", "dev", "eth0") // that no one has registered
	far.IP("addr", "add", "fd03::9/64", "dev", "eth0", "nodad")
	tests := []struct {
		name     string
		from     *linktest.Namespace
		to, port string
		open     bool // with the guard; without it all are
	}{
		{"the host's own port", container, "10.1.0.1", "81", false},
		{"by IPv6", container, "fd01::1", "81", false},
		{"by an address of another interface", container, "10.3.0.1", "81", false},
		{"by one of IPv6", container, "fd03::1", "81", false},
		{"by a link-local address", container, "fe80::ff%eth0", "81", false},
		{"a ping", container, "10.1.0.1", "", true},
		{"a ping over IPv6", container, "fd03::1", "", true},
		{"a port that is open", container, "10.1.0.1", "80", true},
		{"and at a protected address", container, "10.3.0.2", "80", true},
		{"the end of a range", container, "fd01::1", "82", false},
		{"a service of the host", container, "10.1.0.1", "9053", true},
		{"at another address", container, "10.3.0.1", "9053", false},
		{"a known address elsewhere", container, "10.3.0.2", "81", false},
		{"a protected one", container, "fd03::2", "81", false},
		{"a ping to it", container, "10.3.0.2", "", true},
		{"one that is not protected", container, "10.2.0.2", "", true},
		{"a port of the control plane, elsewhere", container, "10.3.0.9", "84", false},
		{"by IPv6", container, "fd03::9", "84", false},
		{"another port there", container, "10.3.0.9", "80", true},
		{"the host to a container", host, "10.1.0.2", "80", true},
		{"and over IPv6", host, "fd01::2", "80", true},
		{"a machine outside", far, "10.3.0.1", "81", true},
		{"a router to the open door", router, "10.2.0.1", "179", true},
		{"a router to the rest", router, "10.2.0.1", "81", false},
	}
	host.IP("-6", "addr", "add", "fe80::ff/64", "dev", "hp0", "nodad")
	for _, tt := range tests {
		if !reaches(tt.from, tt.to, tt.port) {
			t.Fatalf("%s: %s port %q: want it open without a guard, got it closed", tt.name, tt.to, tt.port)
		}
	}
	g := &link.Guard{Services: []netip.AddrPort{netip.MustParseAddrPort("10.1.0.1:9053")}, Doors: []link.GuardedInterface{{Name: "rb0", Port: 179}},
		Open: []link.Ports{{Protocol: 6, First: 78, Last: 80}}, Control: []link.Ports{{Protocol: 6, First: 80, Last: 84}}, Known: []netip.Addr{netip.MustParseAddr("10.3.0.2")},
		Protected: prefixes("fd03::/64", "203.0.113.0/24")}
	for range 2 { // again changes nothing
		if err := h.SetGuard(g); err != nil {
			t.Fatal(err)
		}
		for _, tt := range tests {
			if got := reaches(tt.from, tt.to, tt.port); got != tt.open {
				rules, _ := host.Exec("nft", "list", "ruleset")
				t.Errorf("%s: %s port %q: want open %v, got %v\n%s", tt.name, tt.to, tt.port, tt.open, got, rules)
			}
		}
	}
	// Another host in a network for hosts reaches everything here; it is no way to other hosts.
	g.Hosts = []netip.Addr{netip.MustParseAddr("10.1.0.2"), netip.MustParseAddr("fd01::2")}
	if err := h.SetGuard(g); err != nil {
		t.Fatal(err)
	}
	for to, want := range map[string]bool{"10.1.0.1": true, "fd01::1": true, "10.3.0.2": false} {
		if got := reaches(container, to, "81"); got != want {
			t.Errorf("from another host to %s: want open %v, got %v", to, want, got)
		}
	}
	for range 2 {
		if err := h.SetGuard(nil); err != nil {
			t.Fatal(err)
		}
	}
	if !reaches(container, "10.3.0.1", "81") {
		t.Error("without a guard: want all open, got it closed")
	}
}

// The operator wants the packets that the host's own rules lead to its ports, as kube-proxy does.
func TestGuardLeavesDNAT(t *testing.T) {
	h, host, container, _, _ := guarded(t)
	if err := h.SetGuard(&link.Guard{}); err != nil {
		t.Fatal(err)
	}
	if reaches(container, "10.1.0.1", "81") {
		t.Error("before: want the port closed, got it open")
	}
	for _, cmd := range []string{"add table ip nat", "add chain ip nat pre { type nat hook prerouting priority dstnat; }",
		"add rule ip nat pre ip daddr 10.96.0.1 tcp dport 443 dnat to 10.3.0.1:81"} {
		if out, err := host.Exec("nft", cmd); err != nil {
			t.Fatal(out, err)
		}
	}
	if !reaches(container, "10.96.0.1", "443") {
		t.Error("a service that leads to the host: want it open, got it closed")
	}
}

func TestParsePorts(t *testing.T) {
	for text, want := range map[string]link.Ports{"tcp/80": {Protocol: 6, First: 80, Last: 80}, "udp/4000-4010": {Protocol: 17, First: 4000, Last: 4010}, "sctp/1": {Protocol: 132, First: 1, Last: 1}} {
		if got, err := link.ParsePorts(text); err != nil || got != want {
			t.Errorf("%s: want %+v, got %+v, %v", text, want, got, err)
		}
	}
	for _, text := range []string{"", "80", "tcp", "tcp/", "tcp/0", "tcp/65536", "tcp/9-8", "icmp/8", "tcp/80-", "tcp/80/81", "TCP/80"} {
		if _, err := link.ParsePorts(text); err == nil || !strings.Contains(err.Error(), "tcp/80") {
			t.Errorf("%q: want an error with an example, got %v", text, err)
		}
	}
}
