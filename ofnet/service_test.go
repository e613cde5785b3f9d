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
			out = append(out, ServicePort{ProtocolTCP, p, p})
		}
		return out
	}
	s := NewState("h1")
	s.Segments["n.t"], s.Segments["n.u"] = &Segment{Name: "n.t", Tenant: "t"}, &Segment{Name: "n.u", Tenant: "u"}
	s.Reindex()
	endpoint := func(id, segment string, ip netip.Addr) {
		if s.Endpoints[id] = (&Endpoint{ID: id, Segment: segment, IP4: ip}); segment == "" {
			delete(s.Endpoints, id)
		}
		s.Touch(Key{KindEndpoint, id})
	}
	service := func(tenant string, backends []netip.Addr, ports ...ServicePort) {
		if s.Services["v:t"] = (&Service{Name: "v:t", Tenant: tenant, Ports: ports, Backends: backends}); tenant == "" {
			delete(s.Services, "v:t")
		}
		s.Touch(Key{KindService, "v:t"})
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
		{"an endpoint", func() { endpoint("e1", "n.t", a1) }, false, "e1", false, false, 0},
		{"its service", func() { service("t", []netip.Addr{a1}, tcp(80, 81)...) }, true, "e1", true, false, 2},
		{"another tenant's endpoint with its address", func() { endpoint("e0", "n.u", a1) }, true, "e1", true, false, 2},
		{"another backend", func() { service("t", []netip.Addr{a2}, tcp(80)...) }, false, "e1", true, false, 1},
		{"the endpoint takes its address", func() { endpoint("e1", "n.t", a2) }, true, "", true, false, 1},
		{"the service changes tenants", func() { service("u", []netip.Addr{a2}, tcp(80)...) }, true, "", false, true, 1},
		{"the endpoint goes", func() { endpoint("e1", "", a1) }, false, "", false, true, 1},
		{"the service goes", func() { service("", nil) }, false, "", false, false, 0},
	} {
		row.change()
		if got := slices.Contains(s.ServicesOver("e1"), "v:t"); got != row.over1 {
			t.Errorf("%s: service over e1: want %v, got %v", row.name, row.over1, got)
		}
		at := ""
		if e := s.At("t", a1); e != nil {
			at = e.ID
		}
		if at != row.at {
			t.Errorf("%s: at %v: want %q, got %q", row.name, a1, row.at, at)
		}
		for tenant, want := range map[string]bool{"t": row.tracksT, "u": row.trackU} {
			if tracked, generation := s.Tracking(tenant); tracked != want || tracked != (generation == 1) {
				t.Errorf("%s: tenant %s: want tracked %v, got %v, generation %d", row.name, tenant, want, tracked, generation)
			}
		}
		numbers := s.ServiceNumbers("v:t")
		if len(numbers) != row.numbers || slices.Contains(numbers, 0) {
			t.Errorf("%s: want %d numbers, got %v", row.name, row.numbers, numbers)
		}
	}
	if n := len(s.index.services.numbers) + len(s.index.services.behind) + len(s.index.services.ofTenant); n != 0 {
		t.Errorf("after the last service: want nothing listed, got %d entries", n)
	}
}

// TestServiceNumbers: ports whose names clash get numbers of their own.
func TestServiceNumbers(t *testing.T) {
	x := newServiceIndex()
	v, p := &Service{Name: "v:t"}, ServicePort{ProtocolUDP, 53, 53}
	first, second := x.number(v, p), x.number(v, p)
	if second != first+1 {
		t.Errorf("numbers of one name: want %d and the next, got %d", first, second)
	}
	delete(x.numbers, first)
	if again := x.number(v, p); again != first {
		t.Errorf("number of a name whose number is free: want %d, got %d", first, again)
	}
}
