// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/table"
)

// parts are what owners cause by each feature for itself, as it was compiled last: by the owners that its own inputs name.
type parts []map[ofnet.Key]flow.Set

func newParts(p *Pipeline, s *ofnet.State) parts {
	m := make(parts, len(p.Features()))
	for n := range p.Features() {
		m[n] = map[ofnet.Key]flow.Set{}
		for _, k := range p.Owners(s) {
			m.compile(p, n, s, k)
		}
	}
	return m
}

func (m parts) compile(p *Pipeline, feature int, s *ofnet.State, owner ofnet.Key) {
	m[feature][owner] = flowsOf(p.Features()[feature], s, owner)
}

// flowsOf is what an owner causes by one feature.
func flowsOf(f Feature, s *ofnet.State, owner ofnet.Key) (out flow.Set) {
	f.Flows(&out, s, owner)
	return out
}

// follow compiles what the inputs of each feature name after a change.
func (m parts) follow(p *Pipeline, before, after *ofnet.State) {
	for n, f := range p.Features() {
		for _, in := range f.Reads() {
			(*in)(before, after, func(k ofnet.Key) { m.compile(p, n, after, k) })
		}
	}
}

// wrong prints how what a feature has of an owner differs from what it gives for s; "" when it does not.
func (m parts) wrong(p *Pipeline, s *ofnet.State) string {
	for n, f := range p.Features() {
		all := maps.Clone(m[n])
		for _, k := range p.Owners(s) {
			all[k] = m[n][k]
		}
		for k, got := range all {
			if d := flow.Diff(flowsOf(f, s, k), got); !d.Empty() {
				return f.Name() + " of " + k.String() + ":\n" + d.Text(p.Tables())
			}
		}
	}
	return ""
}

// ruleAll is a rule of testdata/state.txt.
var ruleAll = ofnettest.RuleID("green:app", "all")

