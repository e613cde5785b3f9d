// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netpolicy"
)

// labelled returns a selector of one label, or an empty one.
func labelled(key, value string) netpolicy.Selector {
	if key == "" {
		return nil
	}
	return netpolicy.Selector{{Key: key, Operator: netpolicy.In, Values: []string{value}}}
}

// end returns a pod of namespace "a" or "b" with label app, at a node; or, without a namespace, a node or an address outside.
func end(namespace, app, addr, node string) End {
	e := End{Addr: netip.MustParseAddr(addr), Node: node}
	if namespace != "" {
		e.Pod = &Pod{Namespace: namespace, Name: app, Labels: map[string]string{"app": app},
			Ports: []NamedPort{{Name: "web", Protocol: TCP, Port: 8080}, {Name: "dns", Protocol: TCP, Port: 53}, {Name: "dns", Protocol: UDP, Port: 5353}}}
	}
	return e
}

func block(cidr string, except ...string) netpolicy.Peer {
	p := netpolicy.Peer{Block: netip.MustParsePrefix(cidr)}
	for _, e := range except {
		p.Except = append(p.Except, netip.MustParsePrefix(e))
	}
	return p
}

// ingress returns a policy of namespace a for traffic to pods with a label app; "" for all pods.
func ingress(name, app string, rules ...netpolicy.Rule) *netpolicy.Policy {
	p := &netpolicy.Policy{ID: identity.NetworkPolicy{Namespace: "a", Name: name}, Ingress: netpolicy.Direction{Isolates: true}}
	if app != "" {
		p.Pods = labelled("app", app)
	}
	for i, r := range rules {
		r.Number = i + 1
		p.Ingress.Rules = append(p.Ingress.Rules, r)
	}
	return p
}

// egress returns the same for traffic from them.
func egress(name, app string, rules ...netpolicy.Rule) *netpolicy.Policy {
	p := ingress(name, app, rules...)
	p.Ingress, p.Egress = p.Egress, p.Ingress
	return p
}

// ofTier returns a policy of the cluster for traffic to pods of namespace a.
func ofTier(tier netpolicy.Tier, priority int, name string, rules ...netpolicy.ClusterRule) *netpolicy.ClusterPolicy {
	p := &netpolicy.ClusterPolicy{Name: name, Tier: tier, Priority: priority, Namespaces: labelled("name", "a")}
	for i, r := range rules {
		r.Number = i + 1
		p.Ingress.Rules = append(p.Ingress.Rules, r)
	}
	return p
}

func does(action netpolicy.Action, peers ...netpolicy.Peer) netpolicy.ClusterRule {
	return netpolicy.ClusterRule{Action: action, Rule: netpolicy.Rule{Peers: peers}}
}

