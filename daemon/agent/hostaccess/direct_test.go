// SPDX-License-Identifier: Apache-2.0

package hostaccess

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/link"
)

// If hosts access endpoints directly, the host has routes to all networks with its own address, and all its ports are open except the
// cluster's. No route leads to a subnet in which a host has an address; that is reported.
func TestDirect(t *testing.T) {
	w := newWorld("bridge", network("blue", record.DataNetwork, record.VXLAN, "10.1.1.0/24"), network("lan", record.DataNetwork, record.VLAN, "10.3.1.0/24"))
	w.global.HostAccess = record.HostDirect
	w.networks[0].Subnet6 = netip.MustParsePrefix("fd01::/64")
	e := w.engine(t)
	e.Nodes = func() []ofnet.Host {
		return []ofnet.Host{{Label: "h1", Node4: netip.MustParseAddr("192.0.2.1"), VTEP: netip.MustParseAddr("198.51.100.1")},
			{Label: "h2", Node4: netip.MustParseAddr("192.0.2.2")}}
	}
	e.Closed.Members = func() []Member {
		return []Member{{Addr: netip.MustParseAddr("192.0.2.1"), Port: 9999}, {Addr: netip.MustParseAddr("192.0.2.1"), Host: "h1"}}
	}
	if err := e.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := "[{10.1.1.0/24 172.19.255.253 192.0.2.1} {10.3.1.0/24 172.19.255.253 192.0.2.1}]"
	if got := fmt.Sprint(w.links[PortName].Gateways); got != want {
		t.Errorf("ways of a host without IPv6: want %s, got %s", want, got)
	}
	if g := w.guard; g == nil || !g.Meet || fmt.Sprint(g.Control) != fmt.Sprint([]link.Ports{{Protocol: 6, First: 9999, Last: 9999}}) {
		t.Errorf("guard: want hosts met, and port 9999 shut, got %+v", g)
	}
	for _, r := range []struct {
		port uint16
		want bool
	}{{9999, true}, {80, false}} {
		if got := e.Refuses(netip.AddrPortFrom(netip.MustParseAddr("192.0.2.1"), r.port), 6, true); got != r.want {
			t.Errorf("port %d: want refused %v, got %v", r.port, r.want, got)
		}
	}
	w.networks = append(w.networks, network("own", record.DataNetwork, record.VXLAN, "192.0.2.0/24"))
	if err := e.Sync(t.Context()); err == nil || !strings.Contains(err.Error(), "host h1 has its own address in 192.0.2.0/24") {
		t.Errorf("a subnet of hosts: want it reported, got %v", err)
	}
	if got := fmt.Sprint(w.links[PortName].Gateways); got != want {
		t.Errorf("and left out: want %s, got %s", want, got)
	}
	w.global.HostAccess = record.HostPrivate
	if err := e.Sync(t.Context()); err != nil || len(w.links[PortName].Gateways) != 0 || w.guard.Meet {
		t.Errorf("no longer directly: want neither ways nor open ports, got %v, %v, %+v", err, w.links[PortName].Gateways, w.guard)
	}
}