// TestAffected changes the State in many ways; compiling the owners that each feature's inputs name must give what compiling all
// gives.
func TestAffected(t *testing.T) {
	p := Default()
	for _, row := range []struct {
		name   string
		change func(s *ofnet.State)
	}{
		{"endpoint goes", func(s *ofnet.State) { s.Endpoints.Delete("a3") }},
		{"last of a host goes", func(s *ofnet.State) { s.Endpoints.Delete("f3") }},
		{"endpoint moves", func(s *ofnet.State) {
			e := *s.Endpoints.Get("f1")
			e.Host, e.Port = "h3", 0
			s.Endpoints.Set("f1", &e)
		}},
		{"endpoint changes network", func(s *ofnet.State) {
			e := *s.Endpoints.Get("f1")
			e.Segment = "blue:vx"
			s.Endpoints.Set("f1", &e)
		}},
		{"network becomes flooding", func(s *ofnet.State) {
			n := *s.Segments.Get("blue:vx")
			n.ARP = ofnet.Flood
			s.Segments.Set("blue:vx", &n)
		}},
		{"group limits what its members receive", func(s *ofnet.State) {
			g := *s.Groups.Get("blue:web")
			g.Profile.ReceiveRate = 1000
			s.Groups.Set("blue:web", &g)
		}},
		{"router comes", func(s *ofnet.State) {
			s.Router = &ofnet.Router{Tenant: "red", Port: 1100, MAC: ofnet.MAC{2, 0xaa, 0, 0, 1, 1}, Addr: netip.MustParseAddr("50.1.1.2")}
		}},
		{"tenant is tracked", func(s *ofnet.State) {
			ofnettest.SetRule(s, "blue:web", &ofnet.Rule{ID: ofnettest.RuleID("blue:web", "r1"), Direction: ofnet.In, Priority: 5, Deny: true})
		}},
		{"last rule goes", func(s *ofnet.State) { s.Rules.Delete(ruleAll) }},
		{"rule gets another priority", func(s *ofnet.State) {
			r := *s.Rules.Get(ruleAll)
			r.Priority = 50
			s.Rules.Set(ruleAll, &r)
		}},
		{"rule turns round", func(s *ofnet.State) {
			r := *s.Rules.Get(ruleAll)
			r.Direction = ofnet.Out
			s.Rules.Set(ruleAll, &r)
		}},
		{"rule closes both ways", func(s *ofnet.State) {
			r := *s.Rules.Get(ruleAll)
			r.Direction, r.Priority = ofnet.Both, ofnet.PriorityClosed
			s.Rules.Set(ruleAll, &r)
		}},
		{"policy gets another group", func(s *ofnet.State) {
			s.Attachments = ofnet.NewState("").Attachments
			s.Attach(identity.Attachment{Group: identity.Group{Tenant: "green", Name: "far"}, Policy: "app"})
		}},
		{"policy gets a second group", func(s *ofnet.State) {
			s.Attach(identity.Attachment{Group: identity.Group{Tenant: "green", Name: "far"}, Policy: "app"})
		}},
		{"group that a rule names is renumbered", func(s *ofnet.State) {
			s.Groups.Set("green:far", &ofnet.Group{Name: "green:far", Tenant: "green", ID: 78})
		}},
		{"group that a rule names goes", func(s *ofnet.State) { s.Groups.Delete("green:far") }},
		{"group that a rule names comes", func(s *ofnet.State) {
			s.Groups.Set("green:gone", &ofnet.Group{Name: "green:gone", Tenant: "green", ID: 79})
		}},
		{"network that a rule names gets other addresses", func(s *ofnet.State) {
			n := *s.Segments.Get("green:gx")
			n.First4, n.Last4 = netip.MustParseAddr("10.1.0.7"), netip.MustParseAddr("10.1.0.9")
			s.Segments.Set("green:gx", &n)
		}},
		{"network that a rule names goes", func(s *ofnet.State) { s.Segments.Delete("green:gx") }},
		{"last member of a group with rules goes", func(s *ofnet.State) { s.Endpoints.Delete("g1") }},
		{"first member of a group with rules comes", func(s *ofnet.State) {
			e := *s.Endpoints.Get("g2")
			e.Group, e.Host, e.Port = "green:far", "h1", 30
			s.Endpoints.Set("g2", &e)
		}},
		{"member changes its group", func(s *ofnet.State) {
			e := *s.Endpoints.Get("g1")
			e.Group = "green:far"
			s.Endpoints.Set("g1", &e)
		}},
		{"group with rules is renumbered", func(s *ofnet.State) {
			s.Groups.Set("green:app", &ofnet.Group{Name: "green:app", Tenant: "green", ID: 77})
		}},
		{"group with rules goes", func(s *ofnet.State) {
			s.Groups.Delete("green:app")
		}},
		{"tenant goes", func(s *ofnet.State) {
			s.Tenants.Delete("blue")
		}},
		{"host changes its address", func(s *ofnet.State) {
			h := *s.Hosts.Get("h2")
			h.VTEP = netip.MustParseAddr("fd00::2")
			s.Hosts.Set("h2", &h)
		}},
		{"own host changes", func(s *ofnet.State) {
			h := *s.Hosts.Get("h1")
			h.UplinkMAC = ofnet.MAC{2, 9, 9, 9, 9, 9}
			s.Hosts.Set("h1", &h)
		}},
		{"group is renumbered", func(s *ofnet.State) {
			s.Groups.Set("blue:db", &ofnet.Group{Name: "blue:db", Tenant: "blue", ID: 99})
		}},
		{"service comes", func(s *ofnet.State) {
			s.SetService(&ofnet.Service{Name: "blue:new", Tenant: "blue", External: []netip.Addr{netip.MustParseAddr("10.1.0.99")},
				Ports: []ofnet.ServicePort{{Protocol: ofnet.ProtocolTCP, Port: 80, Backends: []ofnet.Backend{{Addr: netip.MustParseAddr("10.1.0.1"), Target: 80}}}}})
		}},
		{"services go", func(s *ofnet.State) {
			s.Services = ofnet.NewState("").Services
		}},
		{"service changes its tenant", func(s *ofnet.State) {
			v := *s.Services.Get("red:shop")
			v.Tenant = "blue"
			s.SetService(&v)
		}},
		{"backend goes", func(s *ofnet.State) {
			v := *s.Services.Get("red:shop")
			ofnettest.SetBackends(&v, ofnettest.Backends(&v)[1:]...)
			s.SetService(&v)
		}},
		{"endpoint of a backend goes", func(s *ofnet.State) { s.Endpoints.Delete("t1") }},
		{"endpoint of a backend moves here", func(s *ofnet.State) {
			e := *s.Endpoints.Get("s2")
			e.Host, e.Port = "h1", 60
			s.Endpoints.Set("s2", &e)
		}},
		{"endpoint gets the address of a backend", func(s *ofnet.State) {
			s.Endpoints.Delete("t2")
			e := *s.Endpoints.Get("s3")
			e.IP4 = netip.MustParseAddr("10.41.0.2")
			s.Endpoints.Set("s3", &e)
		}},
		{"network of backends goes", func(s *ofnet.State) {
			s.Segments.Delete("red:sl")
		}},
		{"tenant of services goes", func(s *ofnet.State) {
			s.Tenants.Delete("red")
		}},
		{"host of backends goes", func(s *ofnet.State) {
			s.Hosts.Delete("h2")
		}},
		{"profile of a group changes", func(s *ofnet.State) {
			g := *s.Groups.Get("red:slow")
			g.Profile = ofnet.Profile{Rate: 7}
			s.Groups.Set("red:slow", &g)
		}},
		{"class policy comes", func(s *ofnet.State) {
			p := *s.ClassPolicies.Get("ns:web/in")
			p.Name = "ns:another"
			s.SetClassPolicy(&p)
		}},
		{"class policies crowd a priority", func(s *ofnet.State) { crowd(s, ofnet.In, ofnet.StageAdmin, ofnet.LastPriority, 3, 20) }},
		{"one of them goes", func(s *ofnet.State) { s.ClassPolicies.Delete(fmt.Sprintf("c%d-0002/in", ofnet.LastPriority)) }},
		{"class policy goes", func(s *ofnet.State) { s.ClassPolicies.Delete("first/in") }},
		{"class policy gets another priority", func(s *ofnet.State) {
			p := *s.ClassPolicies.Get("first/in")
			p.Priority = 9
			s.SetClassPolicy(&p)
		}},
		{"endpoint here gets limits", func(s *ofnet.State) {
			e := *s.Endpoints.Get("v1")
			e.Limits = ofnet.Limits{Rate: 100, ReceiveRate: 200}
			s.Endpoints.Set("v1", &e)
		}},
		{"endpoint here gets another class", func(s *ofnet.State) {
			e := *s.Endpoints.Get("v1")
			e.Class, e.Isolated = 7, 0
			s.Endpoints.Set("v1", &e)
		}},
		{"endpoint elsewhere gets a class", func(s *ofnet.State) {
			e := *s.Endpoints.Get("a3")
			e.Class = 6
			s.Endpoints.Set("a3", &e)
		}},
		{"tenant is judged otherwise", func(s *ofnet.State) { s.Judgements.Set("violet", &ofnet.Judgement{Tenant: "violet", Sum: 8}) }},
		{"tenant is judged no longer", func(s *ofnet.State) { s.Judgements.Delete("violet") }},
		{"host gets an address", func(s *ofnet.State) { s.Own = append(slices.Clone(s.Own), netip.MustParseAddr("fd00::2")) }},
		{"hosts meet endpoints", func(s *ofnet.State) { s.Direct = true }},
		{"host has an address of its own", func(s *ofnet.State) {
			s.Direct = true
			h := *s.Hosts.Get("h2")
			h.Node4 = netip.MustParseAddr("10.254.0.2")
			s.Hosts.Set("h2", &h)
		}},
		{"uplink comes", func(s *ofnet.State) {
			s.Local.Uplink = 1003
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := testState(t)
			before, compiled := s.Clone(), newParts(p, s)
			row.change(s)
			compiled.follow(p, before, s)
			if d := compiled.wrong(p, s); d != "" {
				t.Errorf("flows of what is affected: want those of all, missing or wrong by %s", d)
			}
		})
	}
}

