// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"net"
	"net/netip"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/link/linktest"
)

// Look returns the changes within the container.
func TestLook(t *testing.T) {
	h, host := open(t)
	c := linktest.New(t)
	p := link.Pair{Host: link.Name("e1", 0), Netns: c.Path, IfName: "eth0", MTU: 1500}
	if err := h.Create(p); err != nil {
		t.Fatal(err)
	}
	cfg := config(p)
	if err := h.Configure(cfg); err != nil {
		t.Fatal(err)
	}
	look := func() link.Seen {
		t.Helper()
		s, err := h.Look(c.Path, "eth0", p.Host, true)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	do := func(ns *linktest.Namespace, words ...string) {
		t.Helper()
		if out, err := ns.Exec(words...); err != nil {
			t.Fatalf("%v: %v\n%s", words, err, out)
		}
	}
	s := look()
	if !s.Netns || !s.Outer || !s.OuterUp || !s.Inner || !s.InnerUp || s.MTU != cfg.MTU || s.MAC.String() != cfg.MAC.String() || s.Other || len(s.Drops) != 0 {
		t.Errorf("as it was made: got %+v", s)
	}
	for _, a := range cfg.Addrs {
		if !slices.Contains(s.Addrs, a) {
			t.Errorf("want address %s, got %v", a, s.Addrs)
		}
	}
	if !slices.Equal(s.Default, cfg.Gateways) {
		t.Errorf("want gateways %v, got %v", cfg.Gateways, s.Default)
	}
	do(c, "ip", "link", "set", "eth0", "mtu", "1400")
	do(c, "ip", "route", "replace", "default", "via", "10.1.1.9")
	if s := look(); s.MTU != 1400 || !slices.Contains(s.Default, netip.MustParseAddr("10.1.1.9")) {
		t.Errorf("changed MTU and gateway: got %+v", s)
	}
	do(c, "nft", "add table inet own; add chain inet own inward { type filter hook input priority 0; policy drop; }; add chain inet own outward; add rule inet own outward tcp dport 80 drop")
	if s := look(); !slices.Equal(s.Drops, []string{"chain inward of table own drops what no rule accepts", "chain outward of table own has 1 rules that drop"}) {
		t.Errorf("filters: got %q", s.Drops)
	}
	do(host, "ip", "link", "set", p.Host, "down")
	if s := look(); s.OuterUp || !s.InnerUp {
		t.Errorf("host end down: got %+v", s)
	}
	do(c, "ip", "link", "del", "eth0")
	if s := look(); s.Outer || s.Inner || !s.Netns {
		t.Errorf("interface deleted: got %+v", s)
	}
	if s, err := h.Look("/run/netns/contiv-no-such", "eth0", p.Host, false); err != nil || s.Netns {
		t.Errorf("no namespace: got %+v, %v", s, err)
	}
}

// A socket that listens is found, with its address.
func TestLookAtSockets(t *testing.T) {
	h, _ := open(t)
	c := linktest.New(t)
	p := link.Pair{Host: link.Name("e1", 0), Netns: c.Path, IfName: "eth0", MTU: 1500}
	if err := h.Create(p); err != nil {
		t.Fatal(err)
	}
	if err := h.Configure(config(p)); err != nil {
		t.Fatal(err)
	}
	inside, err := link.Open(c.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer inside.Close()
	l, err := inside.Listen(netip.MustParseAddrPort("10.1.1.5:8080"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	any6, err := inside.Listen(netip.MustParseAddrPort("[::]:8081"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = any6.Close() }()
	ns, err := link.OpenNamespace(c.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer ns.Close()
	if err := ns.Do(func() error {
		udp, err := net.ListenPacket("udp4", "10.1.1.5:5353")
		if err == nil {
			t.Cleanup(func() { _ = udp.Close() })
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	s, err := h.Look(c.Path, "eth0", p.Host, true)
	at := netip.MustParseAddrPort("10.1.1.5:8080")
	if err != nil || !s.Listens(unix.IPPROTO_TCP, at) || s.Listens(unix.IPPROTO_UDP, at) || s.Listens(unix.IPPROTO_TCP, netip.MustParseAddrPort("10.1.1.5:81")) ||
		!s.Listens(unix.IPPROTO_TCP, netip.MustParseAddrPort("10.1.1.5:8081")) || !s.Listens(unix.IPPROTO_UDP, netip.MustParseAddrPort("10.1.1.5:5353")) {
		t.Errorf("want tcp 8080 and udp 5353 of 10.1.1.5 and tcp 8081 of all, got %+v, %v", s.Listeners, err)
	}
}
