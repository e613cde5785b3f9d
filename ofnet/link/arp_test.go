// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/link/linktest"
)

func TestLimitARP(t *testing.T) {
	h, ns := open(t)
	sysctl := func(setting string) {
		t.Helper()
		if out, err := ns.Exec("sysctl", "-w", setting); err != nil {
			t.Fatal(out, err)
		}
	}
	ns.IP("link", "add", "nic0", "type", "veth", "peer", "name", "nic1")
	ns.IP("link", "add", "v.7", "type", "veth", "peer", "name", "v.8")
	for _, row := range []struct {
		name, before, nic string
		changed           bool
		want              string
	}{
		{"the kernel's default", "net.ipv4.conf.nic0.arp_ignore=0", "nic0", true, "1"},
		{"once more", "net.ipv4.conf.nic1.arp_ignore=0", "nic0", false, "1"},
		{"stricter already", "net.ipv4.conf.nic1.arp_ignore=2", "nic1", false, "2"},
		{"a name with a dot", "net.ipv4.conf.v/7.arp_ignore=0", "v.7", true, "1"},
	} {
		sysctl(row.before)
		if changed, err := h.LimitARP(row.nic); err != nil || changed != row.changed {
			t.Errorf("%s: want changed %v, got %v, %v", row.name, row.changed, changed, err)
		}
		if out, err := ns.Exec("cat", "/proc/sys/net/ipv4/conf/"+row.nic+"/arp_ignore"); err != nil || strings.TrimSpace(out) != row.want {
			t.Errorf("%s: want %s, got %s, %v", row.name, row.want, out, err)
		}
	}
	if _, err := h.LimitARP("none0"); err == nil || !strings.Contains(err.Error(), "sysctl -w net.ipv4.conf.none0.arp_ignore=1") {
		t.Errorf("a NIC that does not exist: want an error with the remedy, got %v", err)
	}
	sysctl("net.ipv4.conf.all.arp_ignore=1")
	sysctl("net.ipv4.conf.nic0.arp_ignore=0")
	if changed, err := h.LimitARP("nic0"); err != nil || changed {
		t.Errorf("all interfaces are limited already: want no change, got %v, %v", changed, err)
	}
}

// A question at one interface for the address of another gets no answer; one for the interface's own does.
func TestLimitedARP(t *testing.T) {
	a, b := linktest.Pair(t)
	a.IP("link", "add", "in0", "type", "veth", "peer", "name", "in1")
	a.IP("addr", "add", "192.0.2.1/32", "dev", "in0")
	a.IP("addr", "add", "198.51.100.1/24", "dev", "u0")
	for _, name := range []string{"u0", "in0", "in1"} {
		a.IP("link", "set", name, "up")
	}
	a.IP("route", "add", "192.0.2.2", "dev", "u0")
	b.IP("addr", "add", "192.0.2.2/24", "dev", "u0")
	b.IP("addr", "add", "198.51.100.2/24", "dev", "u0")
	b.IP("link", "set", "u0", "up")
	for _, setting := range []string{"net.ipv4.conf.all.rp_filter=0", "net.ipv4.conf.u0.rp_filter=0", "net.ipv4.conf.all.arp_ignore=0", "net.ipv4.conf.u0.arp_ignore=0"} {
		if out, err := a.Exec("sysctl", "-w", setting); err != nil {
			t.Fatal(out, err)
		}
	}
	answered := func(address string) bool {
		_, err := b.Exec("ping", "-c", "1", "-W", "1", address)
		return err == nil
	}
	if !answered("192.0.2.1") {
		t.Error("by itself the kernel answers for all interfaces: this test shows nothing")
	}
	h, err := link.Open(a.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for range 2 {
		if _, err := h.LimitARP("u0"); err != nil {
			t.Fatal(err)
		}
	}
	b.IP("neigh", "flush", "all")
	if answered("192.0.2.1") || !answered("198.51.100.1") {
		t.Error("want an answer only for the interface's own address")
	}
}
