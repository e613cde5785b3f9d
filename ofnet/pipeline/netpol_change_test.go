// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// podState are pods of two classes; 5 is isolated in what it receives.
const podState = `
tenant open id=3
network open:n id=300 vxlan=6000 bridge proxy net=10.20.0.0/24
endpoint web1 network=open:n host=h1 port=40 mac=02:02:70:01:00:01 ip=10.20.0.1 class=7
endpoint db1 network=open:n host=h1 port=41 mac=02:02:70:01:00:02 ip=10.20.0.2 class=5 isolated=in
endpoint other network=open:n host=h1 port=42 mac=02:02:70:01:00:03 ip=10.20.0.3
judgement open sum=1
classrule ns:p in accept place=1 subjects=5 peers=7 ports=tcp:80,udp:53
`

// TestNetworkPolicyChanges plays open connections through changes of policies and labels: what they deny is cut in both directions, what
// they allow again lives on, and answers need no policy of their own.
func TestNetworkPolicyChanges(t *testing.T) {
	l := newLab(t, moreState+podState)
	w := newWires(t, l)
	have := pipeline.Default().CompileAll(l.state)
	become := func(from, to string) {
		t.Helper()
		next := ofnettest.Parse(t, "self h1\n"+strings.Replace(podState, from, to, 1))
		l.state.ClassPolicies, l.state.Judgements = next.ClassPolicies, next.Judgements
		for id, e := range next.Endpoints.All() {
			l.state.Endpoints.Set(id, e)
		}
		want := pipeline.Default().CompileAll(l.state)
		change(t, l.ovs, flow.Diff(want, have))
		have = want
	}
	talk := func(from, to, kind string, port uint16) *conversation {
		return &conversation{t, w, l.state.Endpoints.Get(from), l.state.Endpoints.Get(to), kind, [2]uint16{30000, port}}
	}
	want := func(c *conversation, when string, forward, back bool) {
		t.Helper()
		if f := c.passes(false, ack); f != forward {
			t.Errorf("%s, %s to %d: forward: want %v, got %v", when, c.kind, c.ports[1], forward, f)
		}
		if b := c.passes(true, ack); b != back {
			t.Errorf("%s, %s to %d: back: want %v, got %v", when, c.kind, c.ports[1], back, b)
		}
	}
	web, out, names := talk("web1", "db1", "tcp", 80), talk("db1", "web1", "tcp", 443), talk("web1", "db1", "udp", 53)
	if !web.open() || !out.open() || !names.passes(false, 0) || !names.passes(true, 0) {
		t.Fatal("want what the policy allows, and what the isolated pod opens itself")
	}
	for _, c := range []*conversation{talk("web1", "db1", "tcp", 81), talk("other", "db1", "tcp", 80), talk("other", "db1", "udp", 53)} {
		if c.passes(false, syn) {
			t.Errorf("%s to port %d: want it refused", c.kind, c.ports[1])
		}
	}
	stream := talk("web1", "db1", "udp", 53)
	stream.ports[0] = 30001
	if !stream.passes(false, 0) { // a subscription
		t.Fatal("want a subscription")
	}

	become("judgement open sum=1\nclassrule ns:p in accept place=1 subjects=5 peers=7 ports=tcp:80,udp:53", "judgement open sum=2\nclassrule ns:p in accept place=1 subjects=5 peers=7 ports=tcp:443")
	if stream.passes(true, 0) {
		t.Error("another policy: a stream to a silent subscriber: want it cut")
	}
	want(web, "another policy", false, false)
	want(out, "another policy", true, true)
	want(names, "another policy", false, false)
	become("sum=1", "sum=3")
	want(web, "allowed again", true, true)
	want(names, "allowed again", true, true)
	if !stream.passes(true, 0) {
		t.Error("allowed again: want the stream to continue")
	}

	become("sum=1", "sum=4") // with another label web1 is of another class
	e := *l.state.Endpoints.Get("web1")
	e.Class = 8
	l.state.Endpoints.Set("web1", &e)
	next := pipeline.Default().CompileAll(l.state)
	change(t, l.ovs, flow.Diff(next, have))
	have = next
	want(web, "another label", false, false)
	want(out, "another label", true, true)
	become("sum=1", "sum=5")
	want(web, "the label again", true, true)
}

// The host that a pod is on reaches it, whatever policies say, and no one else by saying that it is the host.
func TestOwnHostMeetsPods(t *testing.T) {
	l := newLab(t, moreState+podState+"\nown 172.16.0.1\nclassrule closed out deny stage=admin priority=0 place=1 subjects=5 anyone\n")
	for _, row := range []struct {
		name, packet string
		passes       bool
	}{
		{"from the host", "in_port=1002,tcp,nw_src=172.19.255.254,nw_dst=172.19.0.41,tcp_dst=8080,tcp_flags=2,dl_src=02:02:ac:13:ff:fe,dl_dst=00:00:11:11:11:11,nw_ttl=64", true},
		{"from another by the host", "in_port=1002,tcp,nw_src=192.0.2.7,nw_dst=172.19.0.41,tcp_dst=8080,tcp_flags=2,dl_src=02:02:ac:13:ff:fe,dl_dst=00:00:11:11:11:11,nw_ttl=64", false},
		{"to the world", "in_port=41,tcp,dl_src=02:02:70:01:00:02,dl_dst=00:00:11:11:11:11,nw_src=10.20.0.2,nw_dst=8.8.8.8,tcp_dst=53,tcp_flags=2,nw_ttl=64", false},
		{"to the host", "in_port=41,tcp,dl_src=02:02:70:01:00:02,dl_dst=00:00:11:11:11:11,nw_src=10.20.0.2,nw_dst=172.16.0.1,tcp_dst=10250,tcp_flags=2,nw_ttl=64", true},
	} {
		if got := l.trace(t, row.packet); (len(places(got)) > 0) != row.passes {
			t.Errorf("%s: want it to pass: %t, got %s", row.name, row.passes, got)
		}
	}
}
