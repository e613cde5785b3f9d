// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"flag"
	"fmt"
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

var update = flag.Bool("update", false, "write the flows of the tests as the expected ones")

// testState is the State of testdata/state.txt, with the services of testdata/services.txt and the policies of testdata/classes.txt.
func testState(tb testing.TB) *ofnet.State {
	tb.Helper()
	var all string
	for _, name := range []string{"testdata/state.txt", "testdata/services.txt", "testdata/classes.txt"} {
		text, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		all += string(text)
	}
	return ofnettest.Parse(tb, all)
}

// directState is the State of testdata/directstate.txt, in which hosts and endpoints meet by their own addresses.
func directState(tb testing.TB) *ofnet.State {
	tb.Helper()
	text, err := os.ReadFile("testdata/directstate.txt")
	if err != nil {
		tb.Fatal(err)
	}
	return ofnettest.Parse(tb, string(text))
}

// TestFeatureFlows compares what each feature contributes with testdata/FEATURE.txt, owner by owner.
func TestFeatureFlows(t *testing.T) {
	p := Default()
	for _, f := range p.Features() {
		t.Run(f.Name(), func(t *testing.T) {
			s := testState(t)
			if _, ok := f.(direct); ok {
				s = directState(t)
			}
			var got strings.Builder
			for _, table := range f.Tables() {
				fmt.Fprintf(&got, "# table %d %s, else %s\n", table.ID, table.Name, table.Miss.Text(p.Tables()))
			}
			for _, owner := range p.Owners(s) {
				text := flowsOf(f, s, owner).Text(p.Tables())
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
		"hosts met":    directState(t),
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
		{"no tenants", func(s *ofnet.State) { s.Tenants = ofnet.NewState("").Tenants }},
		{"no networks", func(s *ofnet.State) { s.Segments = ofnet.NewState("").Segments }},
		{"no hosts", func(s *ofnet.State) { s.Hosts = ofnet.NewState("").Hosts }},
		{"no groups", func(s *ofnet.State) { s.Groups = ofnet.NewState("").Groups }},
		{"no endpoints", func(s *ofnet.State) { s.Endpoints = ofnet.NewState("").Endpoints }},
		{"no ports", func(s *ofnet.State) { s.Local = ofnet.Ports{} }},
		{"no addresses", func(s *ofnet.State) {
			for id, e := range s.Endpoints.Clone().All() {
				bare := *e
				bare.IP4, bare.IP6 = netip.Addr{}, netip.Addr{}
				s.Endpoints.Set(id, &bare)
			}
			for name, n := range s.Segments.Clone().All() {
				bare := *n
				bare.Prefix4, bare.Gateway4, bare.Prefix6, bare.Gateway6 = netip.Prefix{}, netip.Addr{}, netip.Prefix{}, netip.Addr{}
				s.Segments.Set(name, &bare)
			}
		}},
		{"ports unknown yet", func(s *ofnet.State) {
			for id, e := range s.Endpoints.Clone().All() {
				bare := *e
				bare.Port = 0
				s.Endpoints.Set(id, &bare)
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

// TestLongFloodLists checks that long lists, of receivers here and of other hosts, become chains whose parts hold everyone once.
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

// partsOf returns the sizes of the parts of the lists of a segment with n members here, and one on each of n other hosts, in order.
func partsOf(t *testing.T, members int) (here, elsewhere []int) {
	s := ofnettest.Parse(t, `
self h1
ports tunnel=1000
host h1 vtep=192.168.251.1
tenant blue id=1
network blue:vx id=0x123456 vxlan=5001 bridge flood net=10.0.0.0/8`)
	for i := range members {
		e, other := ofnettest.Endpoint(i, members), ofnettest.Endpoint(members+i, members)
		e.Segment, e.Host = "blue:vx", "h1"
		other.Segment, other.Host = "blue:vx", fmt.Sprint("other", i)
		s.Endpoints.Set(e.ID, e)
		s.Endpoints.Set(other.ID, other)
		s.Hosts.Set(other.Host, &ofnet.Host{Label: other.Host, VTEP: netip.AddrFrom4([4]byte{172, 16, byte(i >> 8), byte(i)})})
	}
	ids := map[uint32]bool{}
	list := func(kind ofnet.Kind) (sizes []int) {
		for _, g := range Default().Compile(s, ofnet.Key{Kind: kind, Name: "blue:vx"}).Groups {
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
