// SPDX-License-Identifier: Apache-2.0

package hostaccess

import (
	"fmt"
	"log/slog"
	"net/netip"
	"testing"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/link"
)

// BenchmarkBring is a look at a host that has everything, among 50 hosts and 1,000 services.
func BenchmarkBring(b *testing.B) {
	w := newWorld(string(record.FwdBridge), record.Network{ID: identity.Network{Tenant: "default", Name: "net"}, Encap: record.VXLAN, Subnet: netip.MustParsePrefix("10.1.0.0/16")})
	w.global.HostAccess = record.HostDirect
	for i := range 1000 {
		w.services = append(w.services, &ofnet.Service{Name: fmt.Sprintf("ns/s%d", i), Tenant: "default", Cluster: []netip.Addr{netip.AddrFrom4([4]byte{10, 96, byte(i >> 8), byte(i)})},
			Ports: []ofnet.ServicePort{{Protocol: ofnet.ProtocolTCP, Port: 80, NodePort: uint16(30000 + i)}}})
	}
	var hosts []ofnet.Host
	for i := range 50 {
		at := netip.AddrFrom4([4]byte{192, 0, 2, byte(i + 1)})
		hosts = append(hosts, ofnet.Host{Label: fmt.Sprintf("h%d", i+1), Node4: at, VTEP: at})
	}
	e := New(Options{Host: "h1", Master: w, Flows: w, Switch: w, Links: w, Room: func() link.Room { return link.Room{Tunnel: 1500, Overhead: 50} },
		Nodes: func() []ofnet.Host { return hosts }, Log: slog.New(slog.DiscardHandler)})
	b.ReportAllocs()
	for b.Loop() {
		if err := e.Sync(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	if got := len(w.links[PortName].Gateways); got != 1+len(w.services) {
		b.Fatalf("ways: want those of the network and of %d services, got %d", len(w.services), got)
	}
}
