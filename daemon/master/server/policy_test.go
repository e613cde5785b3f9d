package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
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

// placed lists the rules in the store for agents, one line each.
func placed(t *testing.T, m *mastertest.Master) []string {
	t.Helper()
	items, _, err := m.Store.List(context.Background(), record.PolicyRules)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, it := range items {
		var r record.PolicyRule
		if err := json.Unmarshal(it.Value, &r); err != nil {
			t.Fatal(err)
		}
		if record.PolicyRules+r.ID != it.Key || r.RuleID != r.ID {
			t.Errorf("record %s calls itself %s and %s", it.Key, r.ID, r.RuleID)
		}
		out = append(out, fmt.Sprintf("%s %d>%d %s>%s p%d %d>%d %s %s %d", strings.TrimPrefix(r.ID, "default:"), r.SrcEndpointGroup, r.DstEndpointGroup,
			r.SrcIPAddr, r.DstIPAddr, r.IPProtocol, r.SrcPort, r.DstPort, r.TCPFlags, r.Action, r.Priority))
	}
	return out
}

func expectPlaced(t *testing.T, m *mastertest.Master, want ...string) {
	t.Helper()
	if got := placed(t, m); !slices.Equal(got, want) {
		t.Errorf("rules for agents:\nwant %s\ngot  %s", strings.Join(want, "\n     "), strings.Join(got, "\n     "))
	}
}

// policyMaster has network net1, groups group1 (number 1) and group2 (number 2) without policies, and policy p1.
func policyMaster(t *testing.T) *mastertest.Master {
	t.Helper()
	m := mastertest.Start(t, mastertest.Options{})
	mustPut(t, m.Networks(), network("net1", "10.1.1.0/24"))
	mustPut(t, m.EndpointGroups(), group("group1", "net1"))
	mustPut(t, m.EndpointGroups(), group("group2", "net1"))
	mustPut(t, m.Policys(), policy("p1"))
	return m
}

func TestPOL_01_Unknown(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	_, err := m.Policys().Put(ctx, &model.Policy{TenantName: "nobody", PolicyName: "p1"})
	refusedWith(t, err, model.CodeNotFound, "Tenant not found")
	_, err = m.Policys().Delete(ctx, "default", "p1")
	refusedWith(t, err, model.CodeNotFound, "policy not found")
	_, err = m.Rules().Delete(ctx, "default", "p1", "1")
	refusedWith(t, err, model.CodeNotFound, "rule not found")
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
		mustPut(t, m.Rules(), r)
		if got, err := m.Rules().Get(context.Background(), "default", "p1", fmt.Sprint(i+1)); err != nil || got.Priority != 1 {
			t.Errorf("rule %d: want priority 1, got %+v, %v", i+1, got, err)
		}
	}
	expectPlaced(t, m) // attached to nothing
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
	mustPut(t, m.Rules(), rule("taken", "in", "allow", nil))
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
		{"POL-06 tenant", "in", func(r *model.Rule) { r.TenantName = "nobody" }, model.CodeNotFound, "Policy not found"},
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
			refusedWith(t, err, test.code, test.text)
			if e := model.AsError(err); e.Remedy == "" {
				t.Errorf("refusal %q names no remedy", e.Message)
			}
		})
	}
}

func TestPOL_13_OwnAddress(t *testing.T) {
	m := policyMaster(t)
	mustPut(t, m.EndpointGroups(), group("group1", "net1", "p1"))
	m.Endpoint(t, "default", "net1", "group1", "c1", "10.1.1.15")
	to := func(address string) *model.Rule {
		return rule("1", "in", "allow", func(r *model.Rule) { r.ToIpAddress, r.Protocol, r.Port = address, "tcp", 80 })
	}
	_, err := m.Rules().Put(context.Background(), to("10.1.1.19"))
	refusedWith(t, err, model.CodeInvalid, "toIpAddress")
	mustPut(t, m.Rules(), to("10.1.1.15"))
	expectPlaced(t, m,
		"group1:default:p1:default:p1:1:inRx 0>1 >10.1.1.15 p6 0>80  allow 1",
		"group1:default:p1:default:p1:1:inTx 1>0 10.1.1.15> p6 80>0  allow 1")
	mustPut(t, m.EndpointGroups(), group("group2", "net1", "p1"))
	two := to("10.1.1.15")
	two.RuleId = "2"
	_, err = m.Rules().Put(context.Background(), two)
	refusedWith(t, err, model.CodeInvalid, "toIpAddress")
}

