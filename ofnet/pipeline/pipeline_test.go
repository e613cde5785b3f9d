package pipeline

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ofnettest"
)

var update = flag.Bool("update", false, "write the flows of the tests as the ones that are wanted")

// testState is the State of testdata/state.txt, with the services of testdata/services.txt.
func testState(tb testing.TB) *ofnet.State {
	tb.Helper()
	var all string
	for _, name := range []string{"testdata/state.txt", "testdata/services.txt"} {
		text, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		all += string(text)
	}
	return ofnettest.Parse(tb, all)
}

// TestFeatureFlows compares what each feature contributes with testdata/FEATURE.txt, owner by owner.
func TestFeatureFlows(t *testing.T) {
	s := testState(t)
	p := Default()
	for _, f := range p.Features() {
		t.Run(f.Name(), func(t *testing.T) {
			var got strings.Builder
			for _, table := range f.Tables() {
				fmt.Fprintf(&got, "# table %d %s, else %s\n", table.ID, table.Name, table.Miss.Text(p.Tables()))
			}
			for _, owner := range p.Owners(s) {
				text := f.Flows(s, owner).Text(p.Tables())
				if text != "" {
					fmt.Fprintf(&got, "\n# %s\n%s", owner, strings.ReplaceAll(text, "cookie=0x0,", ""))
				}
			}
			path := filepath.Join("testdata", f.Name()+".txt")
			if *update {
				if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != string(want) {
				t.Errorf("flows of %s differ from %s (go test -update writes them)\nwant\n%s\ngot\n%s", f.Name(), path, want, got.String())
			}
		})
	}
}

func TestCompileAllIsConsistent(t *testing.T) {
	for name, s := range map[string]*ofnet.State{
		"all features": testState(t),
		"empty":        ofnet.NewState("h1"),
		"large":        ofnettest.Many(900, 300),
	} {
		t.Run(name, func(t *testing.T) {
			all := Default().CompileAll(s)
			if err := all.Check(); err != nil {
				t.Errorf("set: want one that a switch takes, got %v", err)
			}
			again, err := flow.ParseSet(all.Text(Default().Tables()), Default().Tables())
			if err != nil {
				t.Fatal(err)
			}
			if d := flow.Diff(all, again); !d.Empty() {
				t.Errorf("set read back from its text: want the same, got a difference\n%s", d.String())
			}
		})
	}
}

// TestHoles takes one thing after the other out of the State: what depends on it must fall away without a panic.
func TestHoles(t *testing.T) {
	p := Default()
	for _, hole := range []struct {
		name string
		make func(s *ofnet.State)
	}{
		{"no tenants", func(s *ofnet.State) { clear(s.Tenants) }},
		{"no networks", func(s *ofnet.State) { clear(s.Segments) }},
		{"no hosts", func(s *ofnet.State) { clear(s.Hosts) }},
		{"no groups", func(s *ofnet.State) { clear(s.Groups) }},
		{"no endpoints", func(s *ofnet.State) { clear(s.Endpoints) }},
		{"no ports", func(s *ofnet.State) { s.Local = ofnet.Ports{} }},
		{"no addresses", func(s *ofnet.State) {
			for _, e := range s.Endpoints {
				e.IP4, e.IP6 = netip.Addr{}, netip.Addr{}
			}
			for _, n := range s.Segments {
				n.Prefix4, n.Gateway4, n.Prefix6, n.Gateway6 = netip.Prefix{}, netip.Addr{}, netip.Prefix{}, netip.Addr{}
			}
		}},
		{"ports unknown yet", func(s *ofnet.State) {
			for _, e := range s.Endpoints {
				e.Port = 0
			}
		}},
	} {
		t.Run(hole.name, func(t *testing.T) {
			s := testState(t)
			hole.make(s)
			all := p.CompileAll(s)
			if err := all.Check(); err != nil {
				t.Errorf("set: want one that a switch takes, got %v", err)
			}
			for _, f := range all.Flows {
				if f.Match.Has(flow.InPort) {
					if port, _ := f.Match.Uint(flow.InPort); port == 0 {
						t.Errorf("flow: want none for port 0, got %s", f)
					}
				}
			}
		})
	}
}

// parts are what owners cause, each as it was compiled last.
type parts map[ofnet.Key]flow.Set

func (m parts) compile(p *Pipeline, s *ofnet.State, owners []ofnet.Key) {
	for _, k := range owners {
		m[k] = p.Compile(s, k)
	}
}

// wrong prints how the parts together differ from what s asks for; "" when they do not.
func (m parts) wrong(p *Pipeline, s *ofnet.State) string {
	var got flow.Set
	for _, set := range m {
		got.Merge(set)
	}
	d := flow.Diff(p.CompileAll(s), got)
	if d.Empty() {
		return ""
	}
	return d.Text(p.Tables())
}

// TestTouched changes the State in many ways; recompiling only the touched owners must give what recompiling all
// gives.
func TestTouched(t *testing.T) {
	p := Default()
	endpoint := func(name string) []ofnet.Key { return []ofnet.Key{{Kind: ofnet.KindEndpoint, Name: name}} }
	for _, row := range []struct {
		name   string
		change func(s *ofnet.State) []ofnet.Key
	}{
		{"endpoint goes", func(s *ofnet.State) []ofnet.Key { delete(s.Endpoints, "a3"); return endpoint("a3") }},
		{"last of a host goes", func(s *ofnet.State) []ofnet.Key { delete(s.Endpoints, "f3"); return endpoint("f3") }},
		{"endpoint moves", func(s *ofnet.State) []ofnet.Key {
			e := *s.Endpoints["f1"]
			e.Host, e.Port = "h3", 0
			s.Endpoints["f1"] = &e
			return endpoint("f1")
		}},
		{"endpoint changes network", func(s *ofnet.State) []ofnet.Key {
			e := *s.Endpoints["f1"]
			e.Segment = "vx.blue"
			s.Endpoints["f1"] = &e
			return endpoint("f1")
		}},
		{"network becomes flooding", func(s *ofnet.State) []ofnet.Key {
			n := *s.Segments["vx.blue"]
			n.ARP = ofnet.Flood
			s.Segments["vx.blue"] = &n
			return []ofnet.Key{{Kind: ofnet.KindSegment, Name: "vx.blue"}}
		}},
		{"group limits what its members receive", func(s *ofnet.State) []ofnet.Key {
			g := *s.Groups["web:blue"]
			g.Profile.ReceiveRate = 1000
			s.Groups["web:blue"] = &g
			return []ofnet.Key{{Kind: ofnet.KindGroup, Name: "web:blue"}}
		}},
		{"router comes", func(s *ofnet.State) []ofnet.Key {
			s.Router = &ofnet.Router{Tenant: "red", Port: 1100, MAC: ofnet.MAC{2, 0xaa, 0, 0, 1, 1}, Addr: netip.MustParseAddr("50.1.1.2")}
			return []ofnet.Key{{Kind: ofnet.KindRouter, Name: s.Self}}
		}},
		{"tenant is tracked", func(s *ofnet.State) []ofnet.Key {
			s.Rules["r1"] = &ofnet.Rule{ID: "r1", Tenant: "blue", Group: "web:blue", Direction: ofnet.In, Priority: 5, Deny: true}
			return []ofnet.Key{{Kind: ofnet.KindRule, Name: "r1"}}
		}},
		{"last rule goes", func(s *ofnet.State) []ofnet.Key {
			delete(s.Rules, "all")
			return []ofnet.Key{{Kind: ofnet.KindRule, Name: "all"}}
		}},
		{"rule gets another priority", func(s *ofnet.State) []ofnet.Key {
			r := *s.Rules["all"]
			r.Priority = 50
			s.Rules["all"] = &r
			return []ofnet.Key{{Kind: ofnet.KindRule, Name: "all"}}
		}},
		{"rule turns round", func(s *ofnet.State) []ofnet.Key {
			r := *s.Rules["all"]
			r.Direction = ofnet.Out
			s.Rules["all"] = &r
			return []ofnet.Key{{Kind: ofnet.KindRule, Name: "all"}}
		}},
		{"rule changes group", func(s *ofnet.State) []ofnet.Key {
			r := *s.Rules["all"]
			r.Group, r.Tenant = "db:blue", "blue"
			s.Rules["all"] = &r
			return []ofnet.Key{{Kind: ofnet.KindRule, Name: "all"}}
		}},
		{"last member of a group with rules goes", func(s *ofnet.State) []ofnet.Key { delete(s.Endpoints, "g1"); return endpoint("g1") }},
		{"first member of a group with rules comes", func(s *ofnet.State) []ofnet.Key {
			e := *s.Endpoints["g2"]
			e.Group, e.Host, e.Port = "far:green", "h1", 30
			s.Endpoints["g2"] = &e
			return endpoint("g2")
		}},
		{"member changes its group", func(s *ofnet.State) []ofnet.Key {
			e := *s.Endpoints["g1"]
			e.Group = "far:green"
			s.Endpoints["g1"] = &e
			return endpoint("g1")
		}},
		{"group with rules is renumbered", func(s *ofnet.State) []ofnet.Key {
			s.Groups["app:green"] = &ofnet.Group{Name: "app:green", Tenant: "green", ID: 77}
			return []ofnet.Key{{Kind: ofnet.KindGroup, Name: "app:green"}}
		}},
		{"group with rules goes", func(s *ofnet.State) []ofnet.Key {
			delete(s.Groups, "app:green")
			return []ofnet.Key{{Kind: ofnet.KindGroup, Name: "app:green"}}
		}},
		{"tenant goes", func(s *ofnet.State) []ofnet.Key {
			delete(s.Tenants, "blue")
			return []ofnet.Key{{Kind: ofnet.KindTenant, Name: "blue"}}
		}},
		{"host changes its address", func(s *ofnet.State) []ofnet.Key {
			h := *s.Hosts["h2"]
			h.VTEP = netip.MustParseAddr("fd00::2")
			s.Hosts["h2"] = &h
			return []ofnet.Key{{Kind: ofnet.KindHost, Name: "h2"}}
		}},
		{"own host changes", func(s *ofnet.State) []ofnet.Key {
			h := *s.Hosts["h1"]
			h.UplinkMAC = ofnet.MAC{2, 9, 9, 9, 9, 9}
			s.Hosts["h1"] = &h
			return []ofnet.Key{{Kind: ofnet.KindHost, Name: "h1"}}
		}},
		{"group is renumbered", func(s *ofnet.State) []ofnet.Key {
			s.Groups["db:blue"] = &ofnet.Group{Name: "db:blue", Tenant: "blue", ID: 99}
			return []ofnet.Key{{Kind: ofnet.KindGroup, Name: "db:blue"}}
		}},
		{"service comes", func(s *ofnet.State) []ofnet.Key {
			s.Services["new:blue"] = &ofnet.Service{Name: "new:blue", Tenant: "blue", Address: netip.MustParseAddr("10.1.0.99"),
				Ports: []ofnet.ServicePort{{Protocol: ofnet.ProtocolTCP, Port: 80, Target: 80}}, Backends: []netip.Addr{netip.MustParseAddr("10.1.0.1")}}
			return []ofnet.Key{{Kind: ofnet.KindService, Name: "new:blue"}}
		}},
		{"services go", func(s *ofnet.State) (keys []ofnet.Key) {
			for name := range s.Services {
				keys = append(keys, ofnet.Key{Kind: ofnet.KindService, Name: name})
			}
			clear(s.Services)
			return keys
		}},
		{"service changes its tenant", func(s *ofnet.State) []ofnet.Key {
			v := *s.Services["shop:red"]
			v.Tenant = "blue"
			s.Services["shop:red"] = &v
			return []ofnet.Key{{Kind: ofnet.KindService, Name: "shop:red"}}
		}},
		{"backend goes", func(s *ofnet.State) []ofnet.Key {
			v := *s.Services["shop:red"]
			v.Backends = v.Backends[1:]
			s.Services["shop:red"] = &v
			return []ofnet.Key{{Kind: ofnet.KindService, Name: "shop:red"}}
		}},
		{"endpoint of a backend goes", func(s *ofnet.State) []ofnet.Key { delete(s.Endpoints, "t1"); return endpoint("t1") }},
		{"endpoint of a backend moves here", func(s *ofnet.State) []ofnet.Key {
			e := *s.Endpoints["s2"]
			e.Host, e.Port = "h1", 60
			s.Endpoints["s2"] = &e
			return endpoint("s2")
		}},
		{"endpoint gets the address of a backend", func(s *ofnet.State) []ofnet.Key {
			delete(s.Endpoints, "t2")
			e := *s.Endpoints["s3"]
			e.IP4 = netip.MustParseAddr("10.41.0.2")
			s.Endpoints["s3"] = &e
			return append(endpoint("t2"), endpoint("s3")...)
		}},
		{"network of backends goes", func(s *ofnet.State) []ofnet.Key {
			delete(s.Segments, "sl.red")
			return []ofnet.Key{{Kind: ofnet.KindSegment, Name: "sl.red"}}
		}},
		{"tenant of services goes", func(s *ofnet.State) []ofnet.Key {
			delete(s.Tenants, "red")
			return []ofnet.Key{{Kind: ofnet.KindTenant, Name: "red"}}
		}},
		{"host of backends goes", func(s *ofnet.State) []ofnet.Key {
			delete(s.Hosts, "h2")
			return []ofnet.Key{{Kind: ofnet.KindHost, Name: "h2"}}
		}},
		{"profile of a group changes", func(s *ofnet.State) []ofnet.Key {
			g := *s.Groups["slow:red"]
			g.Profile = ofnet.Profile{Rate: 7}
			s.Groups["slow:red"] = &g
			return []ofnet.Key{{Kind: ofnet.KindGroup, Name: "slow:red"}}
		}},
		{"uplink comes", func(s *ofnet.State) []ofnet.Key {
			s.Local.Uplink = 1003
			return []ofnet.Key{{Kind: ofnet.KindSwitch, Name: "h1"}}
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := testState(t)
			s.Reindex()
			compiled := parts{}
			compiled.compile(p, s, p.Owners(s))
			for _, k := range row.change(s) {
				touched := p.Touched(s, k)
				s.Touch(k)
				compiled.compile(p, s, touched)
			}
			if d := compiled.wrong(p, s); d != "" {
				t.Errorf("flows after recompiling what was touched: want those of all, missing or wrong:\n%s", d)
			}
		})
	}
}

// TestTouchedAtRandom lets endpoints come, go, move and change, several at a time: recompiling the touched owners alone must give
// what recompiling all gives, after each step.
func TestTouchedAtRandom(t *testing.T) {
	p, s := Default(), testState(t)
	s.Reindex()
	compiled := parts{}
	compiled.compile(p, s, p.Owners(s))
	ids := slices.Sorted(maps.Keys(s.Endpoints))
	first := maps.Clone(s.Endpoints)
	random := rand.New(rand.NewPCG(3, 4))
	hosts, groups := slices.Sorted(maps.Keys(s.Hosts)), append(slices.Sorted(maps.Keys(s.Groups)), "")
	segments := slices.Sorted(maps.Keys(s.Segments))
	for step := range 1500 {
		var keys []ofnet.Key
		for range 1 + random.IntN(3) {
			id := ids[random.IntN(len(ids))]
			keys = append(keys, ofnet.Key{Kind: ofnet.KindEndpoint, Name: id})
			if s.Endpoints[id] != nil && random.IntN(3) == 0 {
				delete(s.Endpoints, id)
				continue
			}
			e := *first[id]
			e.Host, e.Port = hosts[random.IntN(len(hosts))], 0
			if e.Host == s.Self {
				e.Port = uint32(100 + slices.Index(ids, id))
			}
			if random.IntN(3) == 0 {
				e.Group = groups[random.IntN(len(groups))]
			}
			if random.IntN(5) == 0 {
				e.Segment = segments[random.IntN(len(segments))]
				at := byte(1 + slices.Index(ids, id)) // no address twice
				e.IP4, e.IP6, e.MAC = netip.AddrFrom4([4]byte{10, 250, 0, at}), netip.Addr{}, ofnet.MAC{2, 2, 10, 250, 0, at}
			}
			s.Endpoints[id] = &e
		}
		var touched []ofnet.Key
		for _, k := range keys {
			touched = append(touched, p.Touched(s, k)...)
			s.Touch(k)
		}
		compiled.compile(p, s, touched)
		if d := compiled.wrong(p, s); d != "" {
			t.Fatalf("step %d, after %v: want the flows of all, missing or wrong:\n%s", step, keys, d)
		}
	}
}

// What happens on a host that has others of the network already is no business of the network's lists.
func TestEndpointElsewhereTouchesItself(t *testing.T) {
	p, s := Default(), ofnettest.Many(10, 190)
	s.Reindex()
	e := ofnettest.Endpoint(1<<20, 200)
	e.Segment, e.Host, e.Port = "n0.t", "h7", 0
	key := ofnet.Key{Kind: ofnet.KindEndpoint, Name: e.ID}
	s.Endpoints[e.ID] = e
	for range 2 { // it comes, and it goes
		if got := p.Touched(s, key); !slices.Equal(got, []ofnet.Key{key}) {
			t.Errorf("want it alone, got %v", got)
		}
		s.Touch(key)
		delete(s.Endpoints, e.ID)
	}
}

// TestLongFloodLists checks that long lists, of receivers here and of other hosts, become chains whose parts hold everybody once.
func TestLongFloodLists(t *testing.T) {
	for _, row := range []struct {
		members int
		want    []int // sizes of the parts
	}{{64, nil}, {65, []int{1, 64}}, {200, []int{8, 64, 64, 64}}, {9000, append([]int{11}, slices.Repeat([]int{101}, 89)...)}} {
		here, elsewhere := partsOf(t, row.members)
		if !slices.Equal(here, row.want) {
			t.Errorf("%d receivers: want parts %v, got %v", row.members, row.want, here)
		}
		if !slices.Equal(elsewhere, row.want) {
			t.Errorf("%d other hosts: want parts %v, got %v", row.members, row.want, elsewhere)
		}
	}
}

// partsOf are the sizes of the parts of the lists of a segment with so many members here, and one on each of as many other hosts,
// in order.
func partsOf(t *testing.T, members int) (here, elsewhere []int) {
	s := ofnettest.Parse(t, `
self h1
ports tunnel=1000
host h1 vtep=192.168.251.1
tenant blue id=1
network vx.blue id=0x123456 vxlan=5001 bridge flood net=10.0.0.0/8`)
	for i := range members {
		e, other := ofnettest.Endpoint(i, members), ofnettest.Endpoint(members+i, members)
		e.Segment, e.Host = "vx.blue", "h1"
		other.Segment, other.Host = "vx.blue", fmt.Sprint("other", i)
		s.Endpoints[e.ID], s.Endpoints[other.ID] = e, other
		s.Hosts[other.Host] = &ofnet.Host{Label: other.Host, VTEP: netip.AddrFrom4([4]byte{172, 16, byte(i >> 8), byte(i)})}
	}
	s.Reindex()
	ids := map[uint32]bool{}
	list := func(kind ofnet.Kind) (sizes []int) {
		for _, g := range Default().Compile(s, ofnet.Key{Kind: kind, Name: "vx.blue"}).Groups {
			if ids[g.ID] {
				t.Errorf("%d members: group %#x is there twice", members, g.ID)
			}
			ids[g.ID] = true
			if g.ID >= floodPart {
				sizes = append(sizes, g.Buckets.Len())
			}
			if g.ID&idMask != 0x123456 {
				t.Errorf("group id: want 0x123456 below the kind, got %#x", g.ID)
			}
		}
		slices.Sort(sizes)
		return sizes
	}
	return list(ofnet.KindReceivers), list(ofnet.KindSegment)
}

func TestNewPanicsOnSharedTable(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("two features with one table: want a panic, got none")
		}
	}()
	New(port{}, port{})
}
