// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
)

func profile(name, bandwidth string, dscp, burst int) *model.Netprofile {
	return &model.Netprofile{TenantName: "default", ProfileName: name, Bandwidth: bandwidth, DSCP: dscp, Burst: burst}
}

func TestNP_04_Refusals(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	for _, bandwidth := range []string{"10 Gkms", "10 G12ms", "10 ms", "10 bms", "Gkms", "Gbps", "0 Gbps", " 10 Gbps"} {
		_, err := m.Netprofiles().Put(ctx, profile("p", bandwidth, 0, 0))
		mastertest.Refused(t, err, model.CodeInvalid, "bandwidth string invalid format")
	}
	for _, p := range []*model.Netprofile{profile("p", "", 64, 0), profile("p", "", 0, 1), profile("p", "", 0, 10487), profile("", "", 0, 0)} {
		if _, err := m.Netprofiles().Put(ctx, p); err == nil {
			t.Errorf("%+v must be refused", *p)
		}
	}
	_, err := m.Netprofiles().Delete(ctx, "default", "p") // NP-05
	mastertest.Refused(t, err, model.CodeNotFound, "netprofile not found")
	p := profile("p", "", 0, 0)
	p.TenantName = "absent"
	_, err = m.Netprofiles().Put(ctx, p)
	mastertest.Refused(t, err, model.CodeNotFound, "Tenant not found")
	g := group("g", "net1")
	g.NetProfile = "p"
	mastertest.Put(t, m.Networks(), network("net1", "10.1.1.0/24"))
	_, err = m.EndpointGroups().Put(ctx, g)
	mastertest.Refused(t, err, model.CodeNotFound, "netprofile not found")
}

// NP-07 to NP-09, NP-11, NP-12: a group's record always carries the values of its present profile; its endpoints and its pool stay.
func TestNP_07_GroupsFollow(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	mastertest.Put(t, m.Networks(), network("net1", "10.1.1.0/24"))
	mastertest.Put(t, m.Netprofiles(), profile("p1", "5Mb", 3, 1500))
	mastertest.Put(t, m.Netprofiles(), profile("p2", "20mb", 9, 150))
	use := func(name, profile string) *model.EndpointGroup {
		g := group(name, "net1")
		g.NetProfile = profile
		if name == "g1" {
			g.IpPool = "10.1.1.10-10.1.1.20"
		}
		return g
	}
	expect := func(name, bandwidth string, dscp, burst int) {
		t.Helper()
		if g := mastertest.Read[record.Group](t, m, record.Groups+"default:"+name); g.Bandwidth != bandwidth || g.DSCP != dscp || g.Burst != burst {
			t.Errorf("group %s: want %q %d %d, got %q %d %d", name, bandwidth, dscp, burst, g.Bandwidth, g.DSCP, g.Burst)
		}
	}
	mastertest.Put(t, m.EndpointGroups(), use("g1", "p1"))
	mastertest.Put(t, m.EndpointGroups(), use("g2", "p1"))
	m.Endpoint(t, "default", "net1", "g1", "c1", "")
	expect("g1", "5Mb", 3, 1500)
	for _, p := range []*model.Netprofile{profile("p1", "900Mb", 9, 1650), profile("p1", "900Mb", 0, 150), profile("p1", "", 0, 150), profile("p1", "20mb", 0, 0)} {
		mastertest.Put(t, m.Netprofiles(), p)
		expect("g1", p.Bandwidth, p.DSCP, p.Burst)
		expect("g2", p.Bandwidth, p.DSCP, p.Burst)
	}
	mastertest.Put(t, m.EndpointGroups(), use("g1", "p2"))
	expect("g1", "20mb", 9, 150)
	expect("g2", "20mb", 0, 0)
	_, err := m.Netprofiles().Delete(ctx, "default", "p2")
	mastertest.Refused(t, err, model.CodeInUse, "being used")
	mastertest.Put(t, m.EndpointGroups(), use("g1", "")) // NP-08
	expect("g1", "", 0, 0)
	if p, err := m.Netprofiles().Get(ctx, "default", "p2"); err != nil || p.Bandwidth != "20mb" || len(p.LinkSets.EndpointGroups) != 0 {
		t.Errorf("the profile must be unchanged, got %+v, %v", p, err)
	}
	if got := m.Endpoint(t, "default", "net1", "g1", "c2", ""); got.IP.String() != "10.1.1.11" {
		t.Errorf("the group's pool must be as it was: want 10.1.1.11, got %s", got.IP)
	}
	if _, err := m.Netprofiles().Delete(ctx, "default", "p2"); err != nil {
		t.Error(err)
	}
}

