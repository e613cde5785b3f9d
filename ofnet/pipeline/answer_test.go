// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/ofnettest"
)

// streamServices lead UDP to one backend each: on another host, over IPv6, and here.
const streamServices = `
service red:far address=10.40.0.104 ports=udp:70:7070 backends=10.40.0.2
service red:far6 address=fd40::104 ports=udp:70:7070 backends=fd40::2
service red:here address=10.40.0.105 ports=udp:70:7070 backends=10.40.0.1
`

// stream is a UDP exchange whose opener has said one thing.
type stream struct {
	answer frame
	by     way
	to     uint32 // port of the opener
}

// opens has a client here ask an address, and someone answer from one.
func (l *serviceLab) opens(client, server string, vip, from netip.Addr, port, target uint16) stream {
	l.t.Helper()
	c, s := l.Endpoints.Get(client), l.Endpoints.Get(server)
	question := frame{kind: "udp", ports: [2]uint16{30100, port}, ttl: 64, src: c.MAC, dst: routerMAC, from: address(c, vip), to: vip}
	if got := l.sends(way{endpoint: c}, question); got == (arrival{}) {
		l.t.Fatalf("%s asks %v: want it to arrive", client, vip)
	}
	st := stream{answer: frame{kind: "udp", ports: [2]uint16{target, 30100}, ttl: 64, src: s.MAC, dst: c.MAC, from: from, to: address(c, from)}, by: way{endpoint: s}, to: c.Port}
	if s.Host != l.Self {
		st.by = way{peer: l.Hosts.Get(s.Host).VTEP, vni: l.Segments.Get(s.Segment).Tag}
	}
	l.goesOn("before the rules", st, true)
	return st
}

// goesOn sends answers, which are judged in its place, and then as they were judged.
func (l *serviceLab) goesOn(what string, st stream, pass bool) {
	l.t.Helper()
	for n := range 2 {
		got := l.sends(st.by, st.answer)
		if (got.where == fmt.Sprintf("p%d", st.to)) != pass {
			l.t.Errorf("%s: answer %d %v: want it to pass %v, got %v", what, n, st.answer, pass, got)
		}
	}
}

// serviceStreams: rules that change meet an exchange of which only the answers continue, and judge what opened it: at the
// client, with the backend's address, port and group; between hosts and on one; over IPv4 and IPv6.
func serviceStreams(t *testing.T, l *serviceLab) {
	l.change(func(s *ofnet.State) {
		for v := range ofnettest.Parse(t, "self h1\n"+streamServices).Services.Values() {
			s.SetService(v)
		}
	})
	rules := func(lines string) {
		l.change(func(s *ofnet.State) { ofnettest.CopyRules(s, ofnettest.Parse(t, "self h1\n"+lines)) })
	}
	rules("rule none group=red:quick out deny priority=1 proto=udp ports=1")
	a := netip.MustParseAddr
	list := map[string]stream{
		"there":         l.opens("s3", "s2", a("10.40.0.2"), a("10.40.0.2"), 7071, 7071),
		"there, IPv6":   l.opens("s3", "s2", a("fd40::2"), a("fd40::2"), 7071, 7071),
		"here":          l.opens("s3", "s1", a("10.40.0.1"), a("10.40.0.1"), 7071, 7071),
		"service":       l.opens("s3", "s2", a("10.40.0.104"), a("10.40.0.2"), 70, 7070),
		"service, IPv6": l.opens("s3", "s2", a("fd40::104"), a("fd40::2"), 70, 7070),
		"service here":  l.opens("s3", "s1", a("10.40.0.105"), a("10.40.0.1"), 70, 7070),
	}
	for _, row := range []struct {
		rules string
		cut   string // what the names of those that end have in common
	}{
		{"rule o group=red:quick out deny priority=1 proto=udp ports=70", ""}, // no one's port behind the service
		{"rule o group=red:quick out deny priority=1 proto=udp ports=7070 peer=red:slow", "service"},
		{"rule o group=red:quick out deny priority=1 peer=red:slow\nrule y group=red:quick out allow priority=9 proto=udp ports=7070", "here, there"},
		{"rule o group=red:quick out deny priority=1 from=fd40::2", "IPv6"},
		{"rule o group=red:quick out deny priority=1 from=10.40.0.1", "here"},
		{"rule i group=red:slow in deny priority=1 proto=udp", "here"}, // judged where the server is
		{"rule i group=red:slow out deny priority=1\nrule j group=red:quick in deny priority=1", ""},
	} {
		rules(row.rules)
		for name, st := range list {
			cut := row.cut != "" && strings.Contains(name, row.cut)
			switch row.cut {
			case "here, there":
				cut = !strings.HasPrefix(name, "service")
			case "here":
				cut = name == "here" || name == "service here"
			}
			l.goesOn(row.rules+": "+name, st, !cut)
		}
	}
	// Someone elsewhere has asked an endpoint here: its host judges for the receiver.
	rules("rule i group=red:slow in deny priority=1 proto=udp ports=1")
	s1, s2 := l.Endpoints.Get("s1"), l.Endpoints.Get("s2")
	asked := frame{kind: "udp", ports: [2]uint16{30200, 53}, ttl: 64, src: s2.MAC, dst: s1.MAC, from: s2.IP4, to: s1.IP4}
	if got := l.sends(way{peer: l.Hosts.Get("h2").VTEP, vni: 6001}, asked); got.where != "p51" {
		t.Fatalf("asked from elsewhere: want it at p51, got %v", got)
	}
	answer := frame{kind: "udp", ports: [2]uint16{53, 30200}, ttl: 64, src: s1.MAC, dst: s2.MAC, from: s1.IP4, to: s2.IP4}
	for _, row := range []struct {
		rule string
		pass bool
	}{{"rule i group=red:slow in deny priority=1 proto=udp ports=53 peer=red:slow", false}, {"rule i group=red:slow in deny priority=1 proto=udp ports=54", true},
		{"rule i group=red:slow in deny priority=1 from=10.40.0.2", false}, {"rule i group=red:slow out deny priority=1", true}} {
		rules(row.rule)
		for range 2 {
			if got := l.sends(way{endpoint: s1}, answer); (got != arrival{}) != row.pass {
				t.Errorf("answer to elsewhere under %s: want it to pass %v, got %v", row.rule, row.pass, got)
			}
		}
	}
	// Packets of an endpoint to itself through a service are not judged, nor are their answers.
	rules("rule none group=red:slow in deny priority=1 proto=udp ports=1")
	vip := a("10.40.0.105")
	say := func(ports [2]uint16) arrival {
		return l.sends(way{endpoint: s1}, frame{kind: "udp", ports: ports, ttl: 64, src: s1.MAC, dst: routerMAC, from: s1.IP4, to: vip})
	}
	if say([2]uint16{30300, 70}).where != "p51" || say([2]uint16{7070, 30300}).where != "p51" {
		t.Error("hairpin: want question and answer to arrive")
	}
	rules("rule none group=red:slow in deny priority=1 proto=udp")
	if say([2]uint16{7070, 30300}).where != "p51" {
		t.Error("hairpin: want the answer to arrive after a rule")
	}
	l.change(func(s *ofnet.State) {
		ofnettest.CopyRules(s, ofnet.NewState(""))
		for _, name := range []string{"red:far", "red:far6", "red:here"} {
			s.Services.Delete(name)
		}
	})
}

