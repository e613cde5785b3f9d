// SPDX-License-Identifier: Apache-2.0

package objects_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
)

func object(kind string, fields ...string) model.ApplyObject {
	o := model.ApplyObject{Kind: kind, Fields: map[string]any{}}
	for i := 0; i < len(fields); i += 2 {
		o.Fields[fields[i]] = fields[i+1]
	}
	return o
}

// a tenant with a network and a group, in the wrong order.
func shop(subnet string) []model.ApplyObject {
	return []model.ApplyObject{
		object("endpointGroup", "tenantName", "shop", "networkName", "front", "groupName", "web", "ipPool", "10.7.0.10-10.7.0.20"),
		object("network", "tenantName", "shop", "networkName", "front", "encap", "vxlan", "subnet", subnet),
		object("tenant", "tenantName", "shop"),
	}
}

func TestApply(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	steps := []struct {
		name    string
		request model.ApplyRequest
		want    string // actions in order, or a part of the refusal
	}{
		{"dry run", model.ApplyRequest{Objects: shop("10.7.0.0/24"), DryRun: true}, "tenant created, network created, endpointGroup created"},
		{"the dry run changed nothing", model.ApplyRequest{Objects: shop("10.7.0.0/24"), Delete: true}, "endpointGroup absent, network absent, tenant absent"},
		{"one refusal refuses all", model.ApplyRequest{Objects: append(shop("10.7.0.0/24"), object("network", "tenantName", "shop", "networkName", "back", "encap", "vxlan", "subnet", "10.7.0.0/16"))}, "network shop:back: subnet 10.7.0.0-10.7.255.255 overlaps"},
		{"nothing is half done", model.ApplyRequest{Objects: shop("10.7.0.0/24"), Delete: true}, "endpointGroup absent, network absent, tenant absent"},
		{"all", model.ApplyRequest{Objects: shop("10.7.0.0/24")}, "tenant created, network created, endpointGroup created"},
		{"again", model.ApplyRequest{Objects: shop("10.7.0.0/24")}, "tenant unchanged, network unchanged, endpointGroup unchanged"},
		{"what does not change", model.ApplyRequest{Objects: shop("10.8.0.0/24")}, "network shop:front: Cant change network parameters"},
		{"unknown member", model.ApplyRequest{Objects: []model.ApplyObject{object("tenant", "tenantName", "x", "colour", "red")}}, `unknown field "colour"`},
		{"unknown kind", model.ApplyRequest{Objects: []model.ApplyObject{object("teapot")}}, `kind "teapot"`},
		{"twice", model.ApplyRequest{Objects: []model.ApplyObject{object("tenant", "tenantName", "x"), object("tenant", "tenantName", "x")}}, "twice"},
		{"nothing", model.ApplyRequest{}, "no objects"},
		{"delete", model.ApplyRequest{Objects: shop("10.7.0.0/24"), Delete: true}, "endpointGroup deleted, network deleted, tenant deleted"},
	}
	for _, s := range steps {
		results, _, err := m.Apply(ctx, s.request)
		var words []string
		for _, r := range results {
			words = append(words, r.Kind+" "+string(r.Action))
		}
		got := strings.Join(words, ", ")
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, s.want) {
			t.Errorf("%s: want %s, got %s", s.name, s.want, got)
		}
	}
	g, err := m.Globals().Inspect(ctx, "global")
	if err != nil || g.Oper.VxlansInUse != "" {
		t.Errorf("at the end no tag is in use, got %+v, %v", g.Oper, err)
	}
}

