// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/contiv/contiv/api/model"
)

// scattered is a tenant with groups and rules by chance.
func scattered(seed uint64) *Policies {
	rnd := rand.New(rand.NewPCG(seed, 2))
	pick := func(of ...string) string { return of[rnd.IntN(len(of))] }
	var groups, rules []model.Object
	for i := range 12 {
		g := &model.EndpointGroup{TenantName: "t", GroupName: fmt.Sprintf("g%02d", i), NetworkName: pick("n1", "n2")}
		for range rnd.IntN(3) {
			g.Policies = append(g.Policies, pick("p0", "p1", "p2", "p3"))
		}
		if rnd.IntN(4) == 0 {
			g.IpPool = "10.1.1.100-10.1.1.110"
		}
		groups = append(groups, g)
	}
	for i := range rnd.IntN(9) {
		r := &model.Rule{TenantName: "t", PolicyName: pick("p0", "p1", "p2", "p3"), RuleId: fmt.Sprint(i), Direction: pick("in", "out"), Action: pick("allow", "deny"), Protocol: pick("", "tcp", "udp"), Priority: 1 + rnd.IntN(3)}
		if r.Protocol != "" {
			r.Port = rnd.IntN(2) * 80
		}
		peer, value := pick("group", "network", "address", "any"), ""
		switch peer {
		case "group":
			value = pick("g00", "g01")
		case "network":
			value = pick("n1", "n2")
		case "address":
			value = pick("10.1.1.0/24", "10.1.1.104", "10.9.0.0/16")
		}
		field := map[string]*string{"in group": &r.FromEndpointGroup, "in network": &r.FromNetwork, "in address": &r.FromIpAddress, "out group": &r.ToEndpointGroup, "out network": &r.ToNetwork, "out address": &r.ToIpAddress}[r.Direction+" "+peer]
		if field != nil {
			*field = value
		}
		rules = append(rules, r)
	}
	return New("t", groups, []model.Object{&model.Network{TenantName: "t", NetworkName: "n1", Subnet: "10.1.1.0/24"}, &model.Network{TenantName: "t", NetworkName: "n2", Subnet: "10.2.1.0/24"}}, rules)
}

// Parties that are alike may open the same connections, and receive the same.
func TestAlike(t *testing.T) {
	joined := 0
	for seed := range uint64(200) {
		p := scattered(seed)
		parties := p.Parties()
		alike := p.Alike(parties)
		first := make([]int, len(parties))
		for _, members := range alike {
			for _, i := range members {
				first[i] = members[0]
			}
			joined += len(members) - 1
		}
		if all := slices.Concat(alike...); len(all) != len(parties) {
			t.Fatalf("seed %d: want each party once, got %v", seed, alike)
		}
		for i := range parties {
			for j := range parties {
				want, got := Sum(p.Between(parties[i], parties[j])).Text, Sum(p.Between(parties[first[i]], parties[first[j]])).Text
				if want != got {
					t.Fatalf("seed %d: %s to %s is %q, and of those alike, %s to %s, %q", seed, parties[i].Name(), parties[j].Name(), want, parties[first[i]].Name(), parties[first[j]].Name(), got)
				}
			}
		}
	}
	if joined == 0 {
		t.Error("no parties are alike in any of the tenants")
	}
}

func TestClassOf(t *testing.T) {
	for sum, want := range map[string]Class{"": Unjudged, "not judged": Unjudged, "all": All, "none": None, "none: tenants are apart": None, "tcp 80": Some, "all -tcp 22": Some,
		"? by address": ByAddress, "tcp 80 ?tcp": ByAddress} {
		if got := ClassOf(sum); got != want {
			t.Errorf("%q: want %v, got %v", sum, want, got)
		}
	}
}

func BenchmarkSumsOf100Kinds(b *testing.B) {
	var groups, rules []model.Object
	for i := range 100 {
		name := fmt.Sprintf("g%03d", i)
		groups = append(groups, &model.EndpointGroup{TenantName: "t", GroupName: name, NetworkName: "n", Policies: []string{name}})
		rules = append(rules, &model.Rule{TenantName: "t", PolicyName: name, RuleId: "base", Direction: "in", Action: "deny", Priority: 1},
			&model.Rule{TenantName: "t", PolicyName: name, RuleId: "own", Direction: "in", Action: "allow", Protocol: "tcp", Port: 80 + i, Priority: 2, FromEndpointGroup: name})
	}
	p := New("t", groups, []model.Object{&model.Network{TenantName: "t", NetworkName: "n", Subnet: "10.0.0.0/16"}}, rules)
	parties := p.Parties()
	for b.Loop() {
		for _, from := range parties {
			for _, to := range parties {
				Sum(p.Between(from, to))
			}
		}
	}
}