// chance makes random changes of a State, out of what another one has.
type chance struct {
	*rand.Rand
	first *ofnet.State
}

// pick is one of the keys of a table.
func pick[K comparable, V any](c chance, t *table.Table[K, V]) K {
	keys := make([]K, 0, t.Len())
	for key := range t.All() {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b K) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return keys[c.IntN(len(keys))]
}

// vary deletes a row, puts it back as it was first, or has alter change a copy of it.
func vary[K comparable, V any](c chance, now, first *table.Table[K, *V], set func(K, *V), alter func(*V)) {
	name := pick(c, first)
	row := *first.Get(name)
	switch c.IntN(4) {
	case 0:
		now.Delete(name)
		return
	case 1:
	default:
		alter(&row)
	}
	set(name, &row)
}

func (c chance) tag() byte { return byte(1 + c.IntN(200)) }

// endpoint moves one to another host, and gives it another group or network, at times.
func (c chance) endpoint(s *ofnet.State) {
	vary(c, s.Endpoints, c.first.Endpoints, func(id string, e *ofnet.Endpoint) { s.Endpoints.Set(id, e) }, func(e *ofnet.Endpoint) {
		if e.Host = pick(c, c.first.Hosts); e.Host == s.Self {
			e.Port = uint32(100 + slices.Index(slices.Sorted(keysOf(c.first.Endpoints)), e.ID))
		} else {
			e.Port = 0
		}
		if c.IntN(3) == 0 {
			e.Group = pick(c, c.first.Groups)
		}
		if c.IntN(5) == 0 {
			at := byte(1 + slices.Index(slices.Sorted(keysOf(c.first.Endpoints)), e.ID)) // no address twice
			e.Segment = pick(c, c.first.Segments)
			e.IP4, e.IP6, e.MAC = netip.AddrFrom4([4]byte{10, 250, 0, at}), netip.Addr{}, ofnet.MAC{2, 2, 10, 250, 0, at}
		}
	})
}

