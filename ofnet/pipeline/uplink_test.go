// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// twoUplinks is the State of testdata with a second member of the trunk.
func twoUplinks(t *testing.T) *ofnet.State {
	t.Helper()
	text, err := os.ReadFile("testdata/state.txt")
	if err != nil {
		t.Fatal(err)
	}
	return ofnettest.Parse(t, string(text)+"\nports tunnel=1000 uplink=1001 host=1002 backup=1003\n")
}

// Everything goes out by the group, and comes in by both members; packets for many only by the active one.
func TestUplinks(t *testing.T) {
	p := pipeline.Default()
	s := twoUplinks(t)
	for _, row := range []struct{ active, silent string }{{"1001", "1003"}, {"1003", "1001"}} {
		if s.Local.Active = 0; row.active == "1003" {
			s.Local.Active = 1003
		}
		var lines []string
		set := p.CompileAll(s)
		for i := range set.Flows {
			lines = append(lines, set.Flows[i].String())
		}
		text := strings.Join(lines, "\n")
		if strings.Contains(text, "output:1001") || strings.Contains(text, "output:1003") {
			t.Error("a flow goes past the group")
		}
		for _, in := range []string{"1001", "1003"} {
			if n := strings.Count(text, "in_port="+in+",dl_vlan=") + strings.Count(text, "in_port="+in+",vlan_tci="); n != 4 {
				t.Errorf("flows that take frames from %s: want one a VLAN, 4, got %d", in, n)
			}
			drops := strings.Contains(text, "priority=150,in_port="+in+",dl_dst=01:00:00:00:00:00/01:00:00:00:00:00 actions=drop")
			if drops != (in == row.silent) {
				t.Errorf("active %s: frames for many from %s are dropped: %v", row.active, in, drops)
			}
		}
		at := slices.IndexFunc(set.Groups, func(g flow.Group) bool { return g.Type == flow.GroupFailover })
		if at < 0 || set.Groups[at].Buckets.Len() != 2 {
			t.Fatalf("want one group with two buckets, got %v", set.Groups)
		}
		first := uint32(1001)
		for b := range set.Groups[at].Buckets.All {
			if b.WatchPort != first {
				t.Errorf("bucket: want %d watched, got %d", first, b.WatchPort)
			}
			first += 2
		}
	}
}

// Of a channel every member in step is taken for what goes out and what comes in; one out of step brings nothing for many.
func TestChannel(t *testing.T) {
	p := pipeline.Default()
	for _, row := range []struct {
		name    string
		channel []uint32
		drops   []string
	}{
		{"both", []uint32{1001, 1003}, nil},
		{"the first is out of step", []uint32{1003}, []string{"1001"}},
		{"the second is out of step", []uint32{1001}, []string{"1003"}},
	} {
		s := twoUplinks(t)
		s.Local.Channel, s.Local.Active = row.channel, row.channel[0]
		set := p.CompileAll(s)
		var drops []string
		for i := range set.Flows {
			text := set.Flows[i].String()
			for _, in := range []string{"1001", "1003"} {
				if strings.Contains(text, "output:"+in) {
					t.Errorf("%s: a flow goes past the group: %s", row.name, text)
				}
				if strings.Contains(text, "priority=150,in_port="+in+",dl_dst=01:00:00:00:00:00/01:00:00:00:00:00 actions=drop") {
					drops = append(drops, in)
				}
			}
		}
		if !slices.Equal(drops, row.drops) {
			t.Errorf("%s: want frames for many from %v dropped, got %v", row.name, row.drops, drops)
		}
		at := slices.IndexFunc(set.Groups, func(g flow.Group) bool { return g.ID == 0x04000000 })
		if at < 0 || set.Groups[at].Type != flow.GroupSelect {
			t.Fatalf("%s: want a group that selects, got %v", row.name, set.Groups)
		}
		var watched []uint32
		for b := range set.Groups[at].Buckets.All {
			if b.Weight != 1 || b.Actions.String() != flow.Do(flow.Output(b.WatchPort)).String() {
				t.Errorf("%s: bucket %+v: want one of weight 1 that leads to the port that it watches", row.name, b)
			}
			watched = append(watched, b.WatchPort)
		}
		if !slices.Equal(watched, []uint32{1001, 1003}) {
			t.Errorf("%s: want every member watched, got %v", row.name, watched)
		}
	}
}

// A change of the active member is a change of few flows.
func TestUplinkTouches(t *testing.T) {
	s := twoUplinks(t)
	before := s.Clone()
	s.Local.Active = 1003
	var got []ofnet.Key
	pipeline.Default().Affected(before, s, func(k ofnet.Key) { got = append(got, k) })
	if len(got) == 0 || slices.ContainsFunc(got, func(k ofnet.Key) bool { return k.Kind != ofnet.KindUplink && k.Kind != ofnet.KindProbes }) {
		t.Errorf("want only the uplink and the receiver of its probes, got %v", got)
	}
}

// Endpoints on VLANs are announced, each by its network's tag; where the host routes, by the host's address.
func TestAnnouncements(t *testing.T) {
	s := twoUplinks(t)
	had := pipeline.Announcements(s)
	got := map[string]string{}
	for _, a := range had {
		got[a.Addr.String()] += hex(a.MAC) + " " + a.Actions.String() + ";"
	}
	for addr, want := range map[string]string{
		"10.7.0.2": "02:02:68:01:00:02 push_vlan:0x8100,set_field:4108->vlan_vid,output:1001;",
		"fd02::1":  "02:02:67:01:00:01 push_vlan:0x8100,set_field:4107->vlan_vid,output:1001;",
		"10.5.0.1": "02:aa:00:00:00:01 push_vlan:0x8100,set_field:4111->vlan_vid,output:1001;",
		"10.1.0.1": "", // in a tunnel
		"10.2.0.2": "", // elsewhere
	} {
		if got[addr] != want {
			t.Errorf("%s: want %q, got %q", addr, want, got[addr])
		}
	}
	s.Local.Active = 1003
	for key := range pipeline.Announcements(s) {
		if _, ok := had[key]; ok {
			t.Errorf("another uplink: want all announced again, got the key %q of before", key)
		}
	}
}
