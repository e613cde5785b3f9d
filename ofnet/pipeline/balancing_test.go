// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// TestBalancing plays real packets to services that say more than who provides them: how long a client keeps its backend, and which
// backends are for whom.
func TestBalancing(t *testing.T) {
	l := newServiceLab(t)
	for _, part := range []struct {
		name string
		play func(t *testing.T, l *serviceLab)
	}{{"remembered clients", balancingRemembers}, {"backends that go", balancingForgets}, {"timeout", balancingTimeout}, {"within the cluster", balancingWithin},
		{"from outside", balancingOutside}, {"shared address", balancingShared}, {"borrowed address", balancingBorrowed}, {"guarded address", balancingGuarded}, {"draining", balancingDraining}, {"twins", balancingTwins}, {"the host", balancingHost}} {
		t.Run(part.name, func(t *testing.T) {
			l.t = t
			part.play(t, l)
		})
	}
}

// learned counts the clients that the switch remembers.
func (l *serviceLab) learned() int {
	return strings.Count(l.lab.ovs.Ofctl("dump-flows", "br0", "table=21"), "idle_timeout=")
}

// set changes a service.
func (l *serviceLab) set(name string, do func(v *ofnet.Service)) {
	l.change(func(s *ofnet.State) {
		v := *s.Services.Get(name)
		do(&v)
		s.SetService(&v)
	})
}

// places are where connections of a client to a service arrive, and how many at each.
func (l *serviceLab) places(client, address string, first uint16, n int) map[string]int {
	out := map[string]int{}
	for i := range n {
		where := l.asks(client, "tcp", address, first+uint16(i), 80, syn).where
		where, _, _ = strings.Cut(where, " vni")
		out[where]++
	}
	return out
}

func balancingRemembers(t *testing.T, l *serviceLab) {
	for _, family := range []struct {
		address string
		places  int
	}{{"10.96.0.11", 2}, {"fd96::b", 1}} {
		before, all := l.learned(), map[string]int{}
		for n := range 12 {
			got := l.places(fmt.Sprintf("c%d", 10+n), family.address, 51000, 8)
			if len(got) != 1 || got[""] != 0 {
				t.Errorf("client %d of %s: want one backend for eight connections, got %v", n, family.address, got)
			}
			for where := range got {
				all[where]++
			}
		}
		if len(all) != family.places {
			t.Errorf("12 clients of %s: want %d backends chosen, got %v", family.address, family.places, all)
		}
		if n := l.learned() - before; n != 12 {
			t.Errorf("12 clients of %s: want as many remembered, got %d", family.address, n)
		}
	}
}

// balancingForgets: the clients of a backend that goes are led to another; those of the others keep theirs, and so does everyone when one
// comes.
func balancingForgets(t *testing.T, l *serviceLab) {
	where := func(first uint16) (out [12]string) {
		for n := range out {
			for place := range l.places(fmt.Sprintf("c%d", 10+n), "10.96.0.11", first, 1) {
				out[n] = place
			}
		}
		return out
	}
	s1, s2 := l.Endpoints.Get("s1").IP4, l.Endpoints.Get("s2").IP4
	first := where(51100)
	l.set("red:sticky", func(v *ofnet.Service) { ofnettest.SetBackends(v, s1, s2, l.Endpoints.Get("t1").IP4) })
	if got := where(51200); got != first {
		t.Errorf("a backend more: want every client at its own, %v, got %v", first, got)
	}
	l.set("red:sticky", func(v *ofnet.Service) { ofnettest.SetBackends(v, s2) })
	for n, place := range where(51300) {
		if !strings.HasPrefix(place, "tunnel ") {
			t.Errorf("client %d: want it at the one that is left, got %q", n, place)
		}
	}
	l.change(func(s *ofnet.State) { s.Services.Delete("red:sticky") })
	if n := l.learned(); n != 0 {
		t.Errorf("the service is gone: want no one remembered, got %d", n)
	}
}

func balancingTimeout(t *testing.T, l *serviceLab) {
	l.change(func(s *ofnet.State) {
		v := ofnettest.Parse(t, redState(t)).Services.Get("red:sticky")
		brief := *v
		brief.Affinity.Timeout = time.Second
		s.SetService(&brief)
	})
	if got := l.places("c10", "10.96.0.11", 52000, 4); len(got) != 1 {
		t.Fatalf("want one backend, got %v", got)
	}
	seen := map[string]int{}
	for round := uint16(0); len(seen) < 2 && round < 12; round++ {
		eventually(t, "the client is forgotten", func() bool { return l.learned() == 0 })
		for place := range l.places("c10", "10.96.0.11", 52100+round, 1) {
			seen[place]++
		}
	}
	if len(seen) != 2 {
		t.Errorf("after the timeout: want both backends chosen in time, got %v", seen)
	}
}

