// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// openState is a tenant of four endpoints; web1, db1 and other are here.
const openState = `
tenant open id=3
network open:n id=300 vxlan=6000 bridge proxy net=10.20.0.0/24
group open:web id=0x30001
group open:db id=0x30002
endpoint web1 network=open:n group=open:web host=h1 port=40 mac=02:02:70:01:00:01 ip=10.20.0.1
endpoint db1 network=open:n group=open:db host=h1 port=41 mac=02:02:70:01:00:02 ip=10.20.0.2
endpoint other network=open:n host=h1 port=42 mac=02:02:70:01:00:03 ip=10.20.0.3
`

// conversation is a connection between two endpoints that are here, played packet by packet.
type conversation struct {
	t        *testing.T
	w        *wires
	from, to *ofnet.Endpoint
	kind     string
	ports    [2]uint16
}

// passes sends one packet, forward or back, and reports whether it arrives.
func (c *conversation) passes(back bool, flags byte) bool {
	c.t.Helper()
	f, in := frame{kind: c.kind, flags: flags, ports: c.ports, ttl: 64, src: c.from.MAC, dst: c.to.MAC, from: c.from.IP4, to: c.to.IP4}, c.from
	if back {
		f.src, f.dst, f.from, f.to, in = f.dst, f.src, f.to, f.from, c.to
		f.ports[0], f.ports[1] = f.ports[1], f.ports[0]
		if c.kind == "ping" {
			f.kind = "pong"
		}
	}
	return len(c.w.verdict(c.t, way{endpoint: in}, f)) == 1
}

// open is what begins a TCP connection.
func (c *conversation) open() bool {
	return c.passes(false, syn) && c.passes(true, syn|ack) && c.passes(false, ack)
}

