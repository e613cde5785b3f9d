// SPDX-License-Identifier: Apache-2.0

package ovsdb_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet/ovsdb"
	"github.com/contiv/contiv/ofnet/ovstest"
)

// bonded is the spec of a bond of these NICs, numbered from 1001 on.
func bonded(nics ...string) ovsdb.PortSpec {
	var members []ovsdb.PortSpec
	for i, nic := range nics {
		members = append(members, ovsdb.UplinkSpec(nic, uint32(1001+i)))
	}
	return ovsdb.LACPSpec("uplinkPort", members...)
}

func addBond(t *testing.T, ctx context.Context, s *ovsdb.Switch, spec ovsdb.PortSpec) {
	t.Helper()
	if err := s.AddPort(ctx, spec); err != nil {
		t.Fatal(err)
	}
	for _, i := range spec.Interfaces() {
		if got, err := s.WaitPort(ctx, i.Name); err != nil || got.OFPort != i.OFPort {
			t.Fatalf("%s: want number %d, got %d, %v", i.Name, i.OFPort, got.OFPort, err)
		}
	}
}

// FLT-09: NICs that were ports by themselves become one port and keep their numbers, members come and go, and the port goes as
// one.
func TestBond(t *testing.T) {
	o := ovstest.Start(t)
	ctx, c := live(t, o)
	s := ensured(t, ctx, c)
	for _, nic := range []string{"u1", "u2", "u3"} {
		veth(o, nic)
	}
	for i, nic := range []string{"u1", "u2"} {
		if _, err := s.EnsurePort(ctx, ovsdb.UplinkSpec(nic, uint32(1001+i))); err != nil {
			t.Fatal(err)
		}
	}
	ports := func() string { return strings.Join(strings.Fields(o.Vsctl("list-ports", bridge)), " ") }
	for range 2 { // a repeat changes nothing
		addBond(t, ctx, s, bonded("u1", "u2"))
		if got := ports(); got != "uplinkPort" {
			t.Errorf("ports: want only the bond, got %s", got)
		}
	}
	for column, want := range map[string]string{"bond_mode": "balance-tcp", "lacp": "active",
		"other_config": `{lacp-fallback-ab="true", lacp-time=fast}`} {
		if got := strings.TrimSpace(o.Vsctl("get", "port", "uplinkPort", column)); got != want {
			t.Errorf("column %s: want %s, got %s", column, want, got)
		}
	}
	addBond(t, ctx, s, bonded("u1", "u2", "u3"))
	if got := s.Bonds(); !maps.Equal(got, map[string]string{"u1": "uplinkPort", "u2": "uplinkPort", "u3": "uplinkPort"}) {
		t.Errorf("members: want three of uplinkPort, got %v", got)
	}
	addBond(t, ctx, s, bonded("u1", "u2"))
	if got := s.Bonds(); !maps.Equal(got, map[string]string{"u1": "uplinkPort", "u2": "uplinkPort"}) {
		t.Errorf("members: want two of uplinkPort, got %v", got)
	}
	if err := s.RemovePort(ctx, "uplinkPort"); err != nil {
		t.Fatal(err)
	}
	if got := ports(); got != "" {
		t.Errorf("ports: want none, got %s", got)
	}
	if _, err := s.EnsurePort(ctx, ovsdb.UplinkSpec("u1", 1001)); err != nil {
		t.Errorf("a former member as a port by itself: %v", err)
	}
}

// A port of an endpoint does not become a member of a bond.
func TestBondLeavesEndpoints(t *testing.T) {
	o := ovstest.Start(t)
	ctx, c := live(t, o)
	s := ensured(t, ctx, c)
	veth(o, "v1")
	veth(o, "u2")
	if _, err := s.EnsurePort(ctx, endpoint("v1", 1)); err != nil {
		t.Fatal(err)
	}
	if err := s.AddPort(ctx, bonded("v1", "u2")); err == nil || !strings.Contains(err.Error(), "default:net:v1") {
		t.Errorf("want an error that names the endpoint, got %v", err)
	}
}

// Changes of others to a bond are reported and repaired; their additions to other_config stay.
func TestDriftOfBond(t *testing.T) {
	o := ovstest.Start(t)
	ctx, c := live(t, o)
	s := ensured(t, ctx, c)
	for _, nic := range []string{"u1", "u2", "u3"} {
		veth(o, nic)
	}
	addBond(t, ctx, s, bonded("u1", "u2"))
	o.Vsctl("set", "port", "uplinkPort", "other_config:lacp-system-priority=7")
	for _, row := range []struct{ name, command, was, want string }{
		{"mode and rate", "set port uplinkPort lacp=passive other_config:lacp-time=slow", "lacp=passive other_config:lacp-time=slow", "lacp=active other_config:lacp-time=fast"},
		{"a member's number", "set interface u2 ofport_request=77", "u2:ofport_request=77", "u2:ofport_request=1002"},
		{"a member more", "add-bond-iface uplinkPort u3", "interfaces=u1,u2,u3", "interfaces=u1,u2"},
		{"a member less", "del-bond-iface uplinkPort u2", "interfaces=u1", "interfaces=u1,u2"},
		{"gone", "del-port contiv0 uplinkPort", "", "interfaces=u1,u2"},
	} {
		o.Vsctl(strings.Fields("--no-wait -- " + row.command)...)
		var got []ovsdb.PortDrift
		poll(t, ctx, func() bool {
			got = s.Drift()
			return len(got) > 0
		})
		d := got[0]
		if len(got) != 1 || d.Name != "uplinkPort" || d.Gone != (row.was == "") || strings.Join(d.Was, " ") != row.was || strings.Join(d.Want, " ") != row.want {
			t.Errorf("%s: want %s to be %s, got %+v", row.name, row.was, row.want, got)
		}
		if err := s.Repair(ctx, "uplinkPort"); err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
		poll(t, ctx, func() bool { return len(s.Drift()) == 0 })
		if got := o.Vsctl("get", "port", "uplinkPort", "other_config"); !d.Gone && !strings.Contains(got, "lacp-system-priority") {
			t.Errorf("%s: another's setting has gone: %s", row.name, got)
		}
	}
}