// balancingWithin: clients here, by the cluster's address and by that for outside.
func balancingWithin(t *testing.T, l *serviceLab) {
	// Near backends here: s1 and the host; t1 is draining, s2 far, and the others elsewhere.
	got := l.places("c10", "10.96.0.10", 53000, 32)
	if got["p51"] < 4 || got["contivh0"] < 4 || len(got) != 2 {
		t.Errorf("to stay on the host: want s1 and the host itself, got %v", got)
	}
	got = l.places("c10", "50.1.1.77", 53100, 48)
	if got["p51"] == 0 || got["contivh0"] == 0 || got["p53"] != 0 || got[""] != 0 || len(got) < 3 {
		t.Errorf("by the address for outside: want all near ones that are ready, got %v", got)
	}
	if got := l.places("c10", "10.96.0.13", 53200, 4); got[""] != 4 {
		t.Errorf("to stay on the host, and all are elsewhere: want nothing, got %v", got)
	}
	if got := l.places("c10", "50.1.1.79", 53300, 4); len(got) != 1 || got[""] != 0 {
		t.Errorf("the same by the address for outside: want the backend, got %v", got)
	}
}

// balancingOutside: with a router, connections from outside stay on the host that they reach, or go to any.
func balancingOutside(t *testing.T, l *serviceLab) {
	own := ofnet.MAC{2, 0xaa, 0, 0, 1, 1}
	l.change(func(s *ofnet.State) {
		s.Router = &ofnet.Router{Tenant: "red", Port: 1100, MAC: own, Addr: netip.MustParseAddr("50.1.1.2")}
	})
	defer l.change(func(s *ofnet.State) { s.Router = nil })
	places := func(to string) map[string]int {
		out := map[string]int{}
		for n := range uint16(24) {
			f := frame{kind: "tcp", flags: syn, src: stranger, dst: own, ports: [2]uint16{54000 + n, 80}, from: netip.MustParseAddr("8.8.4.4"), to: netip.MustParseAddr(to), ttl: 64}
			where, _, _ := strings.Cut(l.sends(way{}, f).where, " vni")
			out[where]++
		}
		return out
	}
	if got := places("50.1.1.78"); got["p51"] != 24 {
		t.Errorf("what stays on the host: want only s1, got %v", got)
	}
	if got := places("50.1.1.79"); got[""] != 24 {
		t.Errorf("what stays on the host, without a backend there: want nothing, got %v", got)
	}
	if got := places("50.1.1.77"); got["p51"] == 0 || got["uplink"] == 0 || got["tunnel 192.168.251.2"] == 0 || got["p53"] != 0 {
		t.Errorf("what goes to any: want all that are not draining, near or far, got %v", got)
	}
	if got := places("10.96.0.12"); got[""] != 24 {
		t.Errorf("to the cluster's address: want nothing, got %v", got)
	}
}

// balancingDraining: backends that end get new connections when no one else can.
func balancingDraining(t *testing.T, l *serviceLab) {
	l.set("red:kept", func(v *ofnet.Service) {
		ofnettest.SetBackends(v, l.Endpoints.Get("s1").IP4, l.Endpoints.Get("t1").IP4)
		v.Ports[0].Backends[0].Draining = true
	})
	if got := l.places("c10", "10.96.0.12", 55000, 8); got["p53"] != 8 {
		t.Errorf("one is draining: want the other, got %v", got)
	}
	l.set("red:kept", func(v *ofnet.Service) {
		ofnettest.SetBackends(v, l.Endpoints.Get("s1").IP4)
		v.Ports[0].Backends[0].Draining = true
	})
	if got := l.places("c10", "10.96.0.12", 55100, 8); got["p51"] != 8 {
		t.Errorf("all are draining: want them, got %v", got)
	}
}

