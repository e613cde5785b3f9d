// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
)

// set changes the global settings.
func set(t *testing.T, m *mastertest.Master, edit func(*model.Global)) error {
	t.Helper()
	g, err := m.Globals().Get(context.Background(), "global")
	if err != nil {
		t.Fatal(err)
	}
	edit(g)
	_, err = m.Globals().Put(context.Background(), g)
	return err
}

func tagged(name, encap string, tag, third int) *model.Network {
	return &model.Network{TenantName: "default", NetworkName: name, Encap: encap, PktTag: tag, Subnet: fmt.Sprintf("10.1.%d.0/24", third)}
}

func TestGLB_Settings(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	tests := []struct {
		name  string
		edit  func(*model.Global)
		taken bool
	}{
		{"GLB-02 the same", func(*model.Global) {}, true},
		{"GLB-03 private subnet", func(g *model.Global) { g.PvtSubnet = "172.20.0.0/16" }, true},
		{"GLB-04 aci, flood", func(g *model.Global) { g.NetworkInfraType, g.ArpMode = "aci", "flood" }, true},
		{"GLB-06 fabric", func(g *model.Global) { g.NetworkInfraType = "xyz" }, false},
		{"GLB-07 too high", func(g *model.Global) { g.Vlans = "1-5000" }, false},
		{"GLB-07 too low", func(g *model.Global) { g.Vlans = "0-4094" }, false},
		{"GLB-07 one number", func(g *model.Global) { g.Vlans = "1" }, false},
		{"GLB-07 no dash", func(g *model.Global) { g.Vlans = "1?2" }, false},
		{"GLB-07 letters", func(g *model.Global) { g.Vlans = "abcd" }, false},
		{"GLB-08 too high", func(g *model.Global) { g.Vxlans = "1-100000" }, false},
		{"GLB-08 too wide", func(g *model.Global) { g.Vxlans = "1-20000" }, false},
		{"TAG-11 backwards", func(g *model.Global) { g.Vxlans = "8000-7999" }, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := set(t, m, test.edit); (err == nil) != test.taken {
				t.Errorf("want taken %v, got %v", test.taken, err)
			}
		})
	}
	if g, err := m.Globals().Get(context.Background(), "global"); err != nil || g.PvtSubnet != "172.20.0.0/16" || g.ArpMode != "flood" {
		t.Errorf("want what was taken, got %+v, %v", g, err)
	}
}

func TestGLB_Ranges(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	third := 0
	add := func(encap string, tag int) error {
		third++
		_, err := m.Networks().Put(ctx, tagged(fmt.Sprintf("%s%d", encap, tag), encap, tag, third))
		return err
	}
	remove := func(encap string, tag int) error {
		_, err := m.Networks().Delete(ctx, "default", fmt.Sprintf("%s%d", encap, tag))
		return err
	}
	local := func(tag int) int {
		return mastertest.Read[record.Network](t, m, fmt.Sprintf("%sdefault:vxlan%d", record.Networks, tag)).PktTag
	}
	vlans := func(text string) error { return set(t, m, func(g *model.Global) { g.Vlans = text }) }
	vxlans := func(text string) error { return set(t, m, func(g *model.Global) { g.Vxlans = text }) }
	steps := []struct {
		name  string
		err   error
		taken bool
	}{
		{"vlan 10", add("vlan", 10), true}, {"vlan 11", add("vlan", 11), true}, {"vlan 300", add("vlan", 300), true},
		{"GLB-16 9-301", vlans("9-301"), true},
		{"GLB-18 vlan 299", add("vlan", 299), true},
		{"GLB-19 50-301", vlans("50-301"), false}, {"GLB-19 1-200", vlans("1-200"), false},
		{"GLB-20 1-800", vlans("1-800"), true}, {"GLB-20 vlan 700", add("vlan", 700), true}, {"GLB-20 rm", remove("vlan", 700), true},
		{"GLB-20 again", add("vlan", 700), true}, {"TAG-03 in use", add("vlan", 700), false},
		{"GLB-21 1000", add("vxlan", 1000), true}, {"GLB-21 1001", add("vxlan", 1001), true}, {"GLB-21 2000", add("vxlan", 2000), true},
		{"GLB-21 1000-2500", vxlans("1000-2500"), true},
		{"GLB-22 1000", add("vxlan", 1000), false}, {"GLB-22 2501", add("vxlan", 2501), false}, {"GLB-22 2200", add("vxlan", 2200), true},
		{"GLB-23 2000-10000", vxlans("2000-10000"), false}, {"GLB-23 1000-2000", vxlans("1000-2000"), false},
		{"GLB-23 1000-9000", vxlans("1000-9000"), true}, {"GLB-23 3200", add("vxlan", 3200), true}, {"GLB-23 rm", remove("vxlan", 3200), true},
		{"GLB-23 again", add("vxlan", 3200), true},
	}
	for _, s := range steps {
		if (s.err == nil) != s.taken {
			t.Errorf("%s: want taken %v, got %v", s.name, s.taken, s.err)
		}
	}
	for i, vni := range []int{1000, 1001, 2000, 2200, 3200} {
		if got := local(vni); got != i+1 {
			t.Errorf("VNI %d: want local vlan %d, got %d", vni, i+1, got)
		}
	}
}

