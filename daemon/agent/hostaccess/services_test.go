// SPDX-License-Identifier: Apache-2.0

package hostaccess

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/link"
)

// TestServicesOfHosts: the host's kernel has routes to the services of Kubernetes, and directs their ports to the switch, in the families in
// which both have an address. Contiv's own services have neither.
func TestServicesOfHosts(t *testing.T) {
	addr := netip.MustParseAddr
	w := newWorld("bridge")
	w.services = []*ofnet.Service{
		{Name: "ns/web", Tenant: "default", Cluster: []netip.Addr{addr("10.96.0.9"), addr("fd96::9")}, External: []netip.Addr{addr("192.0.2.9")},
			Ports: []ofnet.ServicePort{{Protocol: 6, Port: 80, NodePort: 30080}, {Protocol: 17, Port: 53}}},
		{Name: "ns/kept", Tenant: "default", Cluster: []netip.Addr{addr("10.96.0.8"), addr("10.1.0.8")}, ExternalLocal: true,
			Ports: []ofnet.ServicePort{{Protocol: 6, Port: 80, NodePort: 30081}}},
		{Name: "default:own", Tenant: "default", External: []netip.Addr{addr("10.9.9.9")}, Ports: []ofnet.ServicePort{{Protocol: 6, Port: 80}}},
	}
	e := New(Options{Host: "h1", Flows: w, Nodes: func() []ofnet.Host { return []ofnet.Host{{Label: "h1", Node4: addr("192.0.2.1")}} }})
	var ways []string
	for _, x := range e.serviceRoutes([]link.GatewayRoute{{To: netip.MustParsePrefix("10.1.0.0/16")}}, e.machines()) {
		ways = append(ways, fmt.Sprintf("%s from %s", x.To, x.From))
	}
	want := []string{"10.1.0.0/16 from invalid IP", "10.96.0.8/32 from 192.0.2.1", "10.96.0.9/32 from 192.0.2.1", "192.0.2.9/32 from 192.0.2.1"}
	if !slices.Equal(ways, want) {
		t.Errorf("routes: want\n%s\ngot\n%s", strings.Join(want, "\n"), strings.Join(ways, "\n"))
	}
	var is link.Translation
	e.nodePorts(&is, e.machines())
	var ports []string
	for _, p := range is.Ports {
		line := fmt.Sprintf("%d %s to %s", p.Protocol, p.From, p.To)
		if p.Own {
			line += ", of processes"
		}
		ports = append(ports, line)
	}
	want = []string{"6 0.0.0.0:30080 to 172.19.255.252:30080", "6 0.0.0.0:30081 to 172.19.255.251:30081", "6 0.0.0.0:30081 to 172.19.255.252:30081, of processes"}
	if !slices.Equal(ports, want) {
		t.Errorf("ports: want\n%s\ngot\n%s", strings.Join(want, "\n"), strings.Join(ports, "\n"))
	}
	if !slices.Contains(is.Kept, addr("172.19.255.251")) || slices.Contains(is.Kept, addr("172.19.255.252")) {
		t.Errorf("in the client's name: want only what stays on the host, got %v", is.Kept)
	}
	if len(is.Hidden) != 1 || is.Hidden[0].By != addr("192.0.2.1") || !is.Hidden[0].Prefix.Contains(addr("172.19.255.252")) {
		t.Errorf("in the host's name: want only what another host may answer, got %v", is.Hidden)
	}
}

// The ports of services at the host's own addresses lead to the services, only at these addresses: by the node port, or by the cluster
// address with the host as the source. Ports of programs, and those for only some clients, are left out.
func TestBorrowedPorts(t *testing.T) {
	addr := netip.MustParseAddr
	w := newWorld("bridge")
	w.own, w.bound = []netip.Addr{addr("192.0.2.1"), addr("198.51.100.1")}, "192.0.2.1:443"
	own := []netip.Addr{addr("192.0.2.1")}
	cluster := func(last byte) []netip.Addr { return []netip.Addr{netip.AddrFrom4([4]byte{10, 96, 0, last})} }
	port := func(n, node uint16) []ofnet.ServicePort {
		return []ofnet.ServicePort{{Protocol: 6, Port: n, NodePort: node}}
	}
	w.services = []*ofnet.Service{
		{Name: "ns/a", Cluster: cluster(1), External: own, Borrowed: own, Ports: port(81, 0)},
		{Name: "ns/a2", Cluster: cluster(9), External: own, Borrowed: own, Ports: port(81, 0)}, // the first has it
		{Name: "ns/b", Cluster: cluster(2), External: own, Borrowed: own, Ports: port(82, 30082)},
		{Name: "ns/c", Cluster: cluster(3), External: own, Borrowed: own, Ports: port(83, 30083), ExternalLocal: true},
		{Name: "ns/d", Cluster: cluster(4), External: own, Borrowed: own, Ports: port(84, 0), ExternalLocal: true},
		{Name: "ns/e", Cluster: cluster(5), External: own, Borrowed: own, Ports: port(443, 0)},
		{Name: "ns/f", Cluster: cluster(6), External: own, Borrowed: own, Ports: port(86, 0), Guarded: own},
		{Name: "ns/g", Cluster: cluster(7), External: []netip.Addr{addr("192.0.2.2")}, Borrowed: []netip.Addr{addr("192.0.2.2")}, Ports: port(87, 0)},
		{Name: "ns/h", Cluster: cluster(8), External: []netip.Addr{addr("198.51.100.1")}, Ports: port(88, 0)},
	}
	e := w.engine(t)
	e.Nodes = func() []ofnet.Host { return []ofnet.Host{{Label: "h1", Node4: addr("192.0.2.1")}} }
	w.global.HostAccess = record.HostDirect
	bring := func() {
		t.Helper()
		if err := e.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	bring()
	var ports []string
	for _, p := range w.published.Ports {
		if !p.From.Addr().IsUnspecified() {
			ports = append(ports, fmt.Sprintf("%s to %s, own %t", p.From, p.To, p.Own))
		}
	}
	want := []string{"192.0.2.1:81 to 10.96.0.1:81, own false", "192.0.2.1:81 to 10.96.0.9:81, own false", "192.0.2.1:82 to 172.19.255.252:30082, own false",
		"192.0.2.1:83 to 172.19.255.251:30083, own false", "192.0.2.1:83 to 172.19.255.252:30083, own true"}
	if !slices.Equal(ports, want) {
		t.Errorf("want\n%s\ngot\n%s", strings.Join(want, "\n"), strings.Join(ports, "\n"))
	}
	if !slices.Contains(w.published.Hidden, link.Hidden{Prefix: netip.MustParsePrefix("10.96.0.1/32"), By: addr("192.0.2.1")}) {
		t.Errorf("in the host's name: got %v", w.published.Hidden)
	}
	if kept := e.Kept(); len(kept) != 1 || kept["ns/e: tcp/443 at 192.0.2.1"] != "address already in use" {
		t.Errorf("what a program keeps: got %v", kept)
	}
	w.bound = "192.0.2.1:81" // a program comes to what leads to a service
	w.own = w.own[1:]
	if bring(); len(w.published.Ports) != 3 || len(e.Kept()) != 0 {
		t.Errorf("without the address: want only the ports of nodes, got %v, %v", w.published.Ports, e.Kept())
	}
	w.services = w.services[:1]
	w.own = own
	if bring(); len(w.published.Ports) != 0 || len(e.Kept()) != 1 {
		t.Errorf("with the address again, where a program has the port: got %v, %v", w.published.Ports, e.Kept())
	}
}
