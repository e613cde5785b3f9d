package hostaccess

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/link"
)

// TestServicesOfHosts: the host's kernel has routes to the services of Kubernetes, and leads their ports to the switch, in families in which
// both have an address; services of Contiv's own have neither.
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
	for _, x := range e.serviceWays([]link.Way{{To: netip.MustParsePrefix("10.1.0.0/16")}}, e.machines()) {
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
		ports = append(ports, fmt.Sprintf("%d %s to %s", p.Protocol, p.From, p.To))
	}
	want = []string{"6 0.0.0.0:30080 to 172.19.255.252:30080", "6 0.0.0.0:30081 to 172.19.255.251:30081"}
	if !slices.Equal(ports, want) {
		t.Errorf("ports: want\n%s\ngot\n%s", strings.Join(want, "\n"), strings.Join(ports, "\n"))
	}
	if !slices.Contains(is.Kept, addr("172.19.255.251")) || slices.Contains(is.Kept, addr("172.19.255.252")) {
		t.Errorf("in the client's name: want what stays on the host alone, got %v", is.Kept)
	}
	if len(is.Hidden) != 1 || is.Hidden[0].By != addr("192.0.2.1") || !is.Hidden[0].Prefix.Contains(addr("172.19.255.252")) {
		t.Errorf("in the host's name: want what another host may answer alone, got %v", is.Hidden)
	}
}
