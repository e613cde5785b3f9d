// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// redState is testdata/services.txt with more members: clients c..., and a client on the VLAN.
func redState(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/services.txt")
	if err != nil {
		t.Fatal(err)
	}
	var clients strings.Builder
	for n := range 12 {
		fmt.Fprintf(&clients, "endpoint c%d network=red:sx host=h1 port=%d mac=02:02:6d:01:01:%02x ip=10.40.0.%d ip6=fd40::1:%d\n", 10+n, 60+n, n, 20+n, n)
	}
	return moreState + string(text) + clients.String() + `
endpoint t3 network=red:sl host=h1 port=80 mac=02:02:6e:01:00:03 ip=10.41.0.3
service red:lone address=10.40.0.102 ports=tcp:80:8080,udp:53:53,tcp:81:8080 backends=10.40.0.1 affinity
`
}

// serviceLab is a real switch with services.
type serviceLab struct {
	*wires
	t    *testing.T
	have flow.Set
}

func newServiceLab(t *testing.T) *serviceLab {
	l := newLab(t, redState(t))
	return &serviceLab{wires: newWires(t, l), t: t, have: pipeline.Default().CompileAll(l.state)}
}

// change carries a change of the State out.
func (l *serviceLab) change(do func(s *ofnet.State)) {
	l.t.Helper()
	do(l.lab.state)
	want := pipeline.Default().CompileAll(l.lab.state)
	change(l.t, l.lab.ovs, flow.Diff(want, l.have))
	l.have = want
}

// TestServices plays real packets through one real switch. The first part finds its counters at nothing; the last ones
// change the services.
func TestServices(t *testing.T) {
	l := newServiceLab(t)
	for _, part := range []struct {
		name string
		play func(t *testing.T, l *serviceLab)
	}{{"counters", serviceCounters}, {"connection", serviceConnection}, {"spread", serviceSpread}, {"hairpin", serviceHairpin},
		{"policy", servicePolicy}, {"streams", serviceStreams}, {"SCTP", serviceSCTP}, {"resolution", serviceResolution}, {"outside", serviceOutside}, {"changes", serviceChanges},
		{"forgetting", serviceForgets}, {"forgetting IPv6", serviceForgetsSix}} {
		t.Run(part.name, func(t *testing.T) {
			l.t = t
			part.play(t, l)
		})
	}
}

// arrival is where a packet came out, and as what.
type arrival struct {
	where string
	frame string
}

// sends returns where one packet arrives; the zero arrival is nowhere.
func (l *serviceLab) sends(in way, f frame) arrival {
	l.t.Helper()
	out := l.verdict(l.t, in, f)
	if len(out) == 0 {
		return arrival{}
	}
	if len(out) > 1 {
		l.t.Errorf("%v: want one copy, got %q", f, out)
	}
	where, what, _ := strings.Cut(out[0], ": ")
	return arrival{where, what}
}

// asks sends what a client says to an address, by the router.
func (l *serviceLab) asks(client string, kind string, to string, from, port uint16, flags byte) arrival {
	l.t.Helper()
	e := l.Endpoints.Get(client)
	dst := netip.MustParseAddr(to)
	return l.sends(way{endpoint: e}, frame{kind: kind, flags: flags, ports: [2]uint16{from, port}, ttl: 64, src: e.MAC, dst: routerMAC,
		from: address(e, dst), to: dst})
}

// through is a packet as it comes to the backend, seen by its host.
func (l *serviceLab) through(client, backend, kind string, from, target uint16, flags byte, ttl uint8) string {
	c, b := l.Endpoints.Get(client), l.Endpoints.Get(backend)
	f := frame{kind: kind, flags: flags, ports: [2]uint16{from, target}, ttl: ttl, src: routerMAC, dst: b.MAC, from: c.IP4, to: b.IP4}
	return f.String()
}

