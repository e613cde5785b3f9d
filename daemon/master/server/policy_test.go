// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

func policy(name string) *model.Policy {
	return &model.Policy{TenantName: "default", PolicyName: name}
}

// rule makes a rule of policy p1.
func rule(id, direction, action string, edit func(*model.Rule)) *model.Rule {
	r := &model.Rule{TenantName: "default", PolicyName: "p1", RuleId: id, Direction: direction, Action: action}
	if edit != nil {
		edit(r)
	}
	return r
}

func group(name, network string, policies ...string) *model.EndpointGroup {
	return &model.EndpointGroup{TenantName: "default", NetworkName: network, GroupName: name, Policies: policies}
}

// policyMaster has network net1, groups group1 (number 1) and group2 (number 2) without policies, and policy p1.
func policyMaster(t *testing.T) *mastertest.Master {
	t.Helper()
	m := mastertest.Start(t, mastertest.Options{})
	mastertest.Put(t, m.Networks(), network("net1", "10.1.1.0/24"))
	mastertest.Put(t, m.EndpointGroups(), group("group1", "net1"))
	mastertest.Put(t, m.EndpointGroups(), group("group2", "net1"))
	mastertest.Put(t, m.Policys(), policy("p1"))
	return m
}

func TestPOL_01_Unknown(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	_, err := m.Policys().Put(ctx, &model.Policy{TenantName: "absent", PolicyName: "p1"})
	mastertest.Refused(t, err, model.CodeNotFound, "Tenant not found")
	_, err = m.Policys().Delete(ctx, "default", "p1")
	mastertest.Refused(t, err, model.CodeNotFound, "policy not found")
	_, err = m.Rules().Delete(ctx, "default", "p1", "1")
	mastertest.Refused(t, err, model.CodeNotFound, "rule not found")
}

func TestPOL_02_Rules(t *testing.T) {
	m := policyMaster(t)
	for i, r := range []*model.Rule{
		rule("1", "in", "allow", func(r *model.Rule) { r.Protocol, r.Port = "tcp", 80 }),
		rule("2", "in", "deny", nil),
		rule("3", "out", "allow", func(r *model.Rule) { r.Protocol, r.Port = "tcp", 80 }),
		rule("4", "in", "allow", func(r *model.Rule) { r.FromIpAddress, r.Protocol, r.Port = "10.1.1.1/24", "tcp", 80 }),
		rule("5", "out", "allow", func(r *model.Rule) { r.ToIpAddress, r.Protocol, r.Port = "10.1.1.1/24", "tcp", 80 }),
		rule("6", "in", "deny", func(r *model.Rule) { r.FromEndpointGroup = "group1" }),
		rule("7", "out", "allow", func(r *model.Rule) { r.ToEndpointGroup, r.Protocol, r.Port = "group1", "tcp", 80 }),
		rule("8", "in", "allow", func(r *model.Rule) { r.FromEndpointGroup, r.FromIpAddress = "group1", "10.1.1.1" }),
	} {
		mastertest.Put(t, m.Rules(), r)
		if got, err := m.Rules().Get(context.Background(), "default", "p1", fmt.Sprint(i+1)); err != nil || got.Priority != 1 {
			t.Errorf("rule %d: want priority 1, got %+v, %v", i+1, got, err)
		}
	}
	if got := m.AgentRules(t); got != nil {
		t.Errorf("attached to nothing: want no rules for agents, got %q", got)
	}
	p, err := m.Policys().Get(context.Background(), "default", "p1")
	if err != nil || len(p.LinkSets.Rules) != 8 {
		t.Errorf("the policy must link to its rules, got %+v, %v", p, err)
	}
	g, err := m.EndpointGroups().Get(context.Background(), "default", "group1")
	if err != nil || len(g.LinkSets.MatchRules) != 3 {
		t.Errorf("the group must link to the rules that name it, got %+v, %v", g, err)
	}
	r, err := m.Rules().Get(context.Background(), "default", "p1", "7")
	if err != nil || r.Links.MatchEndpointGroup.Key != "default:group1" || r.LinkSets.Policies["default:p1"].Type != "policy" {
		t.Errorf("links of rule 7: got %+v, %v", r, err)
	}
}

