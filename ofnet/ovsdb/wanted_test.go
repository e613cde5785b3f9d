// SPDX-License-Identifier: Apache-2.0

package ovsdb_test

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet/ovsdb"
	"github.com/contiv/contiv/ofnet/ovstest"
)

// Manual changes are reported with their settings, and repaired; a deliberately removed port stays away.
func TestDriftOfPorts(t *testing.T) {
	o := ovstest.Start(t)
	ctx, c := live(t, o)
	s := ensured(t, ctx, c)
	for _, name := range []string{"v1", "v2", "v3"} {
		veth(o, name)
	}
	add := func(s *ovsdb.Switch, spec ovsdb.PortSpec) {
		if _, err := s.EnsurePort(ctx, spec); err != nil {
			t.Fatal(err)
		}
	}
	before := ovsdb.NewSwitch(c, bridge) // of a process that has ended
	add(before, endpoint("v1", 1))
	s.Adopt(ovsdb.IDContainer)
	add(s, endpoint("v2", 2))
	add(s, endpoint("v3", 3))
	add(s, ovsdb.TunnelSpec("vx", 1000, 4789, netip.MustParseAddr("192.0.2.1")))
	add(s, ovsdb.InternalSpec("contivh0", 1002, net.HardwareAddr{2, 2, 0, 0, 0, 9}))
	if got := s.Drift(); len(got) != 0 {
		t.Fatalf("drift of ports as they should be: want none, got %+v", got)
	}
	for _, row := range []struct {
		name, command string
		want          ovsdb.PortDrift
	}{
		{"a tag", "set port v2 tag=7 trunks=1,2", ovsdb.PortDrift{Name: "v2", Endpoint: "default:net:v2", Was: []string{"tag=7", "trunks=1,2"}, Want: []string{"tag=", "trunks="}}},
		{"options of the tunnel", "set interface vx options:dst_port=9999 options:csum=true options:local_ip=192.0.2.9", ovsdb.PortDrift{Name: "vx", Endpoint: "-",
			Was: []string{"options:csum=true", "options:dst_port=9999", "options:local_ip=192.0.2.9"}, Want: []string{"options:csum=", "options:dst_port=4789", "options:local_ip=192.0.2.1"}}},
		{"a port that is gone", "del-port contiv0 v1", ovsdb.PortDrift{Name: "v1", Endpoint: "default:net:v1", Gone: true, Want: []string{"type=", "ofport_request=1"}}},
		{"a fixed port that is gone", "del-port contiv0 contivh0", ovsdb.PortDrift{Name: "contivh0", Endpoint: "-", Gone: true, Want: []string{"type=internal", "ofport_request=1002"}}},
		{"another number", "set interface v3 ofport_request=77", ovsdb.PortDrift{Name: "v3", Endpoint: "default:net:v3", Was: []string{"ofport_request=77"}, Want: []string{"ofport_request=3"}}},
		{"another owner", "set interface v3 external_ids:contiv-endpoint=else external_ids:mine=yes", ovsdb.PortDrift{Name: "v3", Endpoint: "default:net:v3",
			Was: []string{"external_ids:contiv-endpoint=else"}, Want: []string{"external_ids:contiv-endpoint=default:net:v3"}}},
	} {
		o.Vsctl(strings.Fields("--no-wait -- " + row.command)...)
		var got []ovsdb.PortDrift
		poll(t, ctx, func() bool {
			got = s.Drift()
			return len(got) > 0
		})
		if len(got) != 1 || got[0].Name != row.want.Name || got[0].Endpoint != row.want.Endpoint || got[0].Gone != row.want.Gone ||
			strings.Join(got[0].Was, " ") != strings.Join(row.want.Was, " ") || strings.Join(got[0].Want, " ") != strings.Join(row.want.Want, " ") {
			t.Errorf("%s: want %+v, got %+v", row.name, row.want, got)
		}
		if err := s.Repair(ctx, row.want.Name); err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
		poll(t, ctx, func() bool { return len(s.Drift()) == 0 })
	}
	if got := strings.TrimSpace(o.Vsctl("get", "interface", "v1", "external_ids:contiv-container")); got != "v1" {
		t.Errorf("the port that was gone names container %q, want v1", got)
	}
	if err := s.RemovePort(ctx, "v1"); err != nil {
		t.Fatal(err)
	}
	if err := s.Repair(ctx, "v1"); err != nil || s.Wants("v1") {
		t.Errorf("repair of a port that was removed on purpose: want nothing done, got %v, wanted %v", err, s.Wants("v1"))
	}
	if got := o.Vsctl("list-ports", bridge); strings.Contains(got, "v1\n") {
		t.Errorf("a port that was removed is back: %s", got)
	}
}

// poll waits until ok, for what becomes true without a change of the database: a wish that is old enough, a state of ovs-vswitchd.
func poll(t *testing.T, ctx context.Context, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("the condition did not come true")
		}
	}
}