// serviceConnection plays a connection through a service: the backend sees the client, the client the service, on this
// host and on another, over TCP and UDP, in bridged networks with and without the service's subnet (SVC-05).
func serviceConnection(t *testing.T, l *serviceLab) {
	s1 := l.Endpoints.Get("s1")
	for _, row := range []struct {
		client, kind string
		port, target uint16
	}{{"c10", "tcp", 80, 8080}, {"c11", "udp", 53, 53}, {"t3", "tcp", 81, 8080}} {
		c := l.Endpoints.Get(row.client)
		const from = 40007
		flags := func(f byte) byte {
			if row.kind == "tcp" {
				return f
			}
			return 0
		}
		want := arrival{"p51", l.through(row.client, "s1", row.kind, from, row.target, flags(syn), 63)}
		if got := l.asks(row.client, row.kind, "10.40.0.102", from, row.port, flags(syn)); got != want {
			t.Errorf("%s %s: want %v, got %v", row.client, row.kind, want, got)
		}
		// The answer comes from the service.
		answer := frame{kind: row.kind, flags: flags(syn | ack), ports: [2]uint16{row.target, from}, ttl: 64, src: s1.MAC, dst: routerMAC, from: s1.IP4, to: c.IP4}
		back := frame{kind: row.kind, flags: flags(syn | ack), ports: [2]uint16{row.port, from}, ttl: 63, src: routerMAC, dst: c.MAC,
			from: netip.MustParseAddr("10.40.0.102"), to: c.IP4}
		if got, want := l.sends(way{endpoint: s1}, answer), (arrival{fmt.Sprintf("p%d", c.Port), back.String()}); got != want {
			t.Errorf("%s %s: answer: want %v, got %v", row.client, row.kind, want, got)
		}
		want.frame = l.through(row.client, "s1", row.kind, from, row.target, flags(ack), 63)
		if got := l.asks(row.client, row.kind, "10.40.0.102", from, row.port, flags(ack)); got != want {
			t.Errorf("%s %s: continues: want %v, got %v", row.client, row.kind, want, got)
		}
	}
	// The router takes it, whatever gateway the client's packet is for.
	t3 := l.Endpoints.Get("t3")
	got := l.sends(way{endpoint: t3}, frame{kind: "tcp", flags: syn, ports: [2]uint16{41003, 80}, ttl: 64, src: t3.MAC, dst: stranger,
		from: t3.IP4, to: netip.MustParseAddr("10.40.0.102")})
	if want := (arrival{"p51", l.through("t3", "s1", "tcp", 41003, 8080, syn, 63)}); got != want {
		t.Errorf("by a gateway outside: want %v, got %v", want, got)
	}
	// Packets to an unused port or an unknown service arrive nowhere.
	for _, row := range [][2]string{{"10.40.0.102", "8080"}, {"10.40.0.101", "80"}, {"10.40.0.103", "80"}} {
		var port uint16
		if _, err := fmt.Sscan(row[1], &port); err != nil {
			t.Fatal(err)
		}
		if got := l.asks("c10", "tcp", row[0], 41000, port, syn); got != (arrival{}) {
			t.Errorf("%s port %s: want nothing, got %v", row[0], row[1], got)
		}
	}
	if got := l.asks("c10", "ping", "10.40.0.102", 0, 0, 0); got != (arrival{}) {
		t.Errorf("ping of a service: want nothing, got %v", got)
	}
	// Another tenant has no such address; and a connection to the backend itself is left alone.
	if got := l.asks("a1", "tcp", "10.40.0.102", 41001, 80, syn); got.where == "p51" {
		t.Errorf("from another tenant: want it to go elsewhere, got %v", got)
	}
	want := arrival{"p51", l.through("c10", "s1", "tcp", 41002, 8080, syn, 63)}
	if got := l.asks("c10", "tcp", "10.40.0.1", 41002, 8080, syn); got != want {
		t.Errorf("to the backend: want %v, got %v", want, got)
	}
	if got := l.sends(way{endpoint: s1}, frame{kind: "tcp", flags: syn | ack, ports: [2]uint16{8080, 41002}, ttl: 64, src: s1.MAC, dst: routerMAC,
		from: s1.IP4, to: l.Endpoints.Get("c10").IP4}); !strings.Contains(got.frame, "10.40.0.1:8080>") {
		t.Errorf("its answer: want it from the backend, got %v", got)
	}
}