// Addresses of rules may be IPv6, also that of one container, in any spelling; agents get them beside those of IPv4.
func TestRulesOfIPv6(t *testing.T) {
	m := policyMaster(t)
	six := network("net6", "10.6.1.0/24")
	six.Ipv6Subnet = "fd06::/64"
	mustPut(t, m.Networks(), six)
	mustPut(t, m.EndpointGroups(), group("group6", "net6", "p1"))
	e := m.Endpoint(t, "default", "net6", "group6", "c6", "")
	own := netip.MustParseAddr(e.IPv6Address).StringExpanded()
	mustPut(t, m.Rules(), rule("1", "in", "deny", func(r *model.Rule) { r.FromIpAddress, r.Protocol = "fd07::/64", "udp" }))
	mustPut(t, m.Rules(), rule("2", "out", "allow", func(r *model.Rule) { r.ToIpAddress, r.Protocol, r.Port = "fd08::5", "tcp", 80 }))
	mustPut(t, m.Rules(), rule("3", "in", "allow", func(r *model.Rule) { r.ToIpAddress, r.FromIpAddress = own, "10.1.1.9" }))
	const prefix = record.PolicyRules + "default:group6:default:p1:default:p1:"
	for key, want := range map[string][4]string{ // from IPv4, IPv6, to IPv4, IPv6
		"1:inRx": {"", "fd07::/64", "", ""}, "2:outTx": {"", "", "", "fd08::5"}, "2:outRx": {"", "fd08::5", "", ""}, "3:inRx": {"10.1.1.9", "", "", own}} {
		r := read[record.PolicyRule](t, m, prefix+key)
		if got := [4]string{r.SrcIPAddr, r.SrcIPv6Addr, r.DstIPAddr, r.DstIPv6Addr}; got != want {
			t.Errorf("%s: want %q, got %q", key, want, got)
		}
	}
	_, err := m.Rules().Put(context.Background(), rule("4", "in", "allow", func(r *model.Rule) { r.ToIpAddress = "fd06::77" }))
	refusedWith(t, err, model.CodeInvalid, "toIpAddress")
}

