// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"net/netip"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netpolicy"
)

func labels(pairs ...string) map[string]string {
	out := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = pairs[i+1]
	}
	return out
}

// Connections that pods may open to each other and to the outside, by both gates.
func TestBetweenWorkloads(t *testing.T) {
	has := func(key, value string) netpolicy.Selector {
		return netpolicy.Selector{{Key: key, Operator: netpolicy.In, Values: []string{value}}}
	}
	pod := func(name, app, addr string) Workload {
		return Workload{Pod: &Pod{Namespace: "shop", Name: name, Labels: labels("app", app, "hash", name), Ports: []NamedPort{{Name: "http", Protocol: TCP, Port: 8080}}}, Addrs: []netip.Addr{netip.MustParseAddr(addr)}}
	}
	net := NewNetworkPolicies(map[string]map[string]string{"shop": nil}, []*netpolicy.Policy{
		{ID: identity.NetworkPolicy{Namespace: "shop", Name: "web"}, Pods: has("app", "web"), Ingress: netpolicy.Direction{Isolates: true, Rules: []netpolicy.Rule{
			{Number: 1, Peers: []netpolicy.Peer{{Own: true, Pods: has("app", "cl")}}, Ports: []netpolicy.Port{{Protocol: TCP, Name: "http"}, {Protocol: UDP, First: 100, Last: 200}, {Protocol: UDP, First: 150, Last: 300}}},
			{Number: 2, Peers: []netpolicy.Peer{{Block: netip.MustParsePrefix("192.0.2.0/24"), Except: []netip.Prefix{netip.MustParsePrefix("192.0.2.128/25")}}}}}}},
		{ID: identity.NetworkPolicy{Namespace: "shop", Name: "quiet"}, Pods: has("app", "quiet"), Egress: netpolicy.Direction{Isolates: true}},
	}, nil)
	rules := New("t", []model.Object{&model.EndpointGroup{TenantName: "t", GroupName: "g", NetworkName: "n", Policies: []string{"p"}}}, nil,
		[]model.Object{&model.Rule{TenantName: "t", PolicyName: "p", RuleId: "1", Direction: "in", Action: "deny", Protocol: "tcp", Port: 22, Priority: 1}})
	g := &Gates{Rules: rules, Net: net}
	web, cl, quiet, outside := pod("w", "web", "10.1.0.1"), pod("c", "cl", "10.1.0.2"), pod("q", "quiet", "10.1.0.3"), Workload{}
	grouped := cl
	grouped.Group = rules.groups[0]
	for _, row := range []struct {
		name     string
		from, to Workload
		want     string
	}{
		{"named port and ranges", cl, web, "tcp 8080 udp 100-149 udp 150-200 udp 201-300"},
		{"isolated", cl, quiet, "all"},
		{"silent", quiet, cl, "none"},
		{"a block and what it excepts", outside, web, "? by address"},
		{"to the outside", web, outside, "all"},
		{"Contiv's rules too", web, grouped, "all -tcp 22"},
		{"both gates", quiet, grouped, "none"},
	} {
		if got := SumOf(g.Between(row.from, row.to)).Text; got != row.want {
			t.Errorf("%s: want %q, got %q: %+v", row.name, row.want, got, g.Between(row.from, row.to))
		}
	}
	if list := g.Between(cl, web); list[0].In != "networkpolicy shop/web rule 1" || list[len(list)-1].In != "networkpolicy shop/web isolates" {
		t.Errorf("want the deciding rule, got %+v", list)
	}
	if g.Between(outside, outside) != nil {
		t.Error("want no decision from outside to outside")
	}
	other := pod("c2", "cl", "10.1.0.9")
	if g.Alike(cl) != g.Alike(other) || g.Alike(cl) == g.Alike(web) || g.Alike(cl) == g.Alike(grouped) {
		t.Error("want pods alike if no selector, block or group distinguishes them")
	}
}
