package link_test

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/link/linktest"
)

// Who asks at one interface for the address of another gets no answer; the interface's own is told.
func TestAnswerOwn(t *testing.T) {
	a, b := linktest.New(t), linktest.New(t)
	a.IP("link", "add", "u0", "type", "veth", "peer", "name", "u0", "netns", b.Name)
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
		if err := h.AnswerOwn("u0"); err != nil {
			t.Fatal(err)
		}
	}
	b.IP("neigh", "flush", "all")
	if answered("192.0.2.1") || !answered("198.51.100.1") {
		t.Error("want an answer for the interface's own address alone")
	}
	if err := h.AnswerOwn("nothing"); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("no such interface: got %v", err)
	}
}