func TestAPP_01_Profiles(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	mastertest.Put(t, m.Networks(), network("net1", "10.1.1.0/24"))
	mastertest.Put(t, m.Networks(), network("net2", "10.1.2.0/24"))
	mastertest.Put(t, m.EndpointGroups(), group("group1", "net1"))
	mastertest.Put(t, m.EndpointGroups(), group("group3", "net2"))
	app := func(name string, groups ...string) *model.AppProfile {
		return &model.AppProfile{TenantName: "default", AppProfileName: name, EndpointGroups: groups}
	}
	mastertest.Put(t, m.AciGws(), &model.AciGw{Name: "aciGw", EnforcePolicies: "yes", IncludeCommonTenant: "no", PhysicalDomain: "testDom"})
	mastertest.Put(t, m.AppProfiles(), app("empty"))
	mastertest.Put(t, m.AppProfiles(), app("one", "group1"))
	mastertest.Put(t, m.AppProfiles(), app("two", "group1", "group3"))
	_, err := m.AppProfiles().Put(ctx, app("bad", "group1", "nothing")) // APP-03
	mastertest.Refused(t, err, model.CodeNotFound, "nothing")
	if _, err := m.AppProfiles().Get(ctx, "default", "bad"); err == nil {
		t.Error("a refused profile must not exist")
	}
	if g, err := m.EndpointGroups().Get(ctx, "default", "group1"); err != nil || g.Links.AppProfile.Key != "default:two" {
		t.Errorf("the group links to the last profile, got %+v, %v", g.Links, err)
	}
	_, err = m.EndpointGroups().Delete(ctx, "default", "group1") // APP-04
	mastertest.Refused(t, err, model.CodeInUse, "app profile")
	_, err = m.AciGws().Delete(ctx, "aciGw")
	mastertest.Refused(t, err, model.CodeInUse, "app profiles")
	if got, err := m.AciGws().Inspect(ctx, "aciGw"); err != nil || got.Oper.NumAppProfiles != 3 {
		t.Errorf("want 3 app profiles, got %+v, %v", got, err)
	}
	mastertest.Put(t, m.AppProfiles(), app("two", "group3"))
	if g, err := m.EndpointGroups().Get(ctx, "default", "group1"); err != nil || g.Links.AppProfile.Key != "default:one" {
		t.Errorf("a dropped group loses its link, got %+v, %v", g.Links, err)
	}
	for _, name := range []string{"empty", "one", "two"} {
		if _, err := m.AppProfiles().Delete(ctx, "default", name); err != nil {
			t.Fatal(err)
		}
	}
	for _, remove := range []func() error{
		func() error { _, err := m.EndpointGroups().Delete(ctx, "default", "group1"); return err },
		func() error { _, err := m.AciGws().Delete(ctx, "aciGw"); return err },
	} {
		if err := remove(); err != nil {
			t.Error(err)
		}
	}
}

func TestCON_01_Contracts(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	contracts := func(name, kind string) *model.ExtContractsGroup {
		return &model.ExtContractsGroup{TenantName: "default", ContractsGroupName: name, ContractsType: kind, Contracts: []string{"uni/tn-a/brc-b"}}
	}
	mastertest.Put(t, m.ExtContractsGroups(), contracts("p", "provided"))
	mastertest.Put(t, m.ExtContractsGroups(), contracts("c", "consumed"))
	_, err := m.ExtContractsGroups().Put(ctx, contracts("x", "something"))
	mastertest.Refused(t, err, model.CodeInvalid, "contractsType string invalid format")
	_, err = m.ExtContractsGroups().Put(ctx, contracts("p", "provided"))
	mastertest.Refused(t, err, model.CodeImmutable, "Cant change extContractsGroup parameters")
	mastertest.Put(t, m.Networks(), network("net1", "10.1.1.0/24"))
	g := group("g", "net1")
	g.ExtContractsGrps = []string{"p"}
	mastertest.Put(t, m.EndpointGroups(), g)
	_, err = m.ExtContractsGroups().Delete(ctx, "default", "p")
	mastertest.Refused(t, err, model.CodeInUse, "used")
	mastertest.Put(t, m.EndpointGroups(), group("g", "net1"))
	if _, err := m.ExtContractsGroups().Delete(ctx, "default", "p"); err != nil {
		t.Error(err)
	}
}