// serviceResolution: the router answers for the address, and on the VLAN one host does.
func serviceResolution(t *testing.T, l *serviceLab) {
	c, outside := l.Endpoints.Get("c10"), netip.MustParseAddr("10.41.0.9")
	vip := netip.MustParseAddr("10.40.0.102")
	got := l.sends(way{endpoint: c}, frame{kind: "arp", op: 1, src: c.MAC, dst: broadcast4, sha: c.MAC, from: c.IP4, to: vip})
	want := arrival{"p60", frame{kind: "arp", op: 2, src: routerMAC, dst: c.MAC, sha: routerMAC, tha: c.MAC, from: vip, to: c.IP4}.String()}
	if got != want {
		t.Errorf("asked by an endpoint: want %v, got %v", want, got)
	}
	six := netip.MustParseAddr("fd40::100")
	answers := "fd40::100>" + c.IP6.String() + " target fd40::100 link " + hex(routerMAC)
	if (model{State: l.State}).asksBack() {
		answers = "fd40::100>" + c.IP6.String() + " target " + c.IP6.String() + " link " + hex(routerMAC)
	}
	if got := l.sends(way{endpoint: c}, frame{kind: "ns", src: c.MAC, dst: allNodes, sha: c.MAC, from: c.IP6, to: six, target: six, ttl: 255}); !strings.Contains(got.frame, answers) {
		t.Errorf("solicited by an endpoint: want the router, got %v", got)
	}
	near := netip.MustParseAddr("10.41.0.100")
	ask := frame{kind: "arp", op: 1, vlan: 41, src: stranger, dst: broadcast4, sha: stranger, from: outside, to: near}
	up := l.Hosts.Get("h1").UplinkMAC
	want = arrival{"uplink", frame{kind: "arp", op: 2, vlan: 41, src: up, dst: stranger, sha: up, tha: stranger, from: near, to: outside}.String()}
	if got := l.sends(way{}, ask); got != want {
		t.Errorf("asked from outside, the first backend is here: want %v, got %v", want, got)
	}
	// From outside: to the backend that is here, or by the VLAN to the host of the other one.
	t1, h2 := l.Endpoints.Get("t1"), l.Hosts.Get("h2").UplinkMAC
	open := func(port uint16) (in frame, here string) {
		in = frame{kind: "tcp", flags: syn, vlan: 41, src: stranger, dst: up, ports: [2]uint16{port, 80}, from: outside, to: near, ttl: 64}
		return in, frame{kind: "tcp", flags: syn, src: routerMAC, dst: t1.MAC, ports: [2]uint16{port, 8080}, from: outside, to: t1.IP4, ttl: 63}.String()
	}
	mine := uint16(0) // a connection that is led to t1
	count := map[string]int{}
	for n := range uint16(32) {
		f, here := open(42000 + n)
		relayed := f
		relayed.src, relayed.dst, relayed.ttl = up, h2, 63
		switch got := l.sends(way{}, f); got {
		case arrival{"p53", here}:
			count["here"]++
			mine = 42000 + n
		case arrival{"uplink", relayed.String()}:
			count["relayed"]++
			again := f
			again.flags = ack // every packet of the connection takes the same way
			relayed.flags = ack
			if got, want := l.sends(way{}, again), (arrival{"uplink", relayed.String()}); got != want {
				t.Errorf("second packet from outside: want %v, got %v", want, got)
			}
		default:
			t.Errorf("from outside: want %s, or %v at the uplink, got %v", here, relayed, got)
		}
	}
	if count["here"] < 4 || count["relayed"] < 4 {
		t.Errorf("32 connections from outside, two backends: want a share for both, got %v", count)
	}
	// A physical switch has flooded packets that are not addressed to this host.
	f, _ := open(42100)
	f.dst = h2
	if got := l.sends(way{}, f); got != (arrival{}) {
		t.Errorf("from outside to another host: want nothing, got %v", got)
	}
	f = frame{kind: "tcp", flags: syn | ack, src: t1.MAC, dst: stranger, ports: [2]uint16{8080, mine}, from: t1.IP4, to: outside, ttl: 64}
	f2 := frame{kind: "tcp", flags: syn | ack, vlan: 41, src: t1.MAC, dst: stranger, ports: [2]uint16{80, mine}, from: near, to: outside, ttl: 64}
	if got, want := l.sends(way{endpoint: t1}, f), (arrival{"uplink", f2.String()}); got != want {
		t.Errorf("answer to outside: want %v, got %v", want, got)
	}
	l.change(func(s *ofnet.State) {
		v := *s.Services.Get("red:near")
		ofnettest.SetBackends(&v, ofnettest.Backends(&v)[1:]...)
		s.SetService(&v)
	})
	if got := l.sends(way{}, ask); got != (arrival{}) {
		t.Errorf("asked from outside, the first backend is on another host: want silence, got %v", got)
	}
	// Not the front any more: what the front hands on is taken, for the backends that are here.
	l.change(func(s *ofnet.State) {
		v := *s.Services.Get("red:near")
		ofnettest.SetBackends(&v, l.Endpoints.Get("s2").IP4, t1.IP4)
		s.SetService(&v)
	})
	for n := range uint16(8) {
		f, here := open(42200 + n)
		if got, want := l.sends(way{}, f), (arrival{"p53", here}); got != want {
			t.Errorf("handed on by the front: want %v, got %v", want, got)
		}
	}
	tunnel := way{peer: l.Hosts.Get("h2").VTEP, vni: 6001}
	if got := l.sends(tunnel, frame{kind: "tcp", flags: syn, src: l.Endpoints.Get("s2").MAC, dst: routerMAC, ports: [2]uint16{1, 80},
		from: l.Endpoints.Get("s2").IP4, to: vip, ttl: 64}); got != (arrival{}) {
		t.Errorf("from another host, whose own switch should have led it on: want nothing, got %v", got)
	}
}