// balancingHost: processes of hosts are clients and backends.
func balancingHost(t *testing.T, l *serviceLab) {
	l.change(func(s *ofnet.State) { s.Direct = true })
	own, other := l.Hosts.Get("h1").VTEP, l.Hosts.Get("h2").VTEP
	s1 := l.Endpoints.Get("s1")
	from := func(host netip.Addr, to string, port uint16) frame {
		return frame{kind: "tcp", flags: syn, ports: [2]uint16{port, 80}, ttl: 64, src: pipeline.HostMAC, dst: routerMAC, from: host, to: netip.MustParseAddr(to)}
	}
	answer := func(to netip.Addr, port uint16) arrival {
		return l.sends(way{endpoint: s1}, frame{kind: "tcp", flags: syn | ack, ports: [2]uint16{8080, port}, ttl: 64, src: s1.MAC, dst: routerMAC, from: s1.IP4, to: to})
	}
	got := l.sends(way{host: true}, from(own, "10.40.0.102", 56000))
	if got.where != "p51" || !strings.Contains(got.frame, "192.168.251.1:56000>10.40.0.1:8080 ") {
		t.Errorf("to a backend here: want it at s1 with the host's address, got %v", got)
	}
	if got := answer(own, 56000); got.where != "contivh0" || !strings.Contains(got.frame, "10.40.0.102:80>192.168.251.1:56000 ") {
		t.Errorf("its answer: want it from the service, got %v", got)
	}
	handed := fmt.Sprintf("tunnel %s vni %d", other, ofnet.LastVNI+1+4)
	got = l.sends(way{host: true}, from(own, "50.1.1.79", 56001))
	if got.where != handed || !strings.Contains(got.frame, "192.168.251.1:56001>50.1.1.79:80 ") {
		t.Errorf("to a backend elsewhere: want it handed on as it is, by %s, got %v", handed, got)
	}
	got = l.sends(way{peer: other, vni: ofnet.LastVNI + 1 + 4}, from(other, "10.96.0.12", 56002))
	if got.where != "p51" || !strings.Contains(got.frame, "192.168.251.2:56002>10.40.0.1:8080 ") {
		t.Errorf("handed on by another host, by the cluster's address: want it at s1, got %v", got)
	}
	if got := answer(other, 56002); got.where != fmt.Sprintf("tunnel %s vni %d", other, ofnet.LastVNI+1) || !strings.Contains(got.frame, "10.96.0.12:80>192.168.251.2:56002 ") {
		t.Errorf("its answer: want it from the service, to the other host, got %v", got)
	}
	self := uint16(0) // a connection that is led to the host itself
	for n := range uint16(16) {
		if got := l.sends(way{host: true}, from(own, "10.96.0.10", 56100+n)); got.where == "contivh0" {
			if self = 56100 + n; !strings.Contains(got.frame, fmt.Sprintf("10.96.0.10:%d>192.168.251.1:8080 ", self)) {
				t.Errorf("to the host itself: want it from the service's address, got %v", got)
			}
		}
	}
	back := frame{kind: "tcp", flags: syn | ack, ports: [2]uint16{8080, self}, ttl: 64, src: pipeline.HostMAC, dst: routerMAC, from: own, to: netip.MustParseAddr("10.96.0.10")}
	if got := l.sends(way{host: true}, back); got.where != "contivh0" || !strings.Contains(got.frame, fmt.Sprintf("10.96.0.10:80>192.168.251.1:%d ", self)) {
		t.Errorf("its answer: want it from the service, got %v", got)
	}
	// A port of the host, which its kernel leads to the switch: a backend here, whose answer the kernel is to get as it asked.
	balancingNodePort(t, l)
}

func balancingNodePort(t *testing.T, l *serviceLab) {
	own, other, s1 := l.Hosts.Get("h1").VTEP, l.Hosts.Get("h2").VTEP, l.Endpoints.Get("s1")
	outside, np := netip.MustParseAddr("8.8.4.4"), func(local bool) netip.Addr { return pipeline.NodePortAddr(l.lab.state.Private, local) }
	send := func(in way, from netip.Addr, local bool, port uint16) arrival {
		return l.sends(in, frame{kind: "tcp", flags: syn, ports: [2]uint16{port, 30081}, ttl: 64, src: pipeline.HostMAC, dst: routerMAC, from: from, to: np(local)})
	}
	l.set("red:kept", func(v *ofnet.Service) {
		v.Ports[0].NodePort = 30081
		ofnettest.SetBackends(v, s1.IP4, l.Endpoints.Get("s2").IP4)
	})
	if got := send(way{host: true}, outside, true, 57000); got.where != "p51" || !strings.Contains(got.frame, "8.8.4.4:57000>10.40.0.1:8080 ") {
		t.Errorf("what stays on the host: want s1, and the client's address, got %v", got)
	}
	answer := frame{kind: "tcp", flags: syn | ack, ports: [2]uint16{8080, 57000}, ttl: 64, src: s1.MAC, dst: routerMAC, from: s1.IP4, to: outside}
	if got := l.sends(way{endpoint: s1}, answer); got.where != "contivh0" || !strings.Contains(got.frame, fmt.Sprintf("%s:30081>8.8.4.4:57000 ", np(true))) {
		t.Errorf("its answer: want it as the kernel asked, got %v", got)
	}
	// Another host as the client is answered by this host's kernel too, not by its own switch.
	if got := send(way{host: true}, other, true, 57001); got.where != "p51" || !strings.Contains(got.frame, fmt.Sprintf("%s:57001>10.40.0.1:8080 ", other)) {
		t.Errorf("another host, to what stays: want s1, and its own address, got %v", got)
	}
	answer.ports, answer.to = [2]uint16{8080, 57001}, other
	if got := l.sends(way{endpoint: s1}, answer); got.where != "contivh0" || !strings.Contains(got.frame, fmt.Sprintf("%s:30081>%s:57001 ", np(true), other)) {
		t.Errorf("its answer: want it as the kernel asked, got %v", got)
	}
	if got := send(way{host: true}, outside, true, 57002); got.where != "p51" {
		t.Errorf("again, with a backend elsewhere too: want s1, got %v", got)
	}
	balancingNodePortWithin(t, l, 0, func(port uint16) arrival { return send(way{host: true}, own, false, port) })
	l.set("red:kept", func(v *ofnet.Service) { v.ExternalLocal = false })
	balancingNodePortWithin(t, l, 1000, func(port uint16) arrival { return send(way{host: true}, own, false, port) })
	if got := send(way{peer: other, vni: ofnet.LastVNI + 1 + 4}, other, false, 57200); got.where != "p51" {
		t.Errorf("handed on by another host: want it at s1, got %v", got)
	}
}