func TestPOL_Refusals(t *testing.T) {
	m := policyMaster(t)
	mastertest.Put(t, m.Rules(), rule("taken", "in", "allow", nil))
	tests := []struct {
		name      string
		direction string
		edit      func(*model.Rule)
		code      model.Code
		text      string
	}{
		{"POL-03 again", "in", func(r *model.Rule) { r.RuleId = "taken" }, model.CodeImmutable, "Cant change rule parameters"},
		{"POL-05 protocol", "in", func(r *model.Rule) { r.Protocol = "xyz" }, model.CodeInvalid, "protocol string invalid format"},
		{"POL-05 protocol number", "in", func(r *model.Rule) { r.Protocol = "256" }, model.CodeInvalid, "protocol Value Out of bound"},
		{"POL-05 action", "in", func(r *model.Rule) { r.Action = "accept" }, model.CodeInvalid, "action string invalid format"},
		{"direction", "both", nil, model.CodeInvalid, "direction string invalid format"},
		{"priority", "in", func(r *model.Rule) { r.Priority = 101 }, model.CodeInvalid, "priority Value Out of bound"},
		{"port", "in", func(r *model.Rule) { r.Port = 65536 }, model.CodeInvalid, "port Value Out of bound"},
		{"POL-06 policy", "in", func(r *model.Rule) { r.PolicyName = "p2" }, model.CodeNotFound, "Policy not found"},
		{"POL-06 tenant", "in", func(r *model.Rule) { r.TenantName = "absent" }, model.CodeNotFound, "Policy not found"},
		{"POL-07 network", "in", func(r *model.Rule) { r.ToNetwork = "net1" }, model.CodeInvalid, "toNetwork"},
		{"POL-07 group", "in", func(r *model.Rule) { r.ToEndpointGroup = "group1" }, model.CodeInvalid, "toEndpointGroup"},
		{"POL-07 address", "in", func(r *model.Rule) { r.ToIpAddress = "10.1.1.1" }, model.CodeInvalid, "toIpAddress"},
		{"outward network", "out", func(r *model.Rule) { r.FromNetwork = "net1" }, model.CodeInvalid, "fromNetwork"},
		{"outward group", "out", func(r *model.Rule) { r.FromEndpointGroup = "group1" }, model.CodeInvalid, "fromEndpointGroup"},
		{"outward address", "out", func(r *model.Rule) { r.FromIpAddress = "10.1.1.1" }, model.CodeInvalid, "fromIpAddress"},
		{"POL-09 in", "in", func(r *model.Rule) { r.FromNetwork, r.FromIpAddress = "net1", "10.1.1.1" }, model.CodeInvalid, "both"},
		{"POL-09 out", "out", func(r *model.Rule) { r.ToNetwork, r.ToIpAddress = "net1", "10.1.1.1" }, model.CodeInvalid, "both"},
		{"POL-10 in", "in", func(r *model.Rule) { r.FromNetwork, r.FromEndpointGroup = "net1", "group1" }, model.CodeInvalid, "both"},
		{"POL-10 out", "out", func(r *model.Rule) { r.ToNetwork, r.ToEndpointGroup = "net1", "group1" }, model.CodeInvalid, "both"},
		{"POL-11 from network", "in", func(r *model.Rule) { r.FromNetwork = "net2" }, model.CodeNotFound, "from Network not found"},
		{"POL-11 to network", "out", func(r *model.Rule) { r.ToNetwork = "net2" }, model.CodeNotFound, "to Network not found"},
		{"POL-11 from group", "in", func(r *model.Rule) { r.FromEndpointGroup = "group9" }, model.CodeNotFound, "endpoint group not found"},
		{"POL-11 to group", "out", func(r *model.Rule) { r.ToEndpointGroup = "group9" }, model.CodeNotFound, "endpoint group not found"},
		{"one address with a length", "in", func(r *model.Rule) { r.FromIpAddress = "10.1.1.1/32" }, model.CodeInvalid, "fromIpAddress string invalid format"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := m.Rules().Put(context.Background(), rule("new", test.direction, "allow", test.edit))
			mastertest.Refused(t, err, test.code, test.text)
			if e := model.AsError(err); e.Remedy == "" {
				t.Errorf("refusal %q names no remedy", e.Message)
			}
		})
	}
}

func TestPOL_Inspect(t *testing.T) {
	m := policyMaster(t)
	mastertest.Put(t, m.EndpointGroups(), group("group1", "net1", "p1"))
	mastertest.Put(t, m.EndpointGroups(), group("group2", "net1", "p1"))
	m.Endpoint(t, "default", "net1", "group1", "c1", "")
	m.Endpoint(t, "default", "net1", "group2", "c2", "")
	m.Endpoint(t, "default", "net1", "", "c3", "")
	got, err := m.Policys().Inspect(context.Background(), "default", "p1")
	if err != nil || got.Oper.NumEndpoints != 2 || len(got.Oper.Endpoints) != 2 || len(got.Config.LinkSets.EndpointGroups) != 2 {
		t.Errorf("want both groups' endpoints, got %+v, %v", got, err)
	}
}