// serviceOutside: a router outside sends connections to any host; each leads them to a backend's host, by a tunnel, and
// that host to its own backends.
func serviceOutside(t *testing.T, l *serviceLab) {
	vip, client, own := netip.MustParseAddr("10.40.0.100"), netip.MustParseAddr("8.8.4.4"), ofnet.MAC{2, 0xaa, 0, 0, 1, 1}
	l.change(func(s *ofnet.State) {
		s.Router = &ofnet.Router{Tenant: "red", Port: 1100, MAC: own, Addr: netip.MustParseAddr("50.1.1.2")}
	})
	s1, h2 := l.Endpoints.Get("s1"), l.Hosts.Get("h2").VTEP
	places := map[string]int{}
	for n := range byte(24) {
		f := frame{kind: "tcp", flags: syn, src: stranger, dst: own, ports: [2]uint16{50000, 80}, from: netip.AddrFrom4([4]byte{8, 8, 4, n}), to: vip, ttl: 64}
		first := l.sends(way{}, f)
		f.ports[0], f.flags = 50001, ack
		if second := l.sends(way{}, f); second.where != first.where {
			t.Errorf("client %d with affinity: want one way, got %v and %v", n, first, second)
		}
		where, _, _ := strings.Cut(first.where, " vni")
		places[where]++
		if where == fmt.Sprintf("tunnel %s", h2) && !strings.Contains(first.frame, ">10.40.0.100:80 flags 0x2 ttl 63") {
			t.Errorf("handed on: want it as it came, got %v", first)
		}
	}
	if len(places) != 3 || places[""] != 0 {
		t.Errorf("24 clients, backends s1, s2 and t1: want all ways, got %v", places)
	}
	// Handed on to this host: s1 and t1 are here. The answer comes from the service, and is routed like any other.
	in := way{peer: h2, vni: ofnet.LastVNI + 1 + 4}
	f := frame{kind: "tcp", flags: syn, src: stranger, dst: own, ports: [2]uint16{50002, 80}, from: client, to: vip, ttl: 63}
	got := l.sends(in, f)
	if got.where != "p51" && got.where != "p53" || !strings.Contains(got.frame, "8.8.4.4:50002>") || !strings.Contains(got.frame, ":8080 ") {
		t.Errorf("handed on to this host: want a backend here, got %v", got)
	}
	in.vni++
	if got := l.sends(in, f); got != (arrival{}) {
		t.Errorf("handed on for a tenant that is not here: want nothing, got %v", got)
	}
	in.vni--
	// An endpoint elsewhere, for which the router sent it here: to its host, whatever the tracker would say of it.
	f = frame{kind: "tcp", flags: syn | ack, src: stranger, dst: own, ports: [2]uint16{80, 50003}, from: client, to: l.Endpoints.Get("s2").IP4, ttl: 64}
	want := f
	want.ttl = 63
	if got := l.sends(way{}, f); got != (arrival{fmt.Sprintf("tunnel %s vni %d", h2, in.vni), want.String()}) {
		t.Errorf("to an endpoint elsewhere: want %v in a tunnel, got %v", want, got)
	}
	f = frame{kind: "udp", src: stranger, dst: own, from: client, to: s1.IP4, ttl: 63}
	want = frame{kind: "udp", src: routerMAC, dst: s1.MAC, from: client, to: s1.IP4, ttl: 62}
	if got := l.sends(in, f); got != (arrival{"p51", want.String()}) {
		t.Errorf("handed on to an endpoint here: want %v, got %v", want, got)
	}
	f.to = l.Endpoints.Get("s2").IP4
	if got := l.sends(in, f); got != (arrival{}) {
		t.Errorf("handed on, and not here: want it to end, got %v", got)
	}
	// The receiver's rules judge it as what it is: from outside.
	l.change(func(s *ofnet.State) {
		ofnettest.CopyRules(s, ofnettest.Parse(t, "self h1\nrule no group=red:slow in deny priority=1 from=8.8.4.4"))
	})
	f.to, f.ports = s1.IP4, [2]uint16{50004, 50005}
	if got := l.sends(in, f); got != (arrival{}) {
		t.Errorf("handed on, and denied: want nothing, got %v", got)
	}
	l.change(func(s *ofnet.State) { s.Router = nil; ofnettest.CopyRules(s, ofnet.NewState("")) })
}