// Applying refuses deletions that endpoints in use forbid, and leaves the pools as they were.
func TestApplyDeleteInUse(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	if _, _, err := m.Apply(ctx, model.ApplyRequest{Objects: shop("10.7.0.0/24")}); err != nil {
		t.Fatal(err)
	}
	m.Endpoint(t, "shop", "front", "web", "c1", "")
	if _, _, err := m.Apply(ctx, model.ApplyRequest{Objects: shop("10.7.0.0/24"), Delete: true}); err == nil || !strings.Contains(err.Error(), "active endpoints") {
		t.Errorf("want a refusal, got %v", err)
	}
	if e := m.Endpoint(t, "shop", "front", "web", "c2", ""); e.IP.String() != "10.7.0.11" {
		t.Errorf("want the pool's next address 10.7.0.11, got %s", e.IP)
	}
	n, err := m.Networks().Inspect(ctx, "shop", "front")
	if got := fmt.Sprintf("%d %s", n.Oper.NumEndpoints, n.Oper.AllocatedIPAddresses); err != nil || got != "2 10.7.0.10-10.7.0.20" {
		t.Errorf("got %s, %v", got, err)
	}
}

// Every kind in one request, in the wrong order: each rule sees what comes with it, and deletion leaves nothing.
func TestApplyEverything(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	list := func(o model.ApplyObject, field string, values ...string) model.ApplyObject {
		o.Fields[field] = values
		return o
	}
	const shop = "shop"
	objects := []model.ApplyObject{
		list(object("appProfile", "tenantName", shop, "appProfileName", "app"), "endpointGroups", "web", "db"),
		object("rule", "tenantName", shop, "policyName", "p", "ruleId", "1", "direction", "in", "action", "deny", "protocol", "tcp"),
		object("rule", "tenantName", shop, "policyName", "p", "ruleId", "2", "direction", "in", "action", "allow", "fromEndpointGroup", "web", "protocol", "udp"),
		object("rule", "tenantName", shop, "policyName", "p", "ruleId", "3", "direction", "out", "action", "allow", "toNetwork", "front"),
		list(list(object("endpointGroup", "tenantName", shop, "networkName", "front", "groupName", "db", "netProfile", "np"), "policies", "p"), "extContractsGrps", "c"),
		list(list(object("serviceLB", "tenantName", shop, "serviceName", "s", "networkName", "front"), "selectors", "a=b"), "ports", "80:80:TCP"),
		object("endpointGroup", "tenantName", shop, "networkName", "front", "groupName", "web"),
		object("extContractsGroup", "tenantName", shop, "contractsGroupName", "c", "contractsType", "provided"),
		object("policy", "tenantName", shop, "policyName", "p"),
		object("netprofile", "tenantName", shop, "profileName", "np", "bandwidth", "10Mbps"),
		object("network", "tenantName", shop, "networkName", "front", "encap", "vxlan", "subnet", "10.7.0.0/24"),
		object("tenant", "tenantName", shop),
		object("Bgp", "hostname", "h1", "routerip", "50.1.1.2/24"),
		object("aciGw", "name", "aciGw", "enforcePolicies", "yes", "includeCommonTenant", "no", "physicalDomain", "d"),
	}
	before, _, err := m.Store.List(ctx, record.State)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, _, err := m.Apply(ctx, model.ApplyRequest{Objects: objects, DryRun: true}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := m.Apply(ctx, model.ApplyRequest{Objects: objects}); err != nil {
			t.Fatal(err)
		}
		if got := m.AgentRules(t); len(got) != 3 {
			t.Errorf("want 3 rules for agents, got %v", got)
		}
		if got := mastertest.Read[record.Group](t, m, record.Groups+"shop:db"); got.Bandwidth != "10Mbps" {
			t.Errorf("the profile must be in the group's record, got %+v", got)
		}
		if n, err := m.Networks().Inspect(ctx, shop, "front"); err != nil || n.Oper.AllocatedIPAddresses != "10.7.0.1" {
			t.Errorf("the service must have the first address, got %+v, %v", n.Oper, err)
		}
		if _, _, err := m.Apply(ctx, model.ApplyRequest{Objects: objects, Delete: true}); err != nil {
			t.Fatal(err)
		}
		after, _, err := m.Store.List(ctx, record.State)
		if err != nil || len(after) != len(before) {
			t.Errorf("deletion must leave nothing: %d records before, %d after, %v", len(before), len(after), err)
		}
	}
}