// POL-14, EPG-04, EPG-05: what agents get follows attaching, detaching, rules and groups, and nothing is left behind.
func TestPOL_14_Records(t *testing.T) {
	ctx := context.Background()
	m := policyMaster(t)
	mustPut(t, m.Rules(), rule("1", "in", "deny", func(r *model.Rule) { r.Protocol = "tcp" }))
	mustPut(t, m.Rules(), rule("2", "out", "allow", func(r *model.Rule) { r.ToEndpointGroup, r.Protocol, r.Port, r.Priority = "group2", "udp", 53, 10 }))
	mustPut(t, m.Rules(), rule("3", "out", "deny", func(r *model.Rule) { r.ToNetwork, r.Protocol = "net1", "icmp" }))
	expectPlaced(t, m)
	mustPut(t, m.EndpointGroups(), group("group1", "net1", "p1"))
	const prefix = "group1:default:p1:default:p1:"
	one := prefix + "1:inRx 0>1 > p6 0>0 syn,!ack deny 1"
	two := []string{prefix + "2:outRx 2>1 > p17 53>0  allow 10", prefix + "2:outTx 1>2 > p17 0>53  allow 10"}
	three := prefix + "3:outTx 1>0 >10.1.1.0/24 p1 0>0  deny 1"
	expectPlaced(t, m, one, two[0], two[1], three)
	const attachment = record.AttachedPolicies + "default:group1:default:p1"
	if got := read[record.AttachedPolicy](t, m, attachment); got.EpgPolicyKey != "default:group1:default:p1" || got.EndpointGroupID != 1 {
		t.Errorf("attached policy: got %+v", *got)
	}

	t.Run("exactly the rule's records", func(t *testing.T) {
		before := revisions(t, m)
		mustPut(t, m.Rules(), rule("4", "in", "allow", func(r *model.Rule) { r.Protocol = "89" }))
		expectPlaced(t, m, one, two[0], two[1], three, prefix+"4:inRx 0>1 > p89 0>0  allow 1")
		if _, err := m.Rules().Delete(ctx, "default", "p1", "4"); err != nil {
			t.Fatal(err)
		}
		if after := revisions(t, m); !slices.Equal(before, after) {
			t.Errorf("other records were written again: %v, %v", before, after)
		}
	})
	t.Run("a group named by a rule goes and comes back", func(t *testing.T) {
		if _, err := m.EndpointGroups().Delete(ctx, "default", "group2"); err != nil {
			t.Fatal(err)
		}
		expectPlaced(t, m, one, three)
		mustPut(t, m.EndpointGroups(), group("other", "net1")) // takes the number
		expectPlaced(t, m, one, three)
		mustPut(t, m.EndpointGroups(), group("group2", "net1"))
		expectPlaced(t, m, one, prefix+"2:outRx 3>1 > p17 53>0  allow 10", prefix+"2:outTx 1>3 > p17 0>53  allow 10", three)
	})
	t.Run("another policy", func(t *testing.T) {
		mustPut(t, m.Policys(), policy("p2"))
		r := rule("1", "in", "allow", nil)
		r.PolicyName = "p2"
		mustPut(t, m.Rules(), r)
		mustPut(t, m.EndpointGroups(), group("group1", "net1", "p2"))
		expectPlaced(t, m, "group1:default:p2:default:p2:1:inRx 0>1 > p0 0>0  allow 1")
	})
	t.Run("POL-15 delete", func(t *testing.T) {
		_, err := m.Policys().Delete(ctx, "default", "p2")
		refusedWith(t, err, model.CodeInUse, "Policy is being used")
		if _, err := m.EndpointGroups().Delete(ctx, "default", "group1"); err != nil {
			t.Fatal(err)
		}
		expectPlaced(t, m)
		if items, _, err := m.Store.List(ctx, record.AttachedPolicies); err != nil || len(items) != 0 {
			t.Errorf("no attached policy may be left, got %d, %v", len(items), err)
		}
		for _, name := range []string{"p1", "p2"} {
			if _, err := m.Policys().Delete(ctx, "default", name); err != nil {
				t.Error(err)
			}
		}
		if rules, err := m.Rules().List(ctx); err != nil || len(rules) != 0 {
			t.Errorf("the rules must go with their policies, got %d, %v", len(rules), err)
		}
	})
}

// revisions are the revisions of the rules' records.
func revisions(t *testing.T, m *mastertest.Master) (out []uint64) {
	t.Helper()
	items, _, err := m.Store.List(context.Background(), record.PolicyRules)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		out = append(out, uint64(it.Revision))
	}
	return out
}

func TestPOL_Inspect(t *testing.T) {
	m := policyMaster(t)
	mustPut(t, m.EndpointGroups(), group("group1", "net1", "p1"))
	mustPut(t, m.EndpointGroups(), group("group2", "net1", "p1"))
	m.Endpoint(t, "default", "net1", "group1", "c1", "")
	m.Endpoint(t, "default", "net1", "group2", "c2", "")
	m.Endpoint(t, "default", "net1", "", "c3", "")
	got, err := m.Policys().Inspect(context.Background(), "default", "p1")
	if err != nil || got.Oper.NumEndpoints != 2 || len(got.Oper.Endpoints) != 2 || len(got.Config.LinkSets.EndpointGroups) != 2 {
		t.Errorf("want both groups' endpoints, got %+v, %v", got, err)
	}
}
