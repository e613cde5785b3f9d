// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"net/netip"
	"testing"

	"github.com/contiv/contiv/ofnet"
)

// The tracker and the counters distinguish backends that have one address; the first has the label and the name that it has by itself.
func TestTwinsAreTold(t *testing.T) {
	a := netip.MustParseAddr("10.40.0.1")
	p := ofnet.ServicePort{Protocol: ofnet.ProtocolTCP, Port: 80, Backends: []ofnet.Backend{{Addr: a, Target: 8080}, {Addr: a, Target: 9090}}}
	s := ofnet.NewState("h1")
	s.Tenants.Set("red", &ofnet.Tenant{Name: "red", ID: 1})
	s.SetService(&ofnet.Service{Name: "ns/web", Tenant: "red", Cluster: []netip.Addr{netip.MustParseAddr("10.96.0.9")}, Ports: []ofnet.ServicePort{p}})
	b, ok := balancingOf(s, "ns/web", false)
	if !ok || len(b.ports) != 1 || len(b.ports[0].backends) != 2 {
		t.Fatalf("want one port with two backends, got %+v", b)
	}
	q := &b.ports[0]
	first, second := q.backends[0], q.backends[1]
	if alone := (backend{Backend: first.Backend}); first.label() != alone.label() || first.label() == second.label() {
		t.Errorf("labels: want %x and another one, got %x and %x", alone.label(), first.label(), second.label())
	}
	if one, two := b.LoadKey(q.ServicePort, first.Backend, ofnet.LoadTo), b.LoadKey(q.ServicePort, second.Backend, ofnet.LoadTo); one.Name != "ns/web/tcp/80/10.40.0.1/to" || two.Name != "ns/web/tcp/80/10.40.0.1:9090/to" {
		t.Errorf("counters: got %s and %s", one.Name, two.Name)
	}
}
