// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// What an endpoint opens to the cluster's machines ends in the switch, whichever way its packets would go: by the host, by a router
// outside, by one of several. Pings, answers, what is open and everything else pass; and in its own tenant an endpoint meets anyone who
// has such an address.
func TestTrace_Closed(t *testing.T) {
	const (
		c1 = "in_port=7,dl_src=02:02:69:01:00:01,dl_dst=" + router + ",PROTO,nw_src=10.3.0.1,nw_ttl=64," // of blue, which has a router outside
		g1 = "in_port=9,dl_src=02:02:6b:01:00:01,dl_dst=" + router + ",PROTO,nw_src=10.1.0.1,nw_ttl=64," // of green, which leaves by the host
		a1 = "in_port=1,dl_src=02:02:65:01:00:01,dl_dst=" + router + ",PROTO,ipv6_src=fd01::1,nw_ttl=64,"

		syn, ack, psh = ",tcp_flags=0x002", ",tcp_flags=0x012", ",tcp_flags=0x018"
	)
	l := newLab(t, withRouter)
	for _, row := range []struct {
		name, from, protocol, in string
		passes                   bool
	}{
		{"a machine, by a router", c1, "tcp", "nw_dst=203.0.113.7,tcp_dst=80" + syn, false},
		{"over UDP", c1, "udp", "nw_dst=203.0.113.7,udp_dst=53", false},
		{"over another protocol", c1, "ip", "nw_proto=47,nw_dst=203.0.113.7", false},
		{"a prefix", c1, "tcp", "nw_dst=198.51.100.3,tcp_dst=80" + syn, false},
		{"beside what is closed", c1, "tcp", "nw_dst=198.51.100.99,tcp_dst=80" + syn, true},
		{"a machine, by the host", g1, "tcp", "nw_dst=203.0.113.7,tcp_dst=80" + syn, false},
		{"over IPv6", a1, "tcp6", "ipv6_dst=fd0e::7,tcp_dst=80" + syn, false},
		{"a ping", c1, "icmp", "nw_dst=203.0.113.7,icmp_type=8", true},
		{"by the host", g1, "icmp", "nw_dst=203.0.113.7,icmp_type=8", true},
		{"over IPv6", a1, "icmp6", "ipv6_dst=fd0e::7,icmpv6_type=128", true},
		{"an answer", c1, "tcp", "nw_dst=203.0.113.7,tcp_dst=80" + ack, true},
		{"within a connection", c1, "tcp", "nw_dst=203.0.113.7,tcp_dst=80" + psh, true},
		{"a port that is open", c1, "tcp", "nw_dst=203.0.113.7,tcp_dst=9090" + syn, true},
		{"a port of the control plane, anywhere", c1, "tcp", "nw_dst=8.8.8.8,tcp_dst=9999" + syn, false},
		{"by the host", g1, "tcp", "nw_dst=8.8.8.8,tcp_dst=10001" + syn, false},
		{"that of tunnels", g1, "udp", "nw_dst=8.8.8.8,udp_dst=4789", false},
		{"over IPv6", a1, "udp6", "ipv6_dst=fd77::1,udp_dst=4789", false},
		{"the same port of another protocol", c1, "udp", "nw_dst=8.8.8.8,udp_dst=9999", true},
		{"another port", c1, "tcp", "nw_dst=8.8.8.8,tcp_dst=80" + syn, true},
		{"this host, by a router", c1, "tcp", "nw_dst=203.0.113.1,tcp_dst=22" + syn, false},
		{"by the host, which knows what it leads elsewhere", g1, "tcp", "nw_dst=203.0.113.1,tcp_dst=22" + syn, true},
		{"the door of one that is met", c1, "tcp", "nw_dst=203.0.113.9,tcp_dst=9091" + syn, false},
		{"another port of it", c1, "tcp", "nw_dst=203.0.113.9,tcp_dst=80" + syn, true},
		{"an endpoint, at such a port", c1, "tcp", "nw_dst=10.5.0.1,tcp_dst=9999" + syn, true},
	} {
		in := strings.Replace(row.from, "PROTO", row.protocol, 1) + row.in
		if got := l.trace(t, in); (got != "drop") != row.passes {
			t.Errorf("%s: %s: want it to pass %v, got %s", row.name, in, row.passes, got)
		}
	}
}

// What goes to one of several routers passes the same table: the group that chooses leads there.
func TestClosed_NextHops(t *testing.T) {
	s := ofnettest.Parse(t, "self h1\nports uplink=1001\ntenant blue id=1\n"+withRouter+
		"nexthops two id=9 hops=50.1.1.200@0e:00:00:00:00:07,50.1.1.201@0e:00:00:00:00:08\nroute 21.0.0.0/8 via=two\n")
	p := pipeline.Default()
	set := p.CompileAll(s)
	if len(set.Groups) != 1 {
		t.Fatalf("want one group of next hops, got %d", len(set.Groups))
	}
	if text := set.Groups[0].Text(p.Tables()); strings.Count(text, "resubmit(,closed)") != 64 {
		t.Errorf("want each of 64 buckets to lead to table closed, got %s", text)
	}
}

// A change of what is closed recompiles the switch's own flows, and no one else's.
func TestAffected_Closed(t *testing.T) {
	s := ofnettest.Parse(t, "self h1\nports uplink=1001 host=1002\ntenant blue id=1\nnetwork blue:vx id=101 vxlan=5001 bridge proxy net=10.1.0.0/24\nclosed 203.0.113.7 tcp=9999\n")
	for _, row := range []struct {
		name   string
		change func(s *ofnet.State)
		want   string
	}{
		{"the same", func(s *ofnet.State) { c := *s.Closed; s.Closed = &c }, ""},
		{"another machine", func(s *ofnet.State) { s.Closed = &ofnet.Closed{Own: s.Closed.Own, Ports: s.Closed.Ports} }, "switch/h1"},
		{"nothing", func(s *ofnet.State) { s.Closed = nil }, "switch/h1"},
	} {
		after := s.Clone()
		row.change(after)
		seen := map[string]struct{}{}
		pipeline.Default().Affected(s, after, func(k ofnet.Key) { seen[k.String()] = struct{}{} })
		if got := strings.Join(slices.Sorted(maps.Keys(seen)), " "); got != row.want {
			t.Errorf("%s: want %q compiled, got %q", row.name, row.want, got)
		}
	}
}