func TestGLB_24_ClusterMode(t *testing.T) {
	for _, mode := range []string{"kubernetes", "docker", "swarm-mode"} {
		m := mastertest.Start(t, mastertest.Options{ClusterMode: mode})
		if got, err := m.Globals().Inspect(context.Background(), "global"); err != nil || got.Oper.ClusterMode != mode {
			t.Errorf("want mode %s, got %+v, %v", mode, got, err)
		}
	}
}

func TestGLB_26_DeleteAll(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	if _, err := m.Tenants().Delete(ctx, "default"); err != nil {
		t.Error(err)
	}
	if _, err := m.Globals().Delete(ctx, "global"); err != nil {
		t.Error(err)
	}
}

func TestTEN_01_Names(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	for _, name := range []string{"tenant1", "tenant-valid"} {
		mastertest.Put(t, m.Tenants(), &model.Tenant{TenantName: name})
		if _, err := m.Tenants().Get(ctx, name); err != nil {
			t.Error(err)
		}
		if _, err := m.Tenants().Delete(ctx, name); err != nil {
			t.Error(err)
		}
		_, err := m.Tenants().Get(ctx, name)
		mastertest.Refused(t, err, model.CodeNotFound, "tenant not found")
	}
	for _, sign := range []string{":", "|", `\`, "#", "@", "!", "~", "*", "^"} { // TEN-02
		_, err := m.Tenants().Put(ctx, &model.Tenant{TenantName: "te" + sign + "nant"})
		mastertest.Refused(t, err, model.CodeInvalid, "tenantName string invalid format")
	}
	_, err := m.Tenants().Put(ctx, &model.Tenant{TenantName: "-tenant"})
	mastertest.Refused(t, err, model.CodeInvalid, "tenantName string invalid format")
}

// TEN-04 to TEN-06, TEN-10: each kind of content blocks a tenant's deletion, in this order, and is counted.
func TestTEN_04_InUse(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	mastertest.Put(t, m.Tenants(), &model.Tenant{TenantName: "blue"})
	n := network("net1", "10.1.1.0/24")
	n.TenantName = "blue"
	mastertest.Put(t, m.Networks(), n)
	mastertest.Put(t, m.Netprofiles(), &model.Netprofile{TenantName: "blue", ProfileName: "np"})
	mastertest.Put(t, m.Policys(), &model.Policy{TenantName: "blue", PolicyName: "p"})
	for _, name := range []string{"g1", "g2"} {
		mastertest.Put(t, m.EndpointGroups(), &model.EndpointGroup{TenantName: "blue", NetworkName: "net1", GroupName: name})
	}
	mastertest.Put(t, m.AppProfiles(), &model.AppProfile{TenantName: "blue", AppProfileName: "a", EndpointGroups: []string{"g1"}})
	mastertest.Put(t, m.ExtContractsGroups(), &model.ExtContractsGroup{TenantName: "blue", ContractsGroupName: "c", ContractsType: "provided"})
	got, err := m.Tenants().Inspect(ctx, "blue")
	if err != nil || got.Oper.TotalNetworks != 1 || got.Oper.TotalEPGs != 2 || got.Oper.TotalPolicies != 1 || got.Oper.TotalAppProfiles != 1 || got.Oper.TotalNetprofiles != 1 {
		t.Errorf("totals: got %+v, %v", got.Oper, err)
	}
	for _, s := range []struct {
		what   string
		remove func() error
	}{
		{"1 app profiles", func() error { _, err := m.AppProfiles().Delete(ctx, "blue", "a"); return err }},
		{"2 endpoint groups", func() error { _, err := m.EndpointGroups().Delete(ctx, "blue", "g1"); return err }},
		{"1 endpoint groups", func() error { _, err := m.EndpointGroups().Delete(ctx, "blue", "g2"); return err }},
		{"1 policies", func() error { _, err := m.Policys().Delete(ctx, "blue", "p"); return err }},
		{"1 netprofiles", func() error { _, err := m.Netprofiles().Delete(ctx, "blue", "np"); return err }},
		{"1 networks", func() error { _, err := m.Networks().Delete(ctx, "blue", "net1"); return err }},
	} {
		_, err := m.Tenants().Delete(ctx, "blue")
		mastertest.Refused(t, err, model.CodeInUse, s.what)
		if err := s.remove(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.Tenants().Delete(ctx, "blue"); err != nil {
		t.Error(err)
	}
	if left, err := m.ExtContractsGroups().List(ctx); err != nil || len(left) != 0 {
		t.Errorf("contracts go with their tenant, got %v, %v", left, err)
	}
}

// TEN-08, TEN-09: totals of endpoints.
func TestTEN_09_Totals(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	mastertest.Put(t, m.Tenants(), &model.Tenant{TenantName: "TestTenant"})
	mastertest.Put(t, m.Networks(), &model.Network{TenantName: "TestTenant", NetworkName: "TestNet", Encap: "vlan", Subnet: "20.1.1.0/24"})
	for _, name := range []string{"epgA", "epgB"} {
		mastertest.Put(t, m.EndpointGroups(), &model.EndpointGroup{TenantName: "TestTenant", NetworkName: "TestNet", GroupName: name})
	}
	for i, e := range []struct{ group, wanted, address string }{{"epgA", "", "20.1.1.1"}, {"epgB", "20.1.1.2", "20.1.1.2"}, {"", "20.1.1.3", "20.1.1.3"}} {
		if got := m.Endpoint(t, "TestTenant", "TestNet", e.group, fmt.Sprint("c", i), e.wanted); got.IP.String() != e.address {
			t.Errorf("want %s, got %s", e.address, got.IP)
		}
		got, err := m.Tenants().Inspect(ctx, "TestTenant")
		if err != nil || got.Oper.TotalEndpoints != i+1 || got.Oper.TotalEPGs != 2 || got.Oper.TotalNetworks != 1 {
			t.Errorf("after %d endpoints: got %+v, %v", i+1, got.Oper, err)
		}
	}
	for i := range 3 {
		if err := m.DeleteEndpoint(ctx, model.DeleteEndpointRequest{TenantName: "TestTenant", NetworkName: "TestNet", EndpointID: fmt.Sprint("c", i)}); err != nil {
			t.Error(err)
		}
	}
	if got, err := m.Tenants().Inspect(ctx, "TestTenant"); err != nil || got.Oper.TotalEndpoints != 0 {
		t.Errorf("after all are gone: got %+v, %v", got.Oper, err)
	}
}

func TestNET_Created(t *testing.T) {
	tests := []struct {
		name     string
		network  model.Network
		alloc    string
		pkt, ext int
		address  string
		six      string
	}{
		{"NET-01", model.Network{Encap: "vlan", Subnet: "10.1.1.1/24", Gateway: "10.1.1.254", PktTag: 1}, "10.1.1.254", 1, 0, "10.1.1.0", ""},
		{"NET-02", model.Network{Encap: "vxlan", Subnet: "10.1.1.1/16", Gateway: "10.1.1.254", PktTag: 1}, "10.1.1.254", 1, 1, "10.1.0.0", ""},
		{"NET-04", model.Network{Encap: "vxlan", Subnet: "10.1.1.1/16"}, "", 1, 1, "10.1.0.0", ""},
		{"NET-05", model.Network{Encap: "vxlan", Subnet: "10.1.1.1/16", Ipv6Subnet: "2016:0617::/120"}, "", 1, 1, "10.1.0.0", "2016:617::/120"},
		{"NET-06", model.Network{Encap: "vlan", Subnet: "10.1.1.1/24", Gateway: "10.1.1.254", PktTag: 1, NwType: "infra"}, "10.1.1.254", 1, 0, "10.1.1.0", ""},
		{"NET-11", model.Network{Encap: "vlan", Subnet: "10.1.1.1/24", CfgdTag: "io.contiv.network.test"}, "", 1, 0, "10.1.1.0", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ctx := context.Background()
			m := mastertest.Start(t, mastertest.Options{})
			n := test.network
			n.TenantName, n.NetworkName = "default", "contiv-valid"
			mastertest.Put(t, m.Networks(), &n)
			got, err := m.Networks().Inspect(ctx, "default", "contiv-valid")
			if err != nil || got.Oper.AllocatedIPAddresses != test.alloc || got.Oper.PktTag != test.pkt || got.Oper.ExternalPktTag != test.ext || got.Oper.AllocatedAddressesCount != 0 {
				t.Errorf("want %+v, got %+v, %v", test, got.Oper, err)
			}
			r := mastertest.Read[record.Network](t, m, record.Networks+"default:contiv-valid")
			if r.Subnet.Addr().String() != test.address || r.ExtPktTag != test.ext || record.Prefix(r.Subnet6) != test.six || r.Kind != got.Config.NwType {
				t.Errorf("record: got %+v", r)
			}
			if _, err := m.Networks().Delete(ctx, "default", "contiv-valid"); err != nil { // NET-19
				t.Error(err)
			}
			if g, err := m.Globals().Inspect(ctx, "global"); err != nil || g.Oper.NumNetworks != 0 {
				t.Errorf("tags must be free again, got %+v, %v", g.Oper, err)
			}
		})
	}
}

func TestNET_Refused(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	refuse := func(id string, edit func(*model.Network)) {
		t.Helper()
		n := network("net1", "10.1.1.0/24")
		edit(n)
		if _, err := m.Networks().Put(ctx, n); err == nil {
			t.Errorf("%s: %+v must be refused", id, *n)
		}
	}
	for _, name := range []string{"contiv:invalid", "contiv|invalid", "-invalid", ""} {
		refuse("NET-07", func(n *model.Network) { n.NetworkName = name })
	}
	for _, kind := range []string{"infratest", "testinfra", "testdata", "datatest"} {
		refuse("NET-08", func(n *model.Network) { n.NwType = kind })
	}
	for _, subnet := range []string{"10.1.1.10-20/24", "10.1.1.10-10.1.20/24", "10.1.1.10-10.1.1.1/24", "10.1.1.10-10.1.2.30/24", "10.1.1.10-10.2.1.30/16",
		"10.1.1.10-10.1.1.1.30/24", "10.1.1/24", "10.1.1.256/24", "10.1.1.1-70/26", "10.1.1.1/32", "10.1.1.65-70/26", ""} {
		refuse("NET-10", func(n *model.Network) { n.Subnet = subnet })
	}
	for _, tag := range []string{"tag=contiv-net", "io.contiv.network/test"} {
		refuse("NET-11", func(n *model.Network) { n.CfgdTag = tag })
	}
	refuse("NET-14", func(n *model.Network) { n.Encap = "vvvv" })
	if list, err := m.Networks().List(ctx); err != nil || len(list) != 0 {
		t.Errorf("want no network, got %d, %v", len(list), err)
	}
}

func TestOVL_Overlaps(t *testing.T) {
	v4 := func(subnet string) model.Network { return model.Network{TenantName: "default", Subnet: subnet} }
	v6 := func(subnet4, subnet6 string) model.Network {
		return model.Network{TenantName: "default", Subnet: subnet4, Ipv6Subnet: subnet6}
	}
	elsewhere := func(n model.Network) model.Network { n.TenantName = "tenant1"; return n }
	tests := []struct {
		name     string
		networks []model.Network
		taken    []bool
	}{
		{"OVL-01", []model.Network{v4("10.1.1.0/24"), v4("10.1.2.0/24")}, []bool{true, true}},
		{"OVL-02", []model.Network{v4("10.1.1.0/24"), v4("10.1.1.0/24")}, []bool{true, false}},
		{"OVL-05", []model.Network{v4("10.1.1.0/16"), v4("10.1.2.0/24")}, []bool{true, false}},
		{"OVL-06", []model.Network{v4("10.1.1.0/24"), elsewhere(v4("10.1.0.0/16"))}, []bool{true, true}},
		{"OVL-08", []model.Network{v4("20.1.1.10-20.1.1.45/24"), v4("20.1.1.45-20.1.1.100/24"), v4("20.1.1.0-20.1.1.10/24"), v4("20.1.1.46-20.1.1.50/24")}, []bool{true, false, false, true}},
		{"OVL-09", []model.Network{v6("10.1.1.0/24", "::/64"), v6("10.1.2.0/24", "1::/64")}, []bool{true, true}},
		{"OVL-10", []model.Network{v6("10.1.1.0/24", "2001:3332:3244:2422::/64"), v6("10.1.2.0/24", "2001:3332:3244:2422::/64")}, []bool{true, false}},
		{"OVL-12", []model.Network{v6("10.1.1.0/24", "ffff:ffff:ffff::/48"), elsewhere(v6("10.1.1.0/24", "ffff:ffff:ffff::/48"))}, []bool{true, true}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := mastertest.Start(t, mastertest.Options{})
			mastertest.Put(t, m.Tenants(), &model.Tenant{TenantName: "tenant1"})
			for i, n := range test.networks {
				n.NetworkName, n.Encap = fmt.Sprintf("net%d", i), []string{"vlan", "vxlan"}[i%2]
				if _, err := m.Networks().Put(context.Background(), &n); (err == nil) != test.taken[i] {
					t.Errorf("network %d %s: want taken %v, got %v", i, n.Subnet, test.taken[i], err)
				}
			}
		})
	}
}

func TestTAG_04_OutOfRange(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	if err := set(t, m, func(g *model.Global) { g.Vlans, g.Vxlans = "100-1000", "1001-2000" }); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		encap string
		tag   int
		text  string
	}{
		{"vlan", 1001, "requested vlan not available"}, {"vlan", 99, "requested vlan not available"},
		{"vxlan", 2001, "requested vxlan not available"}, {"vxlan", 3001, "requested vxlan not available"}, {"vxlan", 1000, "requested vxlan is out of range"},
	} {
		_, err := m.Networks().Put(ctx, tagged("bad", test.encap, test.tag, 1))
		if err == nil || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s %d: want %q, got %v", test.encap, test.tag, test.text, err)
		}
	}
	mastertest.Put(t, m.Networks(), tagged("last", "vxlan", 2000, 1)) // TAG-05
	mastertest.Put(t, m.Networks(), tagged("first", "vlan", 0, 2))    // TAG-01
	if got := mastertest.Read[record.Network](t, m, record.Networks+"default:first").PktTag; got != 100 {
		t.Errorf("want the lowest vlan 100, got %d", got)
	}
}

// EPG-01, EPG-03, EPG-09, EPG-11, EPG-12: what a group refuses.
func TestEPG_Refusals(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	mastertest.Put(t, m.Networks(), network("contiv", "10.3.1.0/24"))
	mastertest.Put(t, m.Networks(), network("newnet", "10.3.2.0/24"))
	pooled := func(name, pool string) *model.EndpointGroup {
		g := group(name, "contiv")
		g.IpPool = pool
		return g
	}
	unknown := group("g", "contiv")
	unknown.TenantName = "absent"
	for i, g := range []*model.EndpointGroup{unknown, group("g", "nothing"), group("g", ""), group("", "contiv"), group("in_valid", "contiv"),
		group("newnet", "contiv"), group("g", "contiv", "nothing"), {NetworkName: "contiv", GroupName: "g"}, pooled("g", "10.3.2.1-10.3.2.5"), pooled("g", "10.3.1.0-10.3.1.5")} {
		if _, err := m.EndpointGroups().Put(ctx, g); err == nil {
			t.Errorf("%d: %+v must be refused", i, *g)
		}
	}
	mastertest.Put(t, m.EndpointGroups(), pooled("group1", "10.3.1.10-10.3.1.20"))
	moved := pooled("group1", "10.3.1.10-10.3.1.20")
	moved.NetworkName = "newnet"
	for _, g := range []*model.EndpointGroup{moved, pooled("group1", "10.3.1.30-10.3.1.50"), pooled("group1", ""), pooled("group1", "10.3.1.1-19.3.1.21")} {
		_, err := m.EndpointGroups().Put(ctx, g)
		mastertest.Refused(t, err, model.CodeImmutable, "Cannot change")
	}
	mastertest.Put(t, m.EndpointGroups(), pooled("single", "10.3.1.51-10.3.1.51")) // EPG-12
	if e := m.Endpoint(t, "default", "contiv", "single", "c1", ""); e.IP.String() != "10.3.1.51" {
		t.Errorf("want the pool's address, got %s", e.IP)
	}
	_, _, err := m.CreateEndpoint(ctx, model.CreateEndpointRequest{TenantName: "default", NetworkName: "contiv", ServiceName: "single",
		ConfigEP: model.EndpointConfigRequest{Container: "c2", Host: "h1", ServiceName: "single"}})
	mastertest.Refused(t, err, model.CodeExhausted, "address exhaustion in pool 10.3.1.51 (")
	_, _, err = m.CreateEndpoint(ctx, model.CreateEndpointRequest{TenantName: "default", NetworkName: "contiv", ServiceName: "absent",
		ConfigEP: model.EndpointConfigRequest{Container: "c2", Host: "h1", ServiceName: "absent"}}) // IPAM-11
	mastertest.Refused(t, err, model.CodeNotFound, "not found")
}

// IPAM-02, IPAM-03, IPAM-09: what an operator sees of a network's addresses.
func TestIPAM_09_Gaps(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	n := network("net1", "10.1.1.0/24")
	n.Gateway = "10.1.1.254"
	mastertest.Put(t, m.Networks(), n)
	for i := range 7 {
		m.Endpoint(t, "default", "net1", "", fmt.Sprint("c", i+1), "")
	}
	for _, i := range []int{3, 4, 6} {
		if err := m.DeleteEndpoint(ctx, model.DeleteEndpointRequest{TenantName: "default", NetworkName: "net1", EndpointID: fmt.Sprint("c", i)}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := m.Networks().Inspect(ctx, "default", "net1")
	if err != nil || got.Oper.AllocatedIPAddresses != "10.1.1.1-10.1.1.2, 10.1.1.5, 10.1.1.7, 10.1.1.254" || got.Oper.AllocatedAddressesCount != 4 {
		t.Errorf("got %+v, %v", got.Oper, err)
	}
}