// TestRuleChanges plays open connections through changes of the rules. ENF-14: what a new rule denies is cut in both
// directions, all else loses no packet, and what is allowed again lives on.
func TestRuleChanges(t *testing.T) {
	l := newLab(t, moreState+openState)
	w := newWires(t, l)
	have := pipeline.Default().CompileAll(l.state)
	rules := func(lines string) {
		t.Helper()
		ofnettest.CopyRules(l.state, ofnettest.Parse(t, lines+"\nself h1"))
		want := pipeline.Default().CompileAll(l.state)
		change(t, l.ovs, flow.Diff(want, have))
		have = want
	}
	talk := func(from, to, kind string, port uint16) *conversation {
		return &conversation{t, w, l.state.Endpoints.Get(from), l.state.Endpoints.Get(to), kind, [2]uint16{30000, port}}
	}
	want := func(c *conversation, what string, forward, back bool) {
		t.Helper()
		if f := c.passes(false, ack); f != forward {
			t.Errorf("%s to port %d: forward: want %v, got %v", what, c.ports[1], forward, f)
		}
		if b := c.passes(true, ack); b != back {
			t.Errorf("%s to port %d: back: want %v, got %v", what, c.ports[1], back, b)
		}
	}
	const closed = "rule all group=open:db in deny priority=1 proto=tcp openings\n"

	// Before the first rule nothing is tracked: what is open then is met in the middle.
	early, idle := talk("web1", "db1", "tcp", 70), talk("db1", "web1", "tcp", 71)
	if !early.open() || !idle.open() {
		t.Fatal("without rules: want connections, got none")
	}
	late := talk("web1", "db1", "ping", 0)
	late.ports = [2]uint16{}
	if !late.passes(false, 0) {
		t.Fatal("without rules: want a ping to pass")
	}
	rules(closed + "rule web group=open:db in allow priority=100 proto=tcp ports=80")
	if !late.passes(true, 0) {
		t.Error("answer to a ping from before the first rule: want it to pass")
	}
	want(early, "open before the first rule", true, true)
	if !idle.passes(true, ack) { // the answering side speaks first
		t.Error("open before the first rule, answer first: want it to pass")
	}
	want(idle, "open before the first rule", true, true)
	if fresh := talk("web1", "db1", "tcp", 72); fresh.passes(false, syn) {
		t.Error("new connection to a closed port: want it refused")
	}

	c80, c81, c82 := talk("web1", "db1", "tcp", 80), talk("web1", "db1", "tcp", 81), talk("other", "db1", "tcp", 80)
	if !c80.open() || !c82.open() || c81.passes(false, syn) {
		t.Error("want port 80 open and 81 closed")
	}
	out := talk("db1", "web1", "tcp", 443)
	if !out.open() {
		t.Error("from a closed group: want its own connections")
	}
	want(c80, "unchanged", true, true)

	// Another rule: c80 is judged again, and continues without a loss, in whichever direction.
	rules(closed + "rule web group=open:db in allow priority=100 proto=tcp ports=80\nrule more group=open:db in allow priority=100 proto=tcp ports=81")
	want(c80, "after a rule for another port", true, true)
	if !out.passes(true, ack) || !out.passes(false, ack) {
		t.Error("a connection of the group's own after another rule: want it to continue")
	}
	if !c81.open() {
		t.Error("port 81 after its rule: want it open")
	}

	// A rule against one peer's group cuts only its connection, which continues without the rule.
	cut := closed + "rule web group=open:db in allow priority=100 proto=tcp ports=80\nrule no group=open:db in deny priority=100 peer=open:web"
	rules(cut)
	want(c80, "denied since", false, false)
	want(c82, "another peer's", true, true)
	want(c81, "denied by closing its port", false, false)
	rules(closed + "rule web group=open:db in allow priority=100 proto=tcp ports=80")
	want(c80, "allowed again", true, true)

	// Openings are all that a rule about TCP at large forbids; what was seen to open goes with it.
	rules(closed)
	want(c80, "opened under the eyes of the switch", false, false)
	want(early, "met in the middle", true, true)
	rules("")
	want(c80, "without rules", true, true)
	rules("rule deny group=open:web in deny priority=1")
	if unasked := (&conversation{t, w, l.state.Endpoints.Get("web1"), l.state.Endpoints.Get("other"), "ping", [2]uint16{}}); unasked.passes(true, 0) {
		t.Error("answer to no ping, under a rule for all protocols: want it denied")
	}

	// ENF-13: rules about ICMP judge echo replies; others do not.
	ping := talk("db1", "web1", "ping", 0)
	ping.ports = [2]uint16{}
	rules("rule deny group=open:db in deny priority=1")
	want(ping, "ping under a rule for all protocols", true, true)
	rules("rule deny group=open:db in deny priority=1 proto=icmp")
	want(ping, "ping under a rule for ICMP", true, false)
	rules("rule deny group=open:db in deny priority=1 proto=icmp\nrule ok group=open:db in allow priority=100 proto=icmp from=10.20.0.1")
	want(ping, "ping with a permission", true, true)
	rules("rule deny group=open:web out deny priority=1 proto=icmp")
	want(ping, "ping whose receiver may send no ICMP", true, false)

	// UDP that is refused after it was let in: its answers stop with its own packets.
	dns := talk("web1", "db1", "udp", 53)
	want(dns, "UDP", true, true)
	rules("rule deny group=open:db in deny priority=1 proto=udp ports=53")
	want(dns, "UDP denied since", false, false)

	// A stream: who has asked for it says nothing more.
	streams := func(what string, c *conversation, pass bool) {
		t.Helper()
		for range 2 { // judged, and as judged
			if got := c.passes(true, 0); got != pass {
				t.Errorf("%s to port %d: want answers to pass %v, got %v", what, c.ports[1], pass, got)
			}
		}
	}
	rules("rule ok group=open:db in allow priority=1 proto=udp ports=7")
	stream, beside, tunnel := talk("web1", "db1", "udp", 7000), talk("other", "db1", "udp", 7000), talk("web1", "db1", "gre", 0)
	tunnel.ports = [2]uint16{}
	for _, c := range []*conversation{stream, beside, tunnel} {
		want(c, "stream", true, true)
	}
	for _, row := range []struct {
		what, rules            string
		stream, beside, tunnel bool
	}{
		{"a rule about something else", "rule no group=open:db in deny priority=1 proto=udp ports=8", true, true, true},
		{"denied by the receiver's group", "rule no group=open:db in deny priority=1 proto=udp ports=7000 peer=open:web", false, true, true},
		{"allowed again", "rule no group=open:db in deny priority=1 proto=udp ports=8", true, true, true},
		{"denied by the sender's group", "rule no group=open:web out deny priority=1 proto=udp ports=7000", false, true, true},
		{"still denied", "rule no group=open:web out deny priority=1 proto=udp ports=7000\nrule more group=open:web out deny priority=1 proto=udp ports=8", false, true, true},
		{"denied but for one address", "rule no group=open:db in deny priority=1\nrule ok group=open:db in allow priority=9 from=10.20.0.1", true, false, true},
		{"the way back, which is not judged", "rule no group=open:db out deny priority=1\nrule in group=open:web in deny priority=1", true, true, true},
		{"without ports", "rule no group=open:db in deny priority=1 proto=47", true, true, false},
		{"no rules", "", true, true, true},
	} {
		rules(row.rules)
		streams(row.what, stream, row.stream)
		streams(row.what+": another's", beside, row.beside)
		streams(row.what+": GRE", tunnel, row.tunnel)
	}
}
