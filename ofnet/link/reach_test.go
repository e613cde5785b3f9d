// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/link/linktest"
)

// What is sent from a container and what comes back, by three protocols and two families: an answer, a refusal, no way, silence.
func TestReach(t *testing.T) {
	h, ns := open(t)
	container := linktest.New(t)
	ns.IP("link", "add", "out0", "type", "veth", "peer", "name", "eth0", "netns", container.Name)
	for _, end := range []struct {
		at          *linktest.Namespace
		dev, v4, v6 string
	}{{ns, "out0", "192.0.2.1/24", "2001:db8::1/64"}, {container, "eth0", "192.0.2.2/24", "2001:db8::2/64"}} {
		end.at.IP("addr", "add", end.v4, "dev", end.dev)
		end.at.IP("addr", "add", end.v6, "dev", end.dev, "nodad")
		end.at.IP("link", "set", end.dev, "up")
	}
	ns.IP("route", "add", "blackhole", "198.51.100.0/24")
	container.IP("route", "add", "198.51.100.0/24", "via", "192.0.2.1")
	container.IP("route", "add", "unreachable", "203.0.113.0/24")
	// A neighbour that takes packets and never answers.
	container.IP("neigh", "add", "192.0.2.9", "lladdr", "02:00:00:00:00:09", "dev", "eth0")
	for _, at := range []string{"192.0.2.1:80", "[2001:db8::1]:80"} {
		l, err := h.Listen(netip.MustParseAddrPort(at))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
	}
	answering(t, ns, "192.0.2.1:53")
	for _, r := range []struct{ protocol, to, how string }{
		{"tcp", "192.0.2.1:80", link.Answered},
		{"tcp", "[2001:db8::1]:80", link.Answered},
		{"tcp", "192.0.2.1:81", link.Refused},
		{"tcp", "192.0.2.9:80", link.Silent},
		{"tcp", "203.0.113.7:80", link.Unreachable},
		{"udp", "192.0.2.1:53", link.Answered},
		{"udp", "192.0.2.1:54", link.Refused},
		{"udp", "192.0.2.9:53", link.Silent},
		{"icmp", "192.0.2.1:0", link.Answered},
		{"icmp", "[2001:db8::1]:0", link.Answered},
		{"icmp", "192.0.2.9:0", link.Silent},
		{"icmp", "203.0.113.7:0", link.Unreachable},
		{"icmp", "8.8.8.8:0", link.Unreachable},
	} {
		t.Run(r.protocol+" "+r.to, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 600*time.Millisecond)
			defer cancel()
			got, err := h.Reach(ctx, container.Path, r.protocol, netip.MustParseAddrPort(r.to))
			if err != nil || got.How != r.how || (got.Reason != "") != (r.how == link.Unreachable) {
				t.Errorf("want %s, got %+v (%v)", r.how, got, err)
			}
		})
	}
	container.Delete()
	if _, err := h.Reach(t.Context(), container.Path, "icmp", netip.MustParseAddrPort("192.0.2.1:0")); !errors.Is(err, link.ErrNoNamespace) {
		t.Errorf("of a container that is gone, want ErrNoNamespace, got %v", err)
	}
	if _, err := h.Reach(t.Context(), ns.Path, "gre", netip.MustParseAddrPort("192.0.2.1:0")); err == nil {
		t.Error("want an error for a protocol that is not sent")
	}
}

// answering answers every datagram at an address of a namespace until the test ends.
func answering(t *testing.T, ns *linktest.Namespace, at string) {
	t.Helper()
	space, err := link.OpenNamespace(ns.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer space.Close()
	var conn net.PacketConn
	if err := space.Do(func() (err error) { conn, err = net.ListenPacket("udp", at); return err }); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		for {
			_, from, err := conn.ReadFrom(make([]byte, 64))
			if err != nil {
				return
			}
			_, _ = conn.WriteTo([]byte("."), from)
		}
	}()
}