// TestNetworkPolicies checks the semantics in the API's documentation, policy by policy.
func TestNetworkPolicies(t *testing.T) {
	db, web, other := end("a", "db", "10.1.0.1", "h1"), end("a", "web", "10.1.0.2", "h2"), end("b", "web", "10.1.0.3", "h1")
	own, far, world := end("", "", "192.0.2.1", "h1"), end("", "", "192.0.2.2", "h2"), end("", "", "8.8.8.8", "")
	six := end("", "", "2001:db8::1", "")
	port := func(protocol, first, last int) netpolicy.Port {
		return netpolicy.Port{Protocol: uint8(protocol), First: uint16(first), Last: uint16(last)}
	}
	from := func(peers ...netpolicy.Peer) netpolicy.Rule { return netpolicy.Rule{Peers: peers} }
	to := func(ports ...netpolicy.Port) netpolicy.Rule { return netpolicy.Rule{Ports: ports} }
	inOwn, inB := netpolicy.Peer{Own: true, Pods: labelled("app", "web")}, netpolicy.Peer{Namespaces: labelled("name", "b")}
	everyone := netpolicy.Peer{}
	type policies []*netpolicy.Policy
	type clusters []*netpolicy.ClusterPolicy
	http, admin, base := Traffic{Protocol: TCP, Port: 80}, netpolicy.TierAdmin, netpolicy.TierBaseline
	deny, accept, pass := netpolicy.Deny, netpolicy.Accept, netpolicy.Pass
	tests := []struct {
		name     string
		policies policies
		clusters clusters
		from, to End
		traffic  Traffic
		allowed  bool
		by       string
	}{
		{"nothing isolates", nil, nil, web, db, http, true, ""},
		{"an isolated pod", policies{ingress("deny", "")}, nil, web, db, http, false, "a/deny 0"},
		{"isolated in only one direction", policies{ingress("deny", "")}, nil, db, other, http, true, ""},
		{"another pod", policies{ingress("deny", "db")}, nil, db, web, http, true, ""},
		{"another namespace", policies{ingress("deny", "")}, nil, db, other, http, true, ""},
		{"what it sends", policies{egress("deny", "db")}, nil, db, web, http, false, "a/deny 0"},
		{"any rule of any policy", policies{ingress("deny", ""), ingress("let", "db", from(inB), from(inOwn))}, nil, web, db, http, true, "a/let 2"},
		{"an empty rule is everything", policies{ingress("all", "", from())}, nil, world, db, Traffic{}, true, "a/all 1"},
		{"own means the namespace", policies{ingress("let", "db", from(inOwn))}, nil, other, db, http, false, "a/let 0"},
		{"pods of a namespace", policies{ingress("let", "db", from(inB))}, nil, other, db, http, true, "a/let 1"},
		{"pods are not the world", policies{ingress("let", "db", from(everyone))}, nil, world, db, http, false, "a/let 0"},
		{"nor nodes", policies{ingress("let", "db", from(everyone))}, nil, far, db, http, false, "a/let 0"},
		{"a node by its address", policies{ingress("let", "db", from(block("192.0.2.0/24")))}, nil, far, db, http, true, "a/let 1"},
		{"its own node", policies{ingress("deny", "")}, nil, own, db, http, true, ""},
		{"to its own node", policies{egress("deny", "")}, nil, db, own, http, true, ""},
		{"to another node", policies{egress("deny", "")}, nil, db, far, http, false, "a/deny 0"},
		{"a block", policies{ingress("let", "", from(block("8.0.0.0/8")))}, nil, world, db, http, true, "a/let 1"},
		{"an exception", policies{ingress("let", "", from(block("8.0.0.0/8", "8.8.0.0/16")))}, nil, world, db, http, false, "a/let 0"},
		{"an exception of another peer", policies{ingress("let", "", from(block("8.0.0.0/8", "8.8.0.0/16"), block("8.8.8.8/32")))}, nil, world, db, http, true, "a/let 1"},
		{"a block is of pods too", policies{ingress("let", "", from(block("10.1.0.0/16")))}, nil, other, db, http, true, "a/let 1"},
		{"a block of the other family", policies{ingress("let", "", from(block("0.0.0.0/0")))}, nil, six, db, http, false, "a/let 0"},
		{"IPv6", policies{ingress("let", "", from(block("2001:db8::/32", "2001:db8:1::/48")))}, nil, six, db, http, true, "a/let 1"},
		{"a port", policies{ingress("let", "", to(port(TCP, 80, 80)))}, nil, web, db, http, true, "a/let 1"},
		{"another protocol", policies{ingress("let", "", to(port(UDP, 80, 80)))}, nil, web, db, http, false, "a/let 0"},
		{"a range", policies{ingress("let", "", to(port(SCTP, 80, 90)))}, nil, web, db, Traffic{Protocol: SCTP, Port: 90}, true, "a/let 1"},
		{"beyond a range", policies{ingress("let", "", to(port(SCTP, 80, 90)))}, nil, web, db, Traffic{Protocol: SCTP, Port: 91}, false, "a/let 0"},
		{"a protocol", policies{ingress("let", "", to(port(UDP, 0, 0)))}, nil, web, db, Traffic{Protocol: UDP, Port: 7}, true, "a/let 1"},
		{"ping has no port", policies{ingress("let", "", to(port(TCP, 0, 0), port(UDP, 0, 0)))}, nil, web, db, Traffic{Protocol: ICMP}, false, "a/let 0"},
		{"ping to all ports", policies{ingress("let", "", from(inOwn))}, nil, web, db, Traffic{Protocol: ICMP}, true, "a/let 1"},
		{"a port's name", policies{ingress("let", "", to(netpolicy.Port{Protocol: TCP, Name: "web"}))}, nil, web, db, Traffic{Protocol: TCP, Port: 8080}, true, "a/let 1"},
		{"a name of another protocol's", policies{ingress("let", "", to(netpolicy.Port{Protocol: UDP, Name: "web"}))}, nil, web, db, Traffic{Protocol: UDP, Port: 8080}, false, "a/let 0"},
		{"a name of any protocol", policies{ingress("let", "", to(netpolicy.Port{Name: "dns"}))}, nil, web, db, Traffic{Protocol: UDP, Port: 5353}, true, "a/let 1"},
		{"a name of any protocol, each its own", policies{ingress("let", "", to(netpolicy.Port{Name: "dns"}))}, nil, web, db, Traffic{Protocol: UDP, Port: 53}, false, "a/let 0"},
		{"a name is the receiver's", policies{egress("let", "", to(netpolicy.Port{Protocol: TCP, Name: "web"}))}, nil, db, other, Traffic{Protocol: TCP, Port: 8080}, true, "a/let 1"},
		{"outside nothing has a name", policies{egress("let", "", to(netpolicy.Port{Protocol: TCP, Name: "web"}))}, nil, db, world, Traffic{Protocol: TCP, Port: 8080}, false, "a/let 0"},
		{"a block has no names", policies{egress("let", "", netpolicy.Rule{Peers: []netpolicy.Peer{block("10.0.0.0/8")}, Ports: []netpolicy.Port{{Protocol: TCP, Name: "web"}}})}, nil, db, other, Traffic{Protocol: TCP, Port: 8080}, false, "a/let 0"},
		{"the receiver's own names", policies{ingress("let", "", netpolicy.Rule{Peers: []netpolicy.Peer{block("10.0.0.0/8")}, Ports: []netpolicy.Port{{Protocol: TCP, Name: "web"}}})}, nil, other, db, Traffic{Protocol: TCP, Port: 8080}, true, "a/let 1"},
		{"both ends", policies{egress("let", "web", from(inOwn)), ingress("deny", "db")}, nil, web, db, http, false, "a/deny 0"},
		{"peers and ports of one rule", policies{ingress("let", "", netpolicy.Rule{Peers: []netpolicy.Peer{inB}, Ports: []netpolicy.Port{port(TCP, 80, 80)}})}, nil, other, db, Traffic{Protocol: TCP, Port: 81}, false, "a/let 0"},
		{"the cluster denies what a policy allows", policies{ingress("all", "", from())}, clusters{ofTier(admin, 1, "c", does(deny, inB))}, other, db, http, false, "c 1"},
		{"the cluster accepts what none allows", policies{ingress("deny", "")}, clusters{ofTier(admin, 1, "c", does(accept, inB))}, other, db, http, true, "c 1"},
		{"an unknown operator", policies{ingress("let", "", from(netpolicy.Peer{Pods: netpolicy.Selector{{Key: "app", Operator: "Like"}}}))}, nil, web, db, http, false, "a/let 0"},
		{"the lowest first", nil, clusters{ofTier(admin, 5, "a", does(deny, inB)), ofTier(admin, 4, "z", does(accept, inB))}, other, db, http, true, "z 1"},
		{"of equals the first by name", nil, clusters{ofTier(admin, 5, "z", does(deny, inB)), ofTier(admin, 5, "a", does(accept, inB))}, other, db, http, true, "a 1"},
		{"the first rule", nil, clusters{ofTier(admin, 5, "c", does(accept, everyone), does(deny, everyone))}, other, db, http, true, "c 1"},
		{"passed to policies", policies{ingress("deny", "")}, clusters{ofTier(admin, 5, "c", does(pass, inB), does(accept, everyone))}, other, db, http, false, "a/deny 0"},
		{"passed to baseline", nil, clusters{ofTier(admin, 5, "c", does(pass, inB)), ofTier(base, 5, "b", does(deny, everyone))}, other, db, http, false, "b 1"},
		{"passed beyond baseline", nil, clusters{ofTier(base, 5, "b", does(pass, inB), does(deny, everyone))}, other, db, http, true, ""},
		{"baseline applies only to pods that no policy isolates", policies{ingress("all", "", from())}, clusters{ofTier(base, 5, "b", does(deny, everyone))}, other, db, http, true, "a/all 1"},
		{"the cluster and the own node", nil, clusters{ofTier(admin, 5, "c", does(deny))}, own, db, http, true, ""},
		{"networks are pods too", nil, clusters{ofTier(admin, 5, "c", does(deny, block("0.0.0.0/0")))}, other, db, http, false, "c 1"},
		{"another subject", nil, clusters{ofTier(admin, 5, "c", does(deny, everyone))}, db, other, http, true, ""},
	}
	spaces := map[string]map[string]string{"a": {"name": "a"}, "b": {"name": "b"}}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v := NewNetworkPolicies(spaces, test.policies, test.clusters).Packet(test.from, test.to, test.traffic)
			by := ""
			for _, s := range []Sentence{v.Out, v.In} {
				if s.By.Policy != "" && s.Allowed == v.Allowed() {
					by = fmt.Sprint(s.By.Policy, " ", s.By.Rule)
				}
			}
			if v.Allowed() != test.allowed || by != test.by {
				t.Errorf("want allowed %t by %q, got %t by %q", test.allowed, test.by, v.Allowed(), by)
			}
		})
	}
}

// TestNetworkPoliciesCrowded checks that policies of one priority share a limit, and that beyond it they deny.
func TestNetworkPoliciesCrowded(t *testing.T) {
	web := end("b", "web", "10.1.0.3", "h1")
	var all []*netpolicy.ClusterPolicy
	for i := range 3 {
		var rules []netpolicy.ClusterRule
		for range maxPlaces / 2 {
			rules = append(rules, does(netpolicy.Accept, block("192.0.2.0/24")))
		}
		p := ofTier(netpolicy.TierAdmin, 3, fmt.Sprint("c", i), rules...)
		all = append(all, p)
		s := NewNetworkPolicies(map[string]map[string]string{"a": {"name": "a"}}, nil, all).
			Packet(web, end("a", "db", "10.1.0.1", "h2"), Traffic{Protocol: TCP, Port: 80}).In
		if want := i < 2; s.Allowed != want {
			t.Errorf("%d policies of 25 rules: want allowed %t, got %+v", i+1, want, s)
		}
	}
}
