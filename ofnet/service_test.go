// SPDX-License-Identifier: Apache-2.0

package ofnet

import (
	"net/netip"
	"slices"
	"testing"
)

// TestServiceIndex: what depends on a service, and what it depends on, is found through every change; and a tenant is
// tracked while it has a service, without being judged again for it.
func TestServiceIndex(t *testing.T) {
	a1, a2 := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2")
	tcp := func(ports ...uint16) (out []ServicePort) {
		for _, p := range ports {
			out = append(out, ServicePort{Protocol: ProtocolTCP, Port: p})
		}
		return out
	}
	s := NewState("h1")
	s.Segments.Set("t:n", &Segment{Name: "t:n", Tenant: "t"})
	s.Segments.Set("u:n", &Segment{Name: "u:n", Tenant: "u"})
	endpoint := func(id, segment string, ip netip.Addr) {
		if s.Endpoints.Set(id, &Endpoint{ID: id, Segment: segment, IP4: ip}); segment == "" {
			s.Endpoints.Delete(id)
		}
	}
	service := func(tenant string, backends []netip.Addr, ports ...ServicePort) {
		for i := range ports {
			for _, a := range backends {
				ports[i].Backends = append(ports[i].Backends, Backend{Addr: a, Target: ports[i].Port})
			}
		}
		if s.SetService(&Service{Name: "t:v", Tenant: tenant, Ports: ports}); tenant == "" {
			s.Services.Delete("t:v")
		}
	}
	for _, row := range []struct {
		name            string
		change          func()
		over1           bool   // the service has e1 as a backend
		at              string // who of t has a1
		tracksT, trackU bool
		numbers         int
	}{
		{"nothing", func() {}, false, "", false, false, 0},
		{"an endpoint", func() { endpoint("e1", "t:n", a1) }, false, "e1", false, false, 0},
		{"its service", func() { service("t", []netip.Addr{a1}, tcp(80, 81)...) }, true, "e1", true, false, 2},
		{"another tenant's endpoint with its address", func() { endpoint("e0", "u:n", a1) }, true, "e1", true, false, 2},
		{"another backend", func() { service("t", []netip.Addr{a2}, tcp(80)...) }, false, "e1", true, false, 1},
		{"the endpoint takes its address", func() { endpoint("e1", "t:n", a2) }, true, "", true, false, 1},
		{"the service changes tenants", func() { service("u", []netip.Addr{a2}, tcp(80)...) }, true, "", false, true, 1},
		{"the endpoint goes", func() { endpoint("e1", "", a1) }, false, "", false, true, 1},
		{"the service goes", func() { service("", nil) }, false, "", false, false, 0},
	} {
		row.change()
		over := false
		if e := s.Endpoints.Get("e1"); e != nil {
			for v := range s.ServicesOver(e) {
				over = over || v.Name == "t:v"
			}
		}
		if over != row.over1 {
			t.Errorf("%s: service over e1: want %v, got %v", row.name, row.over1, over)
		}
		at := ""
		if e := s.At("t", a1); e != nil {
			at = e.ID
		}
		if at != row.at {
			t.Errorf("%s: at %v: want %q, got %q", row.name, a1, row.at, at)
		}
		for tenant, want := range map[string]bool{"t": row.tracksT, "u": row.trackU} {
			if got := s.Tracking(tenant); got.On != want || got.On != (got.Generation == 1) {
				t.Errorf("%s: tenant %s: want tracked %v, got %+v", row.name, tenant, want, got)
			}
		}
		var numbers []uint32
		if v := s.Services.Get("t:v"); v != nil {
			numbers = v.numbers
		}
		if len(numbers) != 2*row.numbers || slices.Contains(numbers, 0) {
			t.Errorf("%s: want %d numbers, got %v", row.name, 2*row.numbers, numbers)
		}
	}
}

// TestServiceNumbers: ports whose names clash get numbers of their own, and keep them.
func TestServiceNumbers(t *testing.T) {
	s, p := NewState("h1"), ServicePort{Protocol: ProtocolUDP, Port: 53}
	want, six := preferredNumber("t:v", &p, false), preferredNumber("t:v", &p, true)
	numbers := func() []uint32 { return s.Services.Get("t:v").numbers }
	s.SetService(&Service{Name: "t:v", Ports: []ServicePort{p, p}})
	if got := numbers(); !slices.Equal(got, []uint32{want, six, want + 1, six + 1}) {
		t.Errorf("two ports of one name: want %d, %d and the next ones, got %d", want, six, got)
	}
	s.Services.Set("t:w", &Service{Name: "t:w", numbers: []uint32{want}})
	s.SetService(&Service{Name: "t:v", Ports: []ServicePort{p}})
	if got := numbers(); !slices.Equal(got, []uint32{want + 1, six}) {
		t.Errorf("a port whose number another has: want %d, got %d", want+1, got)
	}
	s.Services.Delete("t:w")
	s.SetService(&Service{Name: "t:v", Ports: []ServicePort{p}})
	v := s.Services.Get("t:v")
	if v.Number(0, false) != want || v.Number(0, true) != six || v.Number(1, false) != 0 {
		t.Errorf("a port whose number is free again: want %d and %d, got %d", want, six, v.numbers)
	}
}