// serviceSpread: connections are spread; with affinity a client keeps its backend, also on the other ports' hosts.
func serviceSpread(t *testing.T, l *serviceLab) {
	// A hairpin among them would come back to its client.
	count := func(kind, vip string, port uint16, client string, n int) map[string]int {
		out := map[string]int{}
		for i := range n {
			flags := byte(0)
			if kind == "tcp" {
				flags = syn
			}
			out[l.asks(client, kind, vip, uint16(43000+i), port, flags).where]++
		}
		return out
	}
	chosen := map[string]int{}
	for n := range 12 {
		got := count("tcp", "10.40.0.100", 80, fmt.Sprintf("c%d", 10+n), 6)
		if len(got) != 1 || got[""] != 0 {
			t.Errorf("client %d with affinity: want one backend for six connections, got %v", n, got)
		}
		for where := range got {
			chosen[where]++
		}
	}
	if len(chosen) != 3 {
		t.Errorf("12 clients, 3 backends: want all chosen, got %v", chosen)
	}
	for kind, port := range map[string]uint16{"tcp": 80, "udp": 53} {
		if got := count(kind, "10.41.0.100", port, "c10", 60); len(got) != 2 || got[""] != 0 {
			t.Errorf("60 connections over %s without affinity: want both backends chosen, got %v", kind, got)
		}
	}
	// IPv6, on both hosts.
	six := map[string]int{}
	for i := range uint16(40) {
		got := l.asks("c10", "tcp", "fd40::100", 44000+i, 80, syn)
		six[got.where]++
		if !strings.Contains(got.frame, "fd40::1:0:") && !strings.Contains(got.frame, ">fd40::") {
			t.Errorf("IPv6: want the client's address kept, got %v", got)
		}
	}
	if len(six) != 2 || six[""] != 0 {
		t.Errorf("IPv6: want both backends chosen, got %v", six)
	}
}

// serviceHairpin: a backend that asks its own service, and is led to itself, sees the service as the client, and gets
// its own answers back.
func serviceHairpin(t *testing.T, l *serviceLab) {
	s1, vip := l.Endpoints.Get("s1"), netip.MustParseAddr("10.40.0.102")
	send := func(flags byte, from netip.Addr, sport, dport uint16, want frame) {
		t.Helper()
		want.kind, want.src, want.dst, want.ttl, want.flags = "tcp", routerMAC, s1.MAC, 63, flags
		got := l.sends(way{endpoint: s1}, frame{kind: "tcp", flags: flags, ports: [2]uint16{sport, dport}, ttl: 64, src: s1.MAC, dst: routerMAC, from: from, to: vip})
		if got != (arrival{"p51", want.String()}) {
			t.Errorf("want %v, got %v", want, got)
		}
	}
	for _, flags := range []byte{syn, ack, ack} {
		send(flags, s1.IP4, 45000, 80, frame{ports: [2]uint16{45000, 8080}, from: vip, to: s1.IP4})
		send(cmp.Or(flags&syn|ack, ack), s1.IP4, 8080, 45000, frame{ports: [2]uint16{80, 45000}, from: vip, to: s1.IP4})
	}
	// A rule change does not end it.
	l.change(func(s *ofnet.State) {
		ofnettest.CopyRules(s, ofnettest.Parse(t, "self h1\nrule no group=red:slow in deny priority=1 proto=tcp ports=22"))
	})
	send(ack, s1.IP4, 45000, 80, frame{ports: [2]uint16{45000, 8080}, from: vip, to: s1.IP4})
	send(ack, s1.IP4, 8080, 45000, frame{ports: [2]uint16{80, 45000}, from: vip, to: s1.IP4})
	l.change(func(s *ofnet.State) { ofnettest.CopyRules(s, ofnet.NewState("")) })
}