// balancingNodePortWithin: processes of the host and endpoints are led to all backends, whatever is to become of clients outside. The
// ports that they send from begin further by the offset.
func balancingNodePortWithin(t *testing.T, l *serviceLab, offset uint16, process func(port uint16) arrival) {
	other := l.Hosts.Get("h2").VTEP
	places := map[string]int{}
	for n := range uint16(24) {
		places[process(57100+offset+n).where]++
	}
	// Endpoints ask any node, and are led from here; to the node itself by other ports.
	c10 := l.Endpoints.Get("c10")
	asks := func(port, number uint16) arrival {
		return l.sends(way{endpoint: c10}, frame{kind: "tcp", flags: syn, ports: [2]uint16{port, number}, ttl: 64, src: c10.MAC, dst: routerMAC, from: c10.IP4, to: other})
	}
	direct := map[string]int{}
	for n := range uint16(24) {
		got := asks(60000+offset+n, 30081)
		if direct[got.where]++; !strings.Contains(got.frame, fmt.Sprintf("%s:%d>10.40.0.", c10.IP4, 60000+offset+n)) {
			t.Errorf("an endpoint, by another node's port: want a backend that sees its address, got %v", got)
		}
	}
	if direct["p51"] == 0 || len(direct) != 2 {
		t.Errorf("endpoints, by another node's port: want both backends, got %v", direct)
	}
	if got := asks(60100+offset, 30082); !strings.Contains(got.frame, fmt.Sprintf("%s:%d>%s:30082 ", c10.IP4, 60100+offset, other)) {
		t.Errorf("an endpoint, by a port that no service has: want it at the node, got %v", got)
	}
	handed := fmt.Sprintf("tunnel %s vni %d", other, ofnet.LastVNI+1+4)
	if places["p51"] == 0 || places[handed] == 0 || len(places) != 2 {
		t.Errorf("processes of the host: want s1 and, by %s, s2, got %v", handed, places)
	}
}

// balancingTwins: an address that provides a port at two ports of its own gets connections at both, which it answers.
func balancingTwins(t *testing.T, l *serviceLab) {
	s1, c10 := l.Endpoints.Get("s1"), l.Endpoints.Get("c10")
	l.set("red:kept", func(v *ofnet.Service) {
		ofnettest.SetBackends(v, s1.IP4, s1.IP4)
		v.Ports[0].Backends[1].Target = 9090
	})
	at := map[string]int{}
	for n := range uint16(24) {
		port := 62000 + n
		got := l.sends(way{endpoint: c10}, frame{kind: "tcp", flags: syn, ports: [2]uint16{port, 80}, ttl: 64, src: c10.MAC, dst: routerMAC, from: c10.IP4, to: netip.MustParseAddr("10.96.0.12")})
		target := uint16(8080)
		if strings.Contains(got.frame, "10.40.0.1:9090 ") {
			target = 9090
		}
		at[fmt.Sprint(got.where, " ", target)]++
		back := frame{kind: "tcp", flags: syn | ack, ports: [2]uint16{target, port}, ttl: 64, src: s1.MAC, dst: routerMAC, from: s1.IP4, to: c10.IP4}
		if got := l.sends(way{endpoint: s1}, back); !strings.Contains(got.frame, fmt.Sprintf("10.96.0.12:80>%s:%d ", c10.IP4, port)) {
			t.Errorf("its answer from %d: want it from the service, got %v", target, got)
		}
	}
	if at["p51 8080"] == 0 || at["p51 9090"] == 0 || len(at) != 2 {
		t.Errorf("want both ports of s1, got %v", at)
	}
}
