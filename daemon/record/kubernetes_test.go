// SPDX-License-Identifier: Apache-2.0

package record

import (
	"encoding/json"
	"net/netip"
	"strings"
	"testing"

	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netpolicy"
)

// kubernetesSamples returns a record of every type of Kubernetes' objects, with every field set.
func kubernetesSamples() []any {
	addr, prefix := netip.MustParseAddr, netip.MustParsePrefix
	web := netpolicy.NewSelector(netpolicy.Requirement{Key: "app", Operator: netpolicy.In, Values: []string{"web"}}, netpolicy.Requirement{Key: "old", Operator: netpolicy.DoesNotExist})
	rule := netpolicy.Rule{Number: 2, Peers: []netpolicy.Peer{{Block: prefix("10.0.0.0/8"), Except: []netip.Prefix{prefix("10.1.0.0/16")}}, {Own: true, Pods: web},
		{Namespaces: web}}, Ports: []netpolicy.Port{{Protocol: 6, First: 80, Last: 90}, {Protocol: 17, Name: "dns"}, {Name: "any"}}}
	side := netpolicy.Direction{Isolates: true, Rules: []netpolicy.Rule{rule}, Unread: []string{"why"}}
	cluster := netpolicy.ClusterDirection{Rules: []netpolicy.ClusterRule{{Rule: rule, Name: "n", Action: netpolicy.Pass}}, Unread: []string{"why"}}
	return []any{
		&Namespace{Name: "ns", UID: "u", Labels: map[string]string{"team": "a"}, Place: Place{"t", "n", "g"}},
		&netpolicy.Policy{ID: identity.NetworkPolicy{Namespace: "ns", Name: "p"}, Pods: web, Ingress: side, Egress: side},
		&netpolicy.ClusterPolicy{Name: "p", Tier: netpolicy.TierBaseline, Priority: 1000, Namespaces: web, Pods: web, Ingress: cluster, Egress: cluster},
		&KubernetesService{ID: identity.KubernetesService{Namespace: "ns", Name: "s"}, Type: ServiceLoadBalancer, Headless: true, ExternalName: "x.example", Unread: []string{"why"},
			Selector: true, Ports: []ServicePort{{"http", 6, 80, 30080}}, ClusterIPs: []netip.Addr{addr("10.96.0.9"), addr("fd00::9")},
			ExternalIPs: []netip.Addr{addr("192.0.2.7")}, LoadBalancerIPs: []netip.Addr{addr("192.0.2.8")}, LoadBalancerIP: addr("192.0.2.9"),
			LoadBalancerClass: "c", SourceRanges: []netip.Prefix{prefix("192.0.2.0/24")}, Place: Place{"t", "n", "g"}, AffinitySeconds: 10800,
			InternalLocal: true, ExternalLocal: true, HealthCheckNodePort: 30081, PublishNotReady: true, TrafficDistribution: PreferSameNode},
		&EndpointSlice{ID: identity.EndpointSlice{Namespace: "ns", Name: "s-1"}, Service: "s", Headless: true, Ports: []SlicePort{{"http", 6, 8080}},
			Endpoints: []SliceEndpoint{{Address: addr("fd01::6"), State: EndpointDraining, Hostname: "a", Node: "h1", Zone: "z", ForZones: []string{"z"},
				ForNodes: []string{"h1"}, Pod: identity.Pod{Namespace: "ns", Name: "p"}}}},
		&KubernetesNode{Name: "h1", Addresses: []netip.Addr{addr("192.0.2.1"), addr("fd00::1")}, Zone: "z", Excluded: true},
	}
}