// servicePolicy: rules judge the client's connection to the backend, at the backend's port.
func servicePolicy(t *testing.T, l *serviceLab) {
	rules := func(lines string) {
		l.change(func(s *ofnet.State) { ofnettest.CopyRules(s, ofnettest.Parse(t, "self h1\n"+lines)) })
	}
	passes := func(client string, port uint16) bool {
		return l.asks(client, "tcp", "10.40.0.102", port, 80, syn) != arrival{}
	}
	if !passes("c10", 46000) {
		t.Fatal("without rules: want it to pass")
	}
	rules("rule no group=red:slow in deny priority=1 proto=tcp")
	if passes("c10", 46001) {
		t.Error("denied at the backend: want nothing")
	}
	rules("rule no group=red:slow in deny priority=1 proto=tcp\nrule yes group=red:slow in allow priority=9 from=10.40.0.21 proto=tcp ports=8080")
	if passes("c10", 46002) || !passes("c11", 46003) {
		t.Error("one client allowed, at the backend's port: want only its connections")
	}
	if !passes("c11", 46001) || passes("c10", 46001) {
		t.Error("tried again: want what the rules say now")
	}
	rules("rule out group=red:quick out deny priority=1 peer=red:slow")
	if passes("s3", 46004) || !passes("c10", 46005) {
		t.Error("rule of the client's group about the backend's: want it to hold behind the service")
	}
	rules("")
}

// serviceChanges: connections to a backend that is taken from a service continue, new ones avoid it (SVC-07).
func serviceChanges(t *testing.T, l *serviceLab) {
	set := func(backends ...string) {
		l.change(func(s *ofnet.State) {
			v := *s.Services.Get("red:lone")
			var list []netip.Addr
			for _, b := range backends {
				list = append(list, netip.MustParseAddr(b))
			}
			ofnettest.SetBackends(&v, list...)
			s.SetService(&v)
		})
	}
	ask := func(port uint16, flags byte) string {
		return l.asks("c10", "tcp", "10.40.0.102", port, 80, flags).where
	}
	answered := func(port uint16, flags byte) bool {
		s1 := l.Endpoints.Get("s1")
		got := l.sends(way{endpoint: s1}, frame{kind: "tcp", flags: flags, ports: [2]uint16{8080, port}, ttl: 64, src: s1.MAC, dst: routerMAC,
			from: s1.IP4, to: l.Endpoints.Get("c10").IP4})
		return strings.Contains(got.frame, "10.40.0.102:80>")
	}
	if ask(47000, syn) != "p51" || !answered(47000, syn|ack) || ask(47000, ack) != "p51" {
		t.Fatal("want a connection")
	}
	set("10.41.0.1")
	if ask(47000, ack) != "p51" || !answered(47000, ack) {
		t.Error("open to a backend that was removed: want it to continue")
	}
	if got := ask(47001, syn); got != "p53" {
		t.Errorf("new: want the backend that is left, got %q", got)
	}
	set()
	if ask(47000, ack) != "p51" || ask(47002, syn) != "" {
		t.Error("no backends: want the open connection to continue, and no new ones")
	}
	l.change(func(s *ofnet.State) { s.Services.Delete("red:lone") })
	if ask(47000, ack) != "p51" || !answered(47000, ack) || ask(47003, syn) != "" {
		t.Error("without the service, while the tenant is tracked: want the same")
	}
}

// forget carries a change out with what the switch must forget because of it, as the agent does.
func (l *serviceLab) forget(what string, do func(s *ofnet.State)) {
	l.t.Helper()
	var list []flow.Connections
	l.change(func(s *ofnet.State) {
		before := s.Clone()
		do(s)
		list = pipeline.Default().Forgotten(before, s)
	})
	if len(list) == 0 {
		l.t.Errorf("%s: want something forgotten, got nothing", what)
	}
	for _, c := range list {
		l.lab.ovs.Ofctl("ct-flush", "br0", c.Words()...)
	}
}