func keysOf[V any](t *table.Table[string, V]) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range t.All() {
			if !yield(name) {
				return
			}
		}
	}
}

// change makes one change of any sort.
func (c chance) change(s *ofnet.State) (what string) {
	sorts := []struct {
		name string
		do   func()
	}{
		{"endpoint", func() { c.endpoint(s) }},
		{"endpoint", func() { c.endpoint(s) }},
		{"endpoint", func() { c.endpoint(s) }},
		{"group", func() {
			vary(c, s.Groups, c.first.Groups, func(k string, g *ofnet.Group) { s.Groups.Set(k, g) }, func(g *ofnet.Group) {
				g.ID, g.Profile = g.ID+1000*uint32(c.IntN(3)), ofnet.Profile{ReceiveRate: uint32(c.IntN(2)) * 1000, DSCP: uint8(c.IntN(2))}
			})
		}},
		{"rule", func() {
			vary(c, s.Rules, c.first.Rules, func(k identity.Rule, r *ofnet.Rule) { s.Rules.Set(k, r) }, func(r *ofnet.Rule) {
				r.Direction, r.Priority = ofnet.Direction(1+c.IntN(3)), uint8(1+c.IntN(3))
				r.PeerGroup, r.PeerNetwork = "", ""
				switch c.IntN(3) {
				case 0:
					r.PeerGroup = pick(c, c.first.Groups)
				case 1:
					r.PeerNetwork = pick(c, c.first.Segments)
				}
			})
		}},
		{"attachment", func() {
			var at identity.Attachment
			at.Tenant, at.Name, at.Policy = "green", []string{"app", "far"}[c.IntN(2)], []string{"app", "far"}[c.IntN(2)]
			if c.IntN(2) == 0 {
				s.Attachments.Delete(at)
			} else {
				s.Attach(at)
			}
		}},
		{"service", func() {
			vary(c, s.Services, c.first.Services, func(_ string, v *ofnet.Service) { s.SetService(v) }, func(v *ofnet.Service) {
				v.Tenant, v.Affinity = pick(c, c.first.Tenants), ofnet.Affinity{Client: c.IntN(2) == 0, Timeout: time.Duration(c.IntN(2)) * time.Minute}
				v.ClusterLocal, v.ExternalLocal = c.IntN(2) == 0, c.IntN(2) == 0
				list := ofnettest.Backends(v)
				if ofnettest.SetBackends(v, list[c.IntN(len(list)+1):]...); len(v.Ports) == 0 {
					return
				}
				for i := range v.Ports[0].Backends {
					b := &v.Ports[0].Backends[i]
					b.Draining, b.Far = c.IntN(3) == 0, c.IntN(3) == 0
					if c.IntN(3) == 0 {
						b.Host = pick(c, c.first.Hosts)
					}
				}
			})
		}},
		{"segment", func() {
			vary(c, s.Segments, c.first.Segments, func(k string, n *ofnet.Segment) { s.Segments.Set(k, n) }, func(n *ofnet.Segment) {
				n.ARP, n.Tenant = ofnet.ARPMode(1+c.IntN(2)), pick(c, c.first.Tenants)
				n.First4, n.Last4 = n.Prefix4.Addr(), n.Prefix4.Addr().Next()
			})
		}},
		{"host", func() {
			vary(c, s.Hosts, c.first.Hosts, func(k string, h *ofnet.Host) { s.Hosts.Set(k, h) }, func(h *ofnet.Host) {
				h.Node4 = netip.AddrFrom4([4]byte{10, 254, byte(c.IntN(3)), h.Label[len(h.Label)-1]})
				h.VTEP, h.UplinkMAC = netip.AddrFrom4([4]byte{192, 168, byte(len(h.Label)), h.Label[len(h.Label)-1]}), ofnet.MAC{2, 9, 9, 9, 9, c.tag()}
			})
		}},
		{"tenant", func() {
			vary(c, s.Tenants, c.first.Tenants, func(k string, t *ofnet.Tenant) { s.Tenants.Set(k, t) }, func(*ofnet.Tenant) {})
		}},
		{"router", func() {
			s.Router = &ofnet.Router{Tenant: pick(c, c.first.Tenants), Port: 1100, MAC: ofnet.MAC{2, 0xaa, 0, 0, 1, c.tag()}, Addr: netip.MustParseAddr("50.1.1.2")}
			if c.IntN(3) == 0 {
				s.Router = nil
			}
		}},
		{"route", func() {
			vary(c, s.Routes, c.first.Routes, func(k string, r *ofnet.Route) { s.Routes.Set(k, r) },
				func(r *ofnet.Route) { r.Via = pick(c, c.first.NextHops) })
		}},
		{"next hops", func() {
			vary(c, s.NextHops, c.first.NextHops, func(k string, n *ofnet.NextHops) { s.NextHops.Set(k, n) }, func(n *ofnet.NextHops) {
				n.Hops = slices.Clone(n.Hops)
				n.Hops[0].MAC = ofnet.MAC{14, 0, 0, 0, 0, c.tag()}
			})
		}},
		{"ports", func() {
			s.Local = c.first.Local
			switch c.IntN(5) {
			case 0:
				s.Local.Tunnel = 0
			case 1:
				s.Local.Uplink, s.Local.Backup = 0, nil
			case 2:
				s.Local.Backup = []uint32{1003}
			case 3:
				s.Local.Backup, s.Local.Active = []uint32{1003}, 1003
			}
		}},
		{"hosts and endpoints", func() { s.Direct = !s.Direct }},
		{"private subnet", func() { s.Private = netip.PrefixFrom(netip.AddrFrom4([4]byte{172, 16 + byte(c.IntN(3))}), 16) }},
	}
	sort := sorts[c.IntN(len(sorts))]
	sort.do()
	return sort.name
}

