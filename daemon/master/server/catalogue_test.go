// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// GLB-11, GLB-12, GLB-14: a VLAN network holds forwarding mode and private subnet, and is counted.
func TestGLB_11_VLANHolds(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	routing := func(g *model.Global) { g.FwdMode = "routing" }
	mastertest.Put(t, m.Networks(), tagged("net1", "vlan", 3200, 1))
	mastertest.Refused(t, set(t, m, routing), model.CodeInUse, "Unable to update forwarding mode due to existing 1 vlans")
	mastertest.Refused(t, set(t, m, func(g *model.Global) { g.PvtSubnet = "172.21.0.0/16" }), model.CodeInUse, "Unable to update private subnet due to existing 1 vlans")
	mastertest.Put(t, m.Networks(), tagged("net2", "vxlan", 0, 2))
	mastertest.Refused(t, set(t, m, routing), model.CodeInUse, "Unable to update forwarding mode due to existing 1 vlans and 1 vxlans")
	for _, name := range []string{"net1", "net2"} {
		if _, err := m.Networks().Delete(ctx, "default", name); err != nil {
			t.Fatal(err)
		}
	}
	for _, to := range []struct{ mode, subnet string }{{"routing", "172.21.0.0/16"}, {"bridge", "172.19.0.0/16"}} {
		if err := set(t, m, func(g *model.Global) { g.FwdMode, g.PvtSubnet = to.mode, to.subnet }); err != nil {
			t.Errorf("to %s without networks: %v", to.mode, err)
		}
		if r := mastertest.Read[record.Global](t, m, record.GlobalKey); string(r.FwdMode) != to.mode || r.PvtSubnet.String() != to.subnet {
			t.Errorf("want %s and %s for agents, got %+v", to.mode, to.subnet, *r)
		}
	}
}

func TestNET_03_Dash(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	mastertest.Put(t, m.Networks(), tagged("contiv-valid", "vxlan", 0, 1))
	if r := mastertest.Read[record.Network](t, m, record.Networks+"default:contiv-valid"); r.ID.Name != "contiv-valid" {
		t.Errorf("got %+v", *r)
	}
}

func TestOVL_04_Gateway(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	mastertest.Put(t, m.Networks(), tagged("net1", "vlan", 0, 1))
	again := tagged("net2", "vxlan", 0, 1)
	again.Gateway = "10.1.1.254"
	_, err := m.Networks().Put(context.Background(), again)
	mastertest.Refused(t, err, model.CodeConflict, "overlaps with")
	got, err := m.Networks().Inspect(context.Background(), "default", "net1")
	if err != nil || got.Oper.AvailableIPAddresses != "10.1.1.1-10.1.1.254" {
		t.Errorf("the first network must be as it was, got %+v, %v", got.Oper, err)
	}
}

// TAG-08: a VNI comes with a cluster-local VLAN, from the start of whatever range.
func TestTAG_08_LocalVLANs(t *testing.T) {
	for _, ranges := range []struct {
		text  string
		first int
	}{{"10000-12000", 10000}, {"15000-17000", 15000}} {
		m := mastertest.Start(t, mastertest.Options{})
		if err := set(t, m, func(g *model.Global) { g.Vxlans = ranges.text }); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time after it was given back
			mastertest.Put(t, m.Networks(), tagged("net1", "vxlan", 0, 1))
			if r := mastertest.Read[record.Network](t, m, record.Networks+"default:net1"); r.ExtPktTag != ranges.first || r.PktTag != 1 {
				t.Errorf("%s: want VNI %d and VLAN 1, got %+v", ranges.text, ranges.first, *r)
			}
			if _, err := m.Networks().Delete(context.Background(), "default", "net1"); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TAG-13: the refusal of an empty pool names the numbers that are used up: vlans or vxlans.
func TestTAG_13_Empty(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	if err := set(t, m, func(g *model.Global) { g.Vlans, g.Vxlans = "7-7", "9-9" }); err != nil {
		t.Fatal(err)
	}
	for i, test := range []struct{ encap, text string }{{"vlan", "no vlans available"}, {"vxlan", "no vxlans available"}} {
		mastertest.Put(t, m.Networks(), tagged("last-"+test.encap, test.encap, 0, 2*i+1))
		_, err := m.Networks().Put(context.Background(), tagged("more-"+test.encap, test.encap, 0, 2*i+2))
		mastertest.Refused(t, err, model.CodeExhausted, test.text)
	}
	// All local VLANs in use, which takes 4094 networks: fewer numbers, the same refusal.
	full := mastertest.Start(t, mastertest.Options{})
	var all []store.Op
	for n := 1; n <= 65535; n++ {
		all = append(all, store.Op{Key: fmt.Sprint(record.Networks, "default:full", n),
			Value: fmt.Appendf(nil, `{"id":"full%d.default","tenant":"default","networkName":"full%d","pktTagType":"vxlan","pktTag":%d}`, n, n, n)})
	}
	full.Catalog.Committed(nil, all, full.Catalog.Revision()+1, slog.New(slog.DiscardHandler))
	_, err := full.Networks().Put(context.Background(), tagged("net1", "vxlan", 0, 1))
	mastertest.Refused(t, err, model.CodeExhausted, "no local vlans available")
	if g, err := full.Globals().Inspect(context.Background(), "global"); err != nil || g.Oper.VxlansInUse != "" {
		t.Errorf("the VNI must be given back, got %+v, %v", g.Oper, err)
	}
}

// NP-01: a profile is made and updated under its name.
func TestNP_01_Profile(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	for _, p := range []*model.Netprofile{profile("gold", "2gbps", 5, 1500), profile("gold", "5gbps", 6, 1500)} {
		mastertest.Put(t, m.Netprofiles(), p)
		got, err := m.Netprofiles().Get(context.Background(), "default", "gold")
		if err != nil || got.Bandwidth != p.Bandwidth || got.DSCP != p.DSCP || got.Burst != p.Burst {
			t.Errorf("want %+v, got %+v, %v", *p, got, err)
		}
	}
}

// EPG-08: an application profile keeps its groups, in any fabric.
func TestEPG_08_Kept(t *testing.T) {
	ctx := context.Background()
	m := policyMaster(t)
	mastertest.Put(t, m.AppProfiles(), &model.AppProfile{TenantName: "default", AppProfileName: "app", EndpointGroups: []string{"group1"}})
	_, err := m.EndpointGroups().Delete(ctx, "default", "group1")
	mastertest.Refused(t, err, model.CodeInUse, "part of app profile")
	mastertest.Put(t, m.AppProfiles(), &model.AppProfile{TenantName: "default", AppProfileName: "app", EndpointGroups: []string{"group2"}})
	if _, err := m.EndpointGroups().Delete(ctx, "default", "group1"); err != nil {
		t.Errorf("a group that has left the profile: %v", err)
	}
	if got, err := m.AppProfiles().Inspect(ctx, "default", "app"); err != nil || got.Oper != nil {
		t.Errorf("outside of an ACI fabric a profile has no state of its own, got %+v, %v", got, err)
	}
}