// serviceForgets: a client that continues over UDP leaves a backend that was taken away, and who gets the address of an
// endpoint that is gone has none of its connections.
func serviceForgets(t *testing.T, l *serviceLab) {
	l.change(func(s *ofnet.State) {
		at := l.Endpoints.Get("s1").IP4
		s.SetService(&ofnet.Service{Name: "red:lone", Tenant: "red", External: []netip.Addr{netip.MustParseAddr("10.40.0.102")}, Affinity: ofnet.Affinity{Client: true},
			Ports: []ofnet.ServicePort{{Protocol: ofnet.ProtocolUDP, Port: 53, Backends: []ofnet.Backend{{Addr: at, Target: 53}}},
				{Protocol: ofnet.ProtocolTCP, Port: 80, Backends: []ofnet.Backend{{Addr: at, Target: 8080}}}}})
		s.Groups.Set("red:closed", &ofnet.Group{Name: "red:closed", Tenant: "red", ID: 0x40009})
		ofnettest.CopyRules(s, ofnettest.Parse(t, "self h1\nrule no group=red:closed in deny priority=1"))
	})
	udp := func(port uint16) string { return l.asks("c10", "udp", "10.40.0.102", port, 53, 0).where }
	tcp := func(port uint16, flags byte) string {
		return l.asks("c10", "tcp", "10.40.0.102", port, 80, flags).where
	}
	s1 := *l.Endpoints.Get("s1")
	answered := func(from, to uint16) bool { // without it the kernel's tracker takes what follows for no part of the connection
		return l.sends(way{endpoint: &s1}, frame{kind: "tcp", flags: syn | ack, ports: [2]uint16{from, to}, ttl: 64, src: s1.MAC, dst: routerMAC, from: s1.IP4,
			to: l.Endpoints.Get("c10").IP4}).where == "p60"
	}
	if udp(49000) != "p51" || tcp(49001, syn) != "p51" || !answered(8080, 49001) || tcp(49001, ack) != "p51" {
		t.Fatal("want connections to s1")
	}
	l.forget("red:lone", func(s *ofnet.State) {
		v := *s.Services.Get("red:lone")
		ofnettest.SetBackends(&v, l.Endpoints.Get("t1").IP4)
		s.SetService(&v)
	})
	if u, o := udp(49000), tcp(49001, ack); u != "p53" || o != "p51" {
		t.Errorf("backend s1 taken away: want UDP at t1 (p53), TCP at s1 (p51), got %q, %q", u, o)
	}
	// s1 is deleted, and another endpoint gets its address, in a group that lets no one in.
	if got := tcp(49001, ack); got != "p51" {
		t.Fatalf("want the connection at s1, got %q", got)
	}
	direct := func(flags byte) string { return l.asks("c10", "tcp", "10.40.0.1", 49002, 22, flags).where }
	if direct(syn) != "p51" || !answered(22, 49002) || direct(ack) != "p51" {
		t.Fatal("want a connection to s1 itself")
	}
	heir := s1
	l.forget("s1", func(s *ofnet.State) { s.Endpoints.Delete("s1") })
	heir.ID, heir.Group = "heir", "red:closed"
	l.change(func(s *ofnet.State) { s.Endpoints.Set("heir", &heir) })
	delete(l.passed, fmt.Sprintf("p%d", heir.Port)) // it does not count what went by the port before
	if got := direct(ack); got != "" {
		t.Errorf("what continues to the heir: want it judged like any other, and denied, got %q", got)
	}
	if got := l.sends(way{endpoint: &heir}, frame{kind: "udp", ports: [2]uint16{53, 49000}, ttl: 64, src: heir.MAC, dst: routerMAC, from: heir.IP4,
		to: l.Endpoints.Get("c10").IP4}); strings.Contains(got.frame, "10.40.0.102") {
		t.Errorf("answer of the heir: want it from the heir, not the service, got %v", got)
	}
	if got := tcp(49001, ack); got != "p53" {
		t.Errorf("connection of the service to s1, which is gone: want another backend, got %q", got)
	}
}

