// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/contiv/contiv/ofnet"
)

// balancingShared: two services share an address, and one port of it. Clients here and outside reach both, and the ports of the second stay
// when the first is removed.
func balancingShared(t *testing.T, l *serviceLab) {
	uplink := l.Hosts.Get("h1").UplinkMAC
	shared := netip.MustParseAddr("10.41.0.110")
	outside := func(to ofnet.MAC, from, port uint16) arrival {
		return l.sends(way{}, frame{kind: "tcp", vlan: 41, flags: syn, src: stranger, dst: to, ports: [2]uint16{from, port}, from: netip.MustParseAddr("10.41.0.9"), to: shared, ttl: 64})
	}
	for _, row := range []struct {
		name     string
		from     uint16
		port     uint16
		here     string // where it arrives from a client here
		fromFar  string // and from a client outside that sends to this host, which does not answer for the first
		remained string // from a client here, when the first is gone
	}{
		{"of the first", 58000, 25, "uplink", "", ""},
		{"of the second", 58001, 110, "p53", "p53", "p53"},
		{"of both", 58002, 80, "uplink", "", "p53"},
	} {
		if got := l.asks("t3", "tcp", shared.String(), row.from, row.port, syn); got.where != row.here {
			t.Errorf("port %d, %s: want it at %q, got %v", row.port, row.name, row.here, got)
		}
		if got := outside(uplink, row.from+10, row.port); got.where != row.fromFar {
			t.Errorf("port %d, %s, from outside: want it at %q, got %v", row.port, row.name, row.fromFar, got)
		}
		first := l.lab.state.Services.Get("red:mail")
		l.change(func(s *ofnet.State) { s.Services.Delete("red:mail") })
		if got := l.asks("t3", "tcp", shared.String(), row.from+20, row.port, syn); got.where != row.remained {
			t.Errorf("port %d, %s, the first being gone: want it at %q, got %v", row.port, row.name, row.remained, got)
		}
		l.change(func(s *ofnet.State) { s.SetService(first) })
	}
	ask := func() arrival {
		return l.sends(way{}, frame{kind: "arp", op: 1, vlan: 41, src: stranger, dst: broadcast4, sha: stranger, from: netip.MustParseAddr("10.41.0.9"), to: shared})
	}
	if got := ask(); got.where != "" {
		t.Errorf("the front is the first one's, elsewhere: want no answer, got %v", got)
	}
}

// balancingGuarded: an address accepts connections only from permitted sources, on this host and outside; the service's other addresses
// accept all.
func balancingGuarded(t *testing.T, l *serviceLab) {
	for _, row := range []struct {
		client, to string
		port       uint16
		passes     bool
	}{
		{"s1", "50.1.1.80", 25, true}, {"s1", "50.1.1.80", 80, true}, {"s1", "50.1.1.80", 26, false},
		{"c10", "50.1.1.80", 25, false}, {"c10", "50.1.1.80", 80, false}, {"c10", "10.96.0.14", 25, true}, {"c10", "10.41.0.110", 25, true},
	} {
		if got := l.asks(row.client, "tcp", row.to, 59000, row.port, syn); (got.where != "") != row.passes {
			t.Errorf("%s to %s, port %d: want it to pass: %v, got %v", row.client, row.to, row.port, row.passes, got)
		}
	}
	own := ofnet.MAC{2, 0xaa, 0, 0, 1, 1}
	l.change(func(s *ofnet.State) {
		s.Router = &ofnet.Router{Tenant: "red", Port: 1100, MAC: own, Addr: netip.MustParseAddr("50.1.1.2")}
	})
	defer l.change(func(s *ofnet.State) { s.Router = nil })
	for from, passes := range map[string]bool{"8.8.4.4": true, "8.9.4.4": false} {
		f := frame{kind: "tcp", flags: syn, src: stranger, dst: own, ports: [2]uint16{59001, 25}, from: netip.MustParseAddr(from), to: netip.MustParseAddr("50.1.1.80"), ttl: 64}
		if got := l.sends(way{}, f); (got.where != "") != passes {
			t.Errorf("from %s outside: want it to pass: %v, got %v", from, passes, got)
		}
	}
}

// balancingBorrowed: a service that claims addresses of other owners gets only its ports there, and none at an address of another service,
// even if its own name sorts first.
func balancingBorrowed(t *testing.T, l *serviceLab) {
	const outside, backend = "203.0.113.5", "s1"
	mail, other := "10.96.0.14", l.Endpoints.Get("s2").IP4.String()
	from := uint16(59100)
	ask := func(to, kind string, port uint16) arrival {
		from++
		got := l.asks("c10", kind, to, from, port, syn)
		got.frame = "" // the port that it comes from is another each time
		return got
	}
	probes := []struct {
		name, to, kind string
		port           uint16
		taken          bool
	}{
		{"its port at an address outside", outside, "tcp", 8025, true}, {"another port there", outside, "tcp", 6443, false}, {"another protocol there", outside, "udp", 8025, false},
		{"its port at a container", other, "tcp", 8025, true}, {"another port of the container", other, "tcp", 7070, false},
		{"a port that another service has as its own", mail, "tcp", 25, false}, {"one that this service has not", mail, "tcp", 8025, false},
	}
	var before []arrival
	for _, p := range probes {
		before = append(before, ask(p.to, p.kind, p.port))
	}
	borrowed := []netip.Addr{netip.MustParseAddr(mail), netip.MustParseAddr(other), netip.MustParseAddr(outside)}
	slices.SortFunc(borrowed, netip.Addr.Compare)
	at := l.Endpoints.Get(backend)
	port := func(n uint16) ofnet.ServicePort {
		return ofnet.ServicePort{Protocol: ofnet.ProtocolTCP, Port: n, Backends: []ofnet.Backend{{Addr: at.IP4, Target: 8080}}}
	}
	l.change(func(s *ofnet.State) {
		s.SetService(&ofnet.Service{Name: "aaa/ext", Tenant: "red", Cluster: []netip.Addr{netip.MustParseAddr("10.96.0.199")}, External: borrowed, Borrowed: borrowed,
			Ports: []ofnet.ServicePort{port(25), port(8025)}})
	})
	defer l.change(func(s *ofnet.State) { s.Services.Delete("aaa/ext") })
	own := ask("10.96.0.199", "tcp", 8025)
	for i, p := range probes {
		want := before[i]
		if p.taken {
			want = own
		}
		if got := ask(p.to, p.kind, p.port); got != want {
			t.Errorf("%s: want %v, got %v", p.name, want, got)
		}
	}
	if own.where == "" || own == before[0] {
		t.Errorf("the service itself leads nowhere: %v", own)
	}
}
