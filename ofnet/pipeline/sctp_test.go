// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"fmt"
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/ofnettest"
)

// serviceSCTP: the userspace tracker does not read the ports of SCTP, so it treats all packets between two ends as one connection. The rules
// nevertheless apply to each of its packets, in both directions, with its ports.
func serviceSCTP(t *testing.T, l *serviceLab) {
	rules := func(lines string) {
		l.change(func(s *ofnet.State) {
			ofnettest.CopyRules(s, ofnettest.Parse(t, "self h1\nrule none group=red:slow in deny priority=1 proto=udp ports=1\n"+lines))
		})
	}
	const (
		noServer  = "rule a group=red:slow in deny priority=5 proto=sctp ports=80\n" // the server's group takes none at port 80
		only80    = "rule b group=red:slow in deny priority=5 proto=sctp\nrule c group=red:slow in allow priority=9 proto=sctp ports=80\n"
		noClient  = "rule d group=red:quick in deny priority=5 proto=sctp\n" // the client's group takes none
		client90  = "rule e group=red:quick in allow priority=9 proto=sctp ports=90\n"
		noSending = "rule f group=red:slow out deny priority=5 proto=sctp\n"
	)
	for _, six := range []bool{false, true} {
		client, server := l.Endpoints.Get("s3"), l.Endpoints.Get("s1")
		says := func(what string, from, to *ofnet.Endpoint, sport, dport uint16, pass bool) {
			t.Helper()
			f := frame{kind: "sctp", ports: [2]uint16{sport, dport}, ttl: 64, src: from.MAC, dst: to.MAC, from: from.IP4, to: to.IP4}
			if six {
				f.from, f.to = from.IP6, to.IP6
			}
			for range 2 {
				got := l.sends(way{endpoint: from}, f)
				if (got.where == fmt.Sprintf("p%d", to.Port)) != pass {
					t.Errorf("%s, %v: want it to pass %v, got %v", what, f, pass, got)
				}
				if want := f.String(); pass && got.frame != want {
					t.Errorf("%s: want it as it was sent, %s, got %s", what, want, got.frame)
				}
			}
		}
		asks := func(what string, port uint16, pass bool) { t.Helper(); says(what, client, server, 30400, port, pass) }
		answers := func(what string, port uint16, pass bool) { t.Helper(); says(what, server, client, port, 30400, pass) }
		opens := func(what string, port uint16, pass bool) { t.Helper(); says(what, server, client, 5000, port, pass) }
		rules("")
		asks("without rules", 80, true)
		asks("without rules", 81, true)
		answers("without rules", 80, true)
		rules(noClient)
		answers("the other side opens none", 80, true)
		rules(noClient + noServer)
		answers("a denial, and the opener is silent", 80, false)
		answers("what it does not speak of", 81, true)
		rules(noServer + noSending)
		answers("a denial, and nothing is to be opened at the sender's", 80, false)
		rules("")
		answers("allowed again", 80, true)
		rules(noServer)
		answers("a denial of what the other side may send anyway", 80, true)
		asks("the opener is refused", 80, false)
		answers("and its answers end", 80, false)
		answers("but not those of what it may", 81, true)
		asks("another port", 81, true)
		rules(only80 + noClient)
		asks("the port that is allowed", 80, true)
		answers("the port that is allowed", 80, true)
		opens("a closed port", 90, false)
		rules(only80 + noClient + client90)
		opens("this is allowed, beside the other way", 90, true)
		opens("and no other", 91, false)
		answers("the first one continues", 80, true)
		asks("the first one continues", 80, true)
	}
	// Between hosts, each host applies the rules of its own end.
	here, there := l.Endpoints.Get("s3"), l.Endpoints.Get("s2")
	out := frame{kind: "sctp", ports: [2]uint16{30400, 80}, ttl: 64, src: here.MAC, dst: there.MAC, from: here.IP4, to: there.IP4}
	in := frame{kind: "sctp", ports: [2]uint16{80, 30400}, ttl: 64, src: there.MAC, dst: here.MAC, from: there.IP4, to: here.IP4}
	tunnel := way{peer: l.Hosts.Get(there.Host).VTEP, vni: l.Segments.Get(there.Segment).Tag}
	for _, tt := range []struct {
		rules string
		pass  bool
	}{
		{"", true},
		{noClient, true},
		{noClient + "rule g group=red:quick out deny priority=5 proto=sctp ports=81", true},
		{noClient + "rule g group=red:quick out deny priority=5 proto=sctp ports=80", false},
		{noClient + "rule g group=red:quick out deny priority=5 proto=sctp peer=red:slow", false},
		{noServer + noSending, true}, // the other host's to judge
	} {
		rules("")
		if l.sends(way{endpoint: here}, out) == (arrival{}) {
			t.Fatal("to another host: want it to leave")
		}
		rules(tt.rules)
		if got := l.sends(tunnel, in); (got.where == fmt.Sprintf("p%d", here.Port)) != tt.pass {
			t.Errorf("from another host under %q: want it to pass %v, got %v", tt.rules, tt.pass, got)
		}
	}
	l.change(func(s *ofnet.State) { ofnettest.CopyRules(s, ofnet.NewState("")) })
}