// serviceForgetsSix: the same over IPv6, where the switch cannot forget pings: they continue, and each is judged.
func serviceForgetsSix(t *testing.T, l *serviceLab) {
	l.change(func(s *ofnet.State) {
		s.Groups.Set("red:closed", &ofnet.Group{Name: "red:closed", Tenant: "red", ID: 0x40009})
		ofnettest.CopyRules(s, ofnettest.Parse(t, "self h1\nrule no group=red:closed in deny priority=1"))
	})
	ping := func() string { return l.asks("c10", "ping", "fd40::1:1", 0, 0, 0).where }
	tcp := func(flags byte) string { return l.asks("c10", "tcp", "fd40::1:1", 49100, 22, flags).where }
	answer := func(kind string, flags byte) string {
		c10, c11 := l.Endpoints.Get("c10"), l.Endpoints.Get("c11")
		return l.sends(way{endpoint: c11}, frame{kind: kind, flags: flags, ports: [2]uint16{22, 49100}, ttl: 64, src: c11.MAC, dst: routerMAC, from: c11.IP6, to: c10.IP6}).where
	}
	if ping() != "p61" || answer("pong", 0) != "p60" || ping() != "p61" || tcp(syn) != "p61" || answer("tcp", syn|ack) != "p60" || tcp(ack) != "p61" {
		t.Fatal("want connections to c11")
	}
	heir := *l.Endpoints.Get("c11")
	l.forget("c11", func(s *ofnet.State) { s.Endpoints.Delete("c11") })
	heir.ID, heir.Group = "heir6", "red:closed"
	l.change(func(s *ofnet.State) { s.Endpoints.Set("heir6", &heir) })
	delete(l.passed, fmt.Sprintf("p%d", heir.Port)) // it does not count what went by the port before
	if p, c := ping(), tcp(ack); p != "" || c != "" {
		t.Errorf("what continues to the heir: want it judged like any other, and denied, got %q, %q", p, c)
	}
	if got := l.asks("c10", "ping", "fd40::1:2", 0, 0, 0).where; got != "p62" {
		t.Errorf("to another backend: want it to arrive, got %q", got)
	}
}

// serviceCounters: every packet is counted once, for the backend that it went to or came from.
func serviceCounters(t *testing.T, l *serviceLab) {
	s1 := l.Endpoints.Get("s1")
	for n := range uint16(3) {
		l.asks("c10", "tcp", "10.40.0.102", 48000+n, 80, syn)
		l.sends(way{endpoint: s1}, frame{kind: "tcp", flags: syn | ack, ports: [2]uint16{8080, 48000 + n}, ttl: 64, src: s1.MAC, dst: routerMAC,
			from: s1.IP4, to: l.Endpoints.Get("c10").IP4})
		l.asks("c10", "tcp", "10.40.0.102", 48000+n, 80, ack)
	}
	if got, want := l.counters(), (map[ofnet.Load]uint64{ofnet.LoadOpened: 3, ofnet.LoadTo: 6, ofnet.LoadFrom: 3}); !maps.Equal(got, want) {
		t.Errorf("counters of three connections: want %v, got %v", want, got)
	}
	// A flow that replaces that of another backend does not continue with its counters.
	was := l.lab.state.Services.Get("red:lone")
	l.change(func(s *ofnet.State) {
		v := *was
		ofnettest.SetBackends(&v, ofnettest.Backends(l.lab.state.Services.Get("red:near"))[:1]...)
		s.SetService(&v)
	})
	if got := l.counters(); len(got) != 0 {
		t.Errorf("counters of another backend: want none, got %v", got)
	}
	l.change(func(s *ofnet.State) { s.SetService(was) })
}

// counters are those of the first port and backend of a service, without those that are 0.
func (l *serviceLab) counters() map[ofnet.Load]uint64 {
	l.t.Helper()
	l.lab.ovs.Appctl("revalidator/wait")
	l.lab.ovs.Appctl("revalidator/purge")
	v := l.lab.state.Services.Get("red:lone")
	out := map[ofnet.Load]uint64{}
	dump := l.lab.ovs.Ofctl("dump-flows", "br0")
	for _, of := range []ofnet.Load{ofnet.LoadOpened, ofnet.LoadTo, ofnet.LoadFrom} {
		owner := fmt.Sprintf("%012x", flow.Owner(v.LoadKey(&v.Ports[0], v.Ports[0].Backends[0], of)))
		for line := range strings.Lines(dump) {
			_, rest, ok := strings.Cut(line, "n_packets=")
			if !ok || !strings.Contains(line, owner) {
				continue
			}
			count, _, _ := strings.Cut(rest, ",")
			n, err := strconv.ParseUint(count, 10, 64)
			if err != nil {
				l.t.Fatal(err)
			}
			if n > 0 {
				out[of] += n
			}
		}
	}
	return out
}