func TestRefusedKubernetesTexts(t *testing.T) {
	tests := []struct {
		name string
		of   any
		text string
		want string // in the error
	}{
		{"an operator", &netpolicy.Policy{}, `{"id":"ns:p","pods":[{"key":"app","operator":"Like"}]}`, `operator "Like" of label "app"`},
		{"a block with host bits", &netpolicy.Policy{}, `{"id":"ns:p","ingress":{"rules":[{"number":1,"peers":[{"block":"10.1.2.3/8"}]}]}}`, `block: "10.1.2.3/8" is not`},
		{"an invalid exception", &netpolicy.Policy{}, `{"id":"ns:p","egress":{"rules":[{"number":1,"peers":[{"except":[""]}]}]}}`, `except: "invalid Prefix" is not`},
		{"ports backwards", &netpolicy.Policy{}, `{"id":"ns:p","ingress":{"rules":[{"number":1,"ports":[{"protocol":6,"first":9,"last":8}]}]}}`, "ports 9 to 8"},
		{"a policy of no namespace", &netpolicy.Policy{}, `{"id":"p"}`, "namespace:name"},
		{"a tier", &netpolicy.ClusterPolicy{}, `{"name":"p","tier":"Middle"}`, `tier "Middle" is none of Admin and Baseline`},
		{"a priority", &netpolicy.ClusterPolicy{}, `{"name":"p","tier":"Admin","priority":1001}`, "priority 1001"},
		{"an action", &netpolicy.ClusterPolicy{}, `{"name":"p","tier":"Admin","ingress":{"rules":[{"number":3,"action":"Log"}]}}`, `action "Log" of rule 3`},
		{"too many rules", &netpolicy.ClusterPolicy{}, `{"name":"p","tier":"Admin","egress":{"rules":[` + strings.Repeat(`{"action":"Deny"},`, 25) + `{"action":"Deny"}]}}`, "26 rules"},
		{"a type", &KubernetesService{}, `{"id":"ns:s","type":"Magic"}`, `type "Magic"`},
		{"an address of a link", &KubernetesService{}, `{"id":"ns:s","type":"ClusterIP","clusterIPs":["fe80::1%eth0"]}`, `clusterIPs: "fe80::1%eth0"`},
		{"an address in two forms", &KubernetesService{}, `{"id":"ns:s","type":"ClusterIP","externalIPs":["::ffff:10.1.1.1"]}`, `externalIPs: "::ffff:10.1.1.1"`},
		{"a port without a number", &KubernetesService{}, `{"id":"ns:s","type":"ClusterIP","ports":[{"name":"http"}]}`, `port "http" has no number`},
		{"a backend's family", &EndpointSlice{}, `{"id":"ns:s","service":"s","endpoints":[{"address":"10.1.1.1"},{"address":"fd01::1"}]}`, "endpoint fd01::1 is of another family"},
		{"a backend without an address", &EndpointSlice{}, `{"id":"ns:s","service":"s","endpoints":[{"address":""}]}`, "is not the address"},
		{"a backend's state", &EndpointSlice{}, `{"id":"ns:s","service":"s","endpoints":[{"address":"10.1.1.1","state":"fine"}]}`, `state "fine" of endpoint 10.1.1.1`},
		{"a node's address", &KubernetesNode{}, `{"name":"h1","addresses":["h1"]}`, "ParseAddr"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := json.Unmarshal([]byte(test.text), test.of); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: want an error with %q, got %v, %+v", test.text, test.want, err, test.of)
			}
		})
	}
}

// Typical records are encoded in few bytes.
func TestKubernetesTexts(t *testing.T) {
	tests := []struct {
		of   any
		want string
	}{
		{&Namespace{Name: "ns", UID: "u"}, `{"name":"ns","uid":"u"}`},
		{&netpolicy.Policy{ID: identity.NetworkPolicy{Namespace: "ns", Name: "deny"}, Ingress: netpolicy.Direction{Isolates: true}},
			`{"id":"ns:deny","ingress":{"isolates":true}}`},
		{&EndpointSlice{ID: identity.EndpointSlice{Namespace: "ns", Name: "s-1"}, Service: "s", Ports: []SlicePort{{Protocol: 6, Port: 80}},
			Endpoints: []SliceEndpoint{{Address: netip.MustParseAddr("10.1.1.1"), Node: "h1"}}},
			`{"id":"ns:s-1","service":"s","ports":[{"protocol":6,"port":80}],"endpoints":[{"address":"10.1.1.1","node":"h1"}]}`},
	}
	for _, test := range tests {
		if _, text := again(t, test.of); string(text) != test.want {
			t.Errorf("%T: want %s, got %s", test.of, test.want, text)
		}
	}
}

// A backend whose address belongs to another is not ready, whatever Kubernetes reports, and the stored record keeps what Kubernetes
// reports.
func TestJudgeSlice(t *testing.T) {
	const stored = `{"id":"ns:s-1","service":"s","endpoints":[{"address":"10.1.1.1"},{"address":"10.1.1.2","state":"draining"}]}`
	second := func(is bool) func(*SliceEndpoint) bool {
		return func(e *SliceEndpoint) bool { return is && e.Address == netip.MustParseAddr("10.1.1.2") }
	}
	same, err := JudgeSlice([]byte(stored), second(false))
	if err != nil || string(same) != stored {
		t.Errorf("nothing is lost: got %s, %v", same, err)
	}
	lost, err := JudgeSlice([]byte(stored), second(true))
	if err != nil {
		t.Fatal(err)
	}
	var s EndpointSlice
	if err := json.Unmarshal(lost, &s); err != nil || s.Endpoints[0].State != EndpointReady || s.Endpoints[1].State != EndpointNotReady || !s.Endpoints[1].Lost {
		t.Errorf("want only the second not ready, got %+v, %v", s.Endpoints, err)
	}
	if found, err := JudgeSlice(lost, second(false)); err != nil || string(found) != stored {
		t.Errorf("want the previous record, got %s, %v", found, err)
	}
	if _, err := JudgeSlice([]byte("{"), second(true)); err == nil {
		t.Error("want a malformed slice refused")
	}
}