// TestAffectedAtRandom lets everything in a State come, go, move and change, several at a time: compiling the owners that each feature's
// inputs name must give what compiling all gives, after each step.
func TestAffectedAtRandom(t *testing.T) {
	p, s := Default(), testState(t)
	routers := ofnettest.Parse(t, `
router own tenant=blue port=1100 mac=02:aa:00:00:01:01 ip=50.1.1.2
nexthops two id=1 hops=50.1.1.200@0e:00:00:00:00:07,50.1.1.201@0e:00:00:00:00:08
route 20.0.0.0/8 via=50.1.1.202 mac=0e:00:00:00:00:09
route 21.0.0.0/8 via=two`)
	s.Router, s.Routes, s.NextHops = routers.Router, routers.Routes, routers.NextHops
	compiled := newParts(p, s)
	c := chance{rand.New(rand.NewPCG(3, 4)), s.Clone()}
	for step := range 1000 {
		before := s.Clone()
		var changes []string
		for range 1 + c.IntN(3) {
			changes = append(changes, c.change(s))
		}
		compiled.follow(p, before, s)
		if d := compiled.wrong(p, s); d != "" {
			t.Fatalf("step %d, after a change of %v: want the flows of all, missing or wrong by %s", step, changes, d)
		}
	}
}

// affected lists the owners of a change, each once.
func affected(p *Pipeline, before, after *ofnet.State) (out []ofnet.Key) {
	p.Affected(before, after, func(k ofnet.Key) {
		if !slices.Contains(out, k) {
			out = append(out, k)
		}
	})
	return out
}

// Changes on a host with other endpoints of the network do not affect the network's lists.
func TestEndpointElsewhereAffectsItself(t *testing.T) {
	p, s := Default(), ofnettest.Many(10, 190)
	e := ofnettest.Endpoint(1<<20, 200)
	e.Segment, e.Host, e.Port = "t:n0", "h7", 0
	before := s.Clone()
	s.Endpoints.Set(e.ID, e)
	for _, row := range []struct{ before, after *ofnet.State }{{before, s}, {s, before}} { // it comes, and it goes
		if got := affected(p, row.before, row.after); !slices.Equal(got, []ofnet.Key{e.Key()}) {
			t.Errorf("want only it, got %v", got)
		}
	}
}