// The switch's own account of an answer: without rules it is in no tracker; under rules that have changed it is shown to
// them in one pass, and the verdict is kept.
func TestTrace_Answers(t *testing.T) {
	l := newLab(t, moreState)
	const answer = ",udp,dl_src=02:02:6b:02:00:02,dl_dst=02:02:6b:01:00:01,nw_src=10.1.0.2,nw_dst=10.1.0.1,udp_src=53,udp_dst=30000"
	passes := func(packet string, args ...string) int {
		return strings.Count(l.ovs.Appctl(append([]string{"ofproto/trace", "br0", packet}, args...)...), "Datapath actions: ")
	}
	if n := passes("in_port=1000,tun_src=192.168.251.2,tun_dst=192.168.251.1,tun_id=5001,udp,dl_src=02:02:65:02:00:03,dl_dst=02:02:65:01:00:01,nw_src=10.1.0.3,nw_dst=10.1.0.1"); n != 1 {
		t.Errorf("a tenant without rules: want 1 pass, got %d", n)
	}
	const in = "in_port=1000,tun_src=192.168.251.2,tun_dst=192.168.251.1,tun_id=5013"
	if n := passes(in+answer, "--ct-next", "trk,est,rpl"); n != 2 {
		t.Errorf("an answer under rules: want the tracker's pass and one more, got %d", n)
	}
	generation := l.state.Tracking("green").Generation
	for name, row := range map[string]struct {
		mark uint32
		want []string
		not  string
	}{
		"older rules":            {7, []string{"resubmit(,36)", "ct(commit"}, ""},
		"refused by older rules": {1<<31 | 7, []string{"resubmit(,36)", "ct(commit"}, ""},
		"these rules":            {generation, []string{"p9"}, "ct(commit"},
		"refused":                {1<<31 | generation, []string{"Datapath actions: drop"}, "ct(commit"},
	} {
		got := l.ovs.Appctl("ofproto/trace", "br0", in+answer+fmt.Sprintf(",ct_mark=%#x", row.mark), "--ct-next", "trk,est,rpl")
		for _, want := range row.want {
			if !strings.Contains(got, want) && !strings.Contains(got, l.datapathPort(want)) {
				t.Errorf("%s: want %q in\n%s", name, want, got)
			}
		}
		if row.not != "" && strings.Contains(got, row.not) {
			t.Errorf("%s: want no %q in\n%s", name, row.not, got)
		}
	}
}

// datapathPort is what Open vSwitch prints of an output to a port.
func (l *lab) datapathPort(name string) string {
	for number, port := range l.ports {
		if port == name {
			return "Datapath actions: " + number
		}
	}
	return name
}
