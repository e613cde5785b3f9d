package server_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
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

// What an endpoint in use refuses, applying refuses too, and leaves the pools as they were.
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
	if e := m.Endpoint(t, "shop", "front", "web", "c2", ""); e.IPAddress != "10.7.0.11" {
		t.Errorf("want the pool's next address 10.7.0.11, got %s", e.IPAddress)
	}
	n, err := m.Networks().Inspect(ctx, "shop", "front")
	if got := fmt.Sprintf("%d %s", n.Oper.NumEndpoints, n.Oper.AllocatedIPAddresses); err != nil || got != "2 10.7.0.10-10.7.0.20" {
		t.Errorf("got %s, %v", got, err)
	}
}