func TestACI_02_Bindings(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	path := func(n int) string { return fmt.Sprintf("topology/pod-1/paths-10%d/pathep-[eth1/14]", n) }
	tests := []struct {
		paths, nodes string
		taken        bool
	}{
		{path(1), "", true},
		{"pod-1/paths-101/pathep-[eth1/14]", "", false},
		{path(1) + "," + strings.TrimPrefix(path(2), "topology/"), "", false},
		{path(1) + "," + path(2), "", true},
		{strings.Join([]string{path(1), path(2), path(3), path(4)}, ","), "", true},
		{path(1) + ", " + path(2), "", false},
		{"", "topology/tor-1/node-101", false},
		{"", "topology/pod-1/node-101", true},
		{"", "topology/pod-1/node-101,topology/pod-1/node-102,topology/pod-2/node-1", true},
	}
	for _, test := range tests {
		_, err := m.AciGws().Put(context.Background(), &model.AciGw{Name: "aciGw", EnforcePolicies: "yes", IncludeCommonTenant: "yes",
			PhysicalDomain: "testDom", PathBindings: test.paths, NodeBindings: test.nodes})
		if (err == nil) != test.taken {
			t.Errorf("paths %q nodes %q: want taken %v, got %v", test.paths, test.nodes, test.taken, err)
		}
	}
}

// BGP-12: routers hold the routing mode.
func TestBGPRouters(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{FwdMode: "routing"})
	router := &model.Bgp{Hostname: "h1", Routerip: "50.1.1.2/24", As: "65002", NeighborAs: "500", Neighbor: "50.1.1.200"}
	mastertest.Put(t, m.Bgps(), router)
	if got := mastertest.Read[record.BGP](t, m, record.BGPs+"h1"); got.RouterIP != router.Routerip || got.NeighborAS != "500" {
		t.Errorf("record: got %+v", got)
	}
	router.As = "65003"
	mastertest.Put(t, m.Bgps(), router)
	if got := mastertest.Read[record.BGP](t, m, record.BGPs+"h1"); got.AS != "65003" {
		t.Errorf("record after an update: got %+v", got)
	}
	if got, err := m.Bgps().Inspect(ctx, "h1"); err != nil || got.Config.As != "65003" {
		t.Errorf("inspect without an agent: got %+v, %v", got, err)
	}
	g, err := m.Globals().Get(ctx, "global")
	if err != nil {
		t.Fatal(err)
	}
	g.FwdMode = "bridge"
	_, err = m.Globals().Put(ctx, g)
	mastertest.Refused(t, err, model.CodeInUse, "bgp")
	if _, err := m.Bgps().Delete(ctx, "h1"); err != nil {
		t.Fatal(err)
	}
	g.NetworkInfraType = "aci"
	mastertest.Put(t, m.Globals(), g)
	_, err = m.Bgps().Put(ctx, router)
	mastertest.Refused(t, err, model.CodeUnsupported, "aci")
}

// Volumes are in the model only.
func TestVolumes(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	for _, plural := range []string{"volumes", "volumeProfiles"} {
		q, err := http.NewRequest(http.MethodPost, m.URL+"/api/v1/"+plural+"/default:v/", strings.NewReader(
			`{"tenantName":"default","volumeName":"v","volumeProfileName":"v"}`))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultTransport.RoundTrip(q)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := answer.Write(&text); err != nil {
			t.Fatal(err)
		}
		if answer.StatusCode != 500 || !strings.Contains(text.String(), "Invalid object type") {
			t.Errorf("create in %s: want 500 Invalid object type, got %s", plural, text.String())
		}
	}
	if list, err := m.Volumes().List(context.Background()); err != nil || list == nil || len(list) != 0 {
		t.Errorf("want an empty list, got %v, %v", list, err)
	}
	_, err := m.VolumeProfiles().Delete(context.Background(), "default", "v")
	mastertest.Refused(t, err, model.CodeUnsupported, "Invalid object type")
}
