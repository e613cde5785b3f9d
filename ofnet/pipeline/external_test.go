// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// withRouter connects host h1 of testdata/state.txt with a router outside.
const withRouter = `
router own tenant=blue port=1100 mac=02:aa:00:00:01:01 ip=50.1.1.2
route 0.0.0.0/0 via=50.1.1.200 mac=0e:00:00:00:00:07
route 20.0.0.0/8 via=50.1.1.201 mac=0e:00:00:00:00:08
route 30.0.0.0/8 via=50.1.1.202
route 10.3.0.77/32 via=50.1.1.200 mac=0e:00:00:00:00:07
route 10.5.0.2/32 via=50.1.1.200 mac=0e:00:00:00:00:07
route 10.3.0.2/32 via=50.1.1.200 mac=0e:00:00:00:00:07
route 10.3.0.0/24 via=50.1.1.200 mac=0e:00:00:00:00:07
route fd77::/32 via=50.1.1.200 mac=0e:00:00:00:00:07
`

// A router outside: the session of the host with it, packets from it to endpoints, and those that go to it.
func TestTrace_Router(t *testing.T) {
	l := newLab(t, withRouter)
	const (
		up  = "in_port=1001,dl_src=0e:00:00:00:00:07,dl_dst=02:aa:00:00:01:01,"
		own = "in_port=1100,dl_src=02:aa:00:00:01:01,dl_dst=0e:00:00:00:00:07,"
		c1  = "in_port=7,dl_src=02:02:69:01:00:01,dl_dst=" + router + ",tcp,nw_src=10.3.0.1,nw_ttl=64,"
		via = "src=02:aa:00:00:01:01 dst=0e:00:00:00:00:07 ttl=63 uplink"
	)
	for _, row := range []struct{ name, in, want string }{
		{"session, in", up + "tcp,nw_src=50.1.1.200,nw_dst=50.1.1.2", "inb01"},
		{"session, out", own + "tcp,nw_src=50.1.1.2,nw_dst=50.1.1.200", "uplink"},
		{"ARP for us", "in_port=1001,dl_src=0e:00:00:00:00:07,dl_dst=" + broadcast + ",arp,arp_op=1,arp_sha=0e:00:00:00:00:07,arp_spa=50.1.1.200,arp_tpa=50.1.1.2", "inb01"},
		{"ARP for another", "in_port=1001,dl_src=0e:00:00:00:00:07,dl_dst=" + broadcast + ",arp,arp_op=1,arp_sha=0e:00:00:00:00:07,arp_spa=50.1.1.200,arp_tpa=50.1.1.3", "drop"},
		{"our ARP", "in_port=1100,dl_src=02:aa:00:00:01:01,dl_dst=" + broadcast + ",arp,arp_op=1,arp_sha=02:aa:00:00:01:01,arp_spa=50.1.1.2,arp_tpa=50.1.1.200", "uplink"},
		{"the host with a foreign address", own + "tcp,nw_src=10.3.0.1,nw_dst=50.1.1.200", "drop"},
		{"session with a tag", "in_port=1001,dl_vlan=7,dl_src=0e:00:00:00:00:07,dl_dst=02:aa:00:00:01:01,tcp,nw_src=50.1.1.200,nw_dst=50.1.1.2", "drop"},

		{"to an endpoint", up + "tcp,nw_src=20.0.0.1,nw_dst=10.3.0.1,nw_ttl=64", "src=00:00:11:11:11:11 dst=02:02:69:01:00:01 ttl=63 p7"},
		{"to an endpoint of another host", up + "tcp,nw_src=20.0.0.1,nw_dst=10.3.0.2,nw_ttl=64", "ttl=63 tunnel 192.168.251.2 vni 16744449"},
		{"to the world", up + "tcp,nw_src=20.0.0.1,nw_dst=8.8.8.8,nw_ttl=64", "drop"},
		{"as an endpoint of ours", up + "tcp,nw_src=10.3.0.1,nw_dst=10.1.0.1,nw_ttl=64", "drop"},
		{"as an endpoint behind a tunnel", up + "tcp,nw_src=10.3.0.2,nw_dst=10.3.0.1,nw_ttl=64", "drop"},
		{"an endpoint of a routed VLAN, by routers", up + "tcp,nw_src=10.5.0.2,nw_dst=10.3.0.1,nw_ttl=64", "src=00:00:11:11:11:11 dst=02:02:69:01:00:01 ttl=63 p7"},
		{"to another MAC", "in_port=1001,dl_src=0e:00:00:00:00:07,dl_dst=02:aa:00:00:01:02,tcp,nw_src=20.0.0.1,nw_dst=10.3.0.1,nw_ttl=64", "drop"},

		{"default route", c1 + "nw_dst=8.8.8.8", via},
		{"longest prefix", c1 + "nw_dst=20.1.1.1", "src=02:aa:00:00:01:01 dst=0e:00:00:00:00:08 ttl=63 uplink"},
		{"next hop not resolved", c1 + "nw_dst=30.1.1.1", via},
		{"host route into an own subnet", c1 + "nw_dst=10.3.0.77", via},
		{"own subnet", c1 + "nw_dst=10.3.0.78", "drop"},
		{"endpoint of a routed VLAN elsewhere, announced", c1 + "nw_dst=10.5.0.2", via},
		{"endpoint behind a tunnel, announced", c1 + "nw_dst=10.3.0.2", "src=00:00:11:11:11:11 dst=02:02:69:02:00:02 ttl=63 tunnel 192.168.251.2 vni 5003"},
		{"endpoint here", c1 + "nw_dst=10.5.0.1", "src=00:00:11:11:11:11 dst=02:02:6a:01:00:01 ttl=63 p8"},
		{"IPv6", "in_port=1,dl_src=02:02:65:01:00:01,dl_dst=" + router + ",ipv6,ipv6_src=fd01::1,ipv6_dst=fd77::1,nw_ttl=64", "src=02:aa:00:00:01:01 dst=0e:00:00:00:00:07 uplink"},
		{"another tenant", "in_port=9,dl_src=02:02:6b:01:00:01,dl_dst=" + router + ",tcp,nw_src=10.1.0.1,nw_dst=20.1.1.1,nw_ttl=64",
			"commit zone 2; ttl=63 src=00:00:11:11:11:11 dst=02:02:ac:13:ff:fe src=172.19.0.9 contivh0"},
	} {
		if got := l.trace(t, row.in); got != row.want {
			t.Errorf("%s: want %s, got %s", row.name, row.want, got)
		}
	}
}

