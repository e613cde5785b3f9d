// SPDX-License-Identifier: Apache-2.0

package vswitch

import (
	"reflect"
	"slices"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet/ovsdb"
	"github.com/contiv/contiv/ofnet/vswitchd"
)

// fakePorts are ports by name, and whether they have a link.
type fakePorts map[string]bool

func (f fakePorts) Port(name string) (ovsdb.Port, bool) {
	up, ok := f[name]
	return ovsdb.Port{Name: name, Up: up}, ok
}

func TestActiveUplink(t *testing.T) {
	nics := []string{"a", "b", "c"}
	for _, row := range []struct {
		name  string
		ports fakePorts
		want  int
	}{
		{"all", fakePorts{"a": true, "b": true, "c": true}, 0},
		{"the first is pulled", fakePorts{"a": false, "b": true, "c": true}, 1},
		{"only the last", fakePorts{"a": false, "b": false, "c": true}, 2},
		{"none", fakePorts{"a": false, "b": false, "c": false}, 0},
		{"the first has gone", fakePorts{"b": true}, 1},
		{"nothing is known yet", fakePorts{}, 0},
	} {
		if got := activeUplink(row.ports, nics); got != row.want {
			t.Errorf("%s: want %d, got %d", row.name, row.want, got)
		}
	}
}

// The agreement of LACP decides; while the other side is silent, links do.
func TestTrunk(t *testing.T) {
	nics, partner := []string{"a", "b"}, "06:72:6e:ad:f7:ed"
	up, down := fakePorts{"a": true, "b": true}, fakePorts{"a": false, "b": true}
	good := func(name string) vswitchd.Member {
		return vswitchd.Member{Name: name, Status: "current", Attached: true, Enabled: true, Partner: partner}
	}
	member := func(name, status string, attached, enabled bool) vswitchd.Member {
		return vswitchd.Member{Name: name, Status: status, Attached: attached, Enabled: enabled}
	}
	for _, row := range []struct {
		name    string
		ports   fakePorts
		agreed  vswitchd.Bond
		active  int
		channel []int
		shown   []string
	}{
		{"no LACP", down, vswitchd.Bond{}, 1, nil, []string{"a (no link)", "b"}},
		{"all", up, vswitchd.Bond{Negotiated: true, Members: []vswitchd.Member{good("b"), good("a")}}, 0, []int{0, 1}, []string{"a", "b"}},
		{"one is pulled", down, vswitchd.Bond{Negotiated: true, Members: []vswitchd.Member{member("a", "current", true, false), good("b")}}, 1, []int{1}, []string{"a (no link)", "b"}},
		{"one has gone silent", up, vswitchd.Bond{Negotiated: true, Members: []vswitchd.Member{member("a", "expired", false, false), good("b")}}, 1, []int{1}, []string{"a (expired detached)", "b"}},
		{"all have gone silent", up, vswitchd.Bond{Negotiated: true, Members: []vswitchd.Member{member("a", "expired", true, false), member("b", "expired", true, false)}}, 0, nil, []string{"a (expired)", "b (expired)"}},
		{"no partner speaks", down, vswitchd.Bond{Members: []vswitchd.Member{member("a", "defaulted", true, false), member("b", "defaulted", true, true)}}, 1, nil, []string{"a (no link)", "b (defaulted)"}},
		{"another port's", up, vswitchd.Bond{Negotiated: true, Members: []vswitchd.Member{good("c")}}, 0, nil, []string{"a", "b (reserve)"}},
	} {
		got := stateOf(row.ports, nics, row.agreed)
		var shown []string
		for _, u := range got.status(row.ports, nics) {
			shown = append(shown, u.String())
		}
		if got.active != row.active || !slices.Equal(got.channel, row.channel) || !slices.Equal(shown, row.shown) {
			t.Errorf("%s: want %d, %v, %q, got %d, %v, %q", row.name, row.active, row.channel, row.shown, got.active, got.channel, shown)
		}
	}
	all := stateOf(up, nics, vswitchd.Bond{Negotiated: true, Members: []vswitchd.Member{good("a"), good("b")}})
	want := []model.Uplink{{Name: "a", Link: true, Active: true, LACP: "current", Partner: partner, Port: 1001},
		{Name: "b", Link: true, Active: true, LACP: "current", Partner: partner, Port: 1003}}
	if got := all.status(up, nics); !reflect.DeepEqual(got, want) {
		t.Errorf("status: want %+v, got %+v", want, got)
	}
}

func TestUplinkSpecs(t *testing.T) {
	names := func(specs []ovsdb.PortSpec) (ports, interfaces []string, numbers []uint32) {
		for _, s := range specs {
			ports = append(ports, s.Name)
			for _, i := range s.Interfaces() {
				interfaces, numbers = append(interfaces, i.Name), append(numbers, i.OFPort)
			}
		}
		return ports, interfaces, numbers
	}
	for _, row := range []struct {
		bond  string
		nics  []string
		ports []string
	}{
		{BondBackup, []string{"a", "b", "c"}, []string{"a", "b", "c"}},
		{BondLACP, []string{"a", "b", "c"}, []string{channelPort}},
		{BondLACP, []string{"a"}, []string{"a"}},
		{"", nil, nil},
	} {
		ports, interfaces, numbers := names((&UplinkSettings{NICs: row.nics, Bond: row.bond}).Specs())
		if !slices.Equal(ports, row.ports) || !slices.Equal(interfaces, row.nics) || !slices.Equal(numbers, []uint32{1001, 1003, 1004}[:len(row.nics)]) {
			t.Errorf("%s %v: want ports %v, got %v of %v, %v", row.bond, row.nics, row.ports, ports, interfaces, numbers)
		}
	}
}

// Of the database's changes those of links matter, and a NIC that is gone has none.
func TestLinksOf(t *testing.T) {
	nics := []string{"a", "b"}
	for want, ports := range map[string]fakePorts{"++": {"a": true, "b": true, "vv1": true}, "-+": {"a": false, "b": true}, "+-": {"a": true}} {
		if got := linksOf(ports, nics); got != want {
			t.Errorf("links of %v: want %s, got %s", ports, want, got)
		}
	}
}
