package link_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/link/linktest"
)

func TestGreetResolvesNeighbour(t *testing.T) {
	a, b := linktest.New(t), linktest.New(t)
	a.IP("link", "add", "u0", "type", "veth", "peer", "name", "u0", "netns", b.Name)
	a.IP("addr", "add", "192.0.2.1/24", "dev", "u0")
	b.IP("addr", "add", "192.0.2.2/24", "dev", "u0")
	a.IP("link", "set", "u0", "up")
	b.IP("link", "set", "u0", "up")
	h, err := link.Open(a.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if err := h.Greet(netip.MustParseAddr("192.0.2.2")); err != nil {
		t.Fatal(err)
	}
	// The peer is a queue away: the request is asked and answered while it is sent.
	if got := a.IP("neigh", "show", "192.0.2.2"); !strings.Contains(got, "192.0.2.2 dev u0") {
		t.Errorf("neighbours after Greet: want an entry of 192.0.2.2, got %q", got)
	}
	if err := h.Greet(netip.MustParseAddr("198.51.100.1")); err == nil {
		t.Error("Greet without a route: want an error, got nil")
	}
}