// A change of one part recompiles just what depends on it, and what is compiled piece by piece is what is compiled at once.
func TestAffected_Router(t *testing.T) {
	s := ofnettest.Parse(t, "self h1\nports uplink=1001\ntenant blue id=1\ntenant green id=2\n"+withRouter)
	p := pipeline.Default()
	all := 1 + s.Routes.Len()
	for _, row := range []struct {
		name   string
		change func(s *ofnet.State)
		want   int
	}{
		{"a route", func(s *ofnet.State) { r := *s.Routes.Get("20.0.0.0/8"); s.Routes.Set("20.0.0.0/8", &r) }, 1},
		{"the router", func(s *ofnet.State) { r := *s.Router; r.Port++; s.Router = &r }, all},
		{"its tenant", func(s *ofnet.State) { s.Tenants.Set("blue", &ofnet.Tenant{Name: "blue", ID: 7}) }, all},
		{"another tenant", func(s *ofnet.State) { s.Tenants.Set("green", &ofnet.Tenant{Name: "green", ID: 7}) }, 0},
	} {
		after, seen := s.Clone(), map[ofnet.Key]struct{}{}
		row.change(after)
		p.Affected(s, after, func(k ofnet.Key) {
			if k.Kind == ofnet.KindRoute || k.Kind == ofnet.KindRouter {
				seen[k] = struct{}{}
			}
		})
		if len(seen) != row.want {
			t.Errorf("%s changes: want %d parts of routing compiled, got %d", row.name, row.want, len(seen))
		}
	}
	flows := p.CompileAll(s)
	again, err := flow.ParseSet(flows.Text(p.Tables()), p.Tables())
	if err != nil {
		t.Fatal(err)
	}
	if d := flow.Diff(flows, again); !d.Empty() {
		t.Errorf("read back from its text: %s", d.String())
	}
}
