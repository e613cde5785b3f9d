// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"net/netip"
	"testing"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netpolicy"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// A rule costs a flow for each class that it selects, for each class and prefix among its peers, for each port two, of IPv4 and IPv6, and
// one more, however many pods there are.
func TestFlowsOfANetPolicy(t *testing.T) {
	apps := func(names ...string) netpolicy.Selector {
		return netpolicy.NewSelector(netpolicy.Requirement{Key: "app", Operator: netpolicy.In, Values: names})
	}
	policy := netpolicy.Policy{ID: identity.NetworkPolicy{Namespace: "ns0", Name: "measured"}, Pods: apps("app0", "app1", "app2", "app3", "app4", "app5"),
		Ingress: netpolicy.Direction{Isolates: true, Rules: []netpolicy.Rule{{Number: 1,
			Peers: []netpolicy.Peer{{Own: true, Pods: apps("app6", "app7", "app8", "app9")}, {Block: netip.MustParsePrefix("10.9.0.0/16")}},
			Ports: []netpolicy.Port{{Protocol: 6, First: 80, Last: 80}, {Protocol: 6, First: 443, Last: 443}, {Protocol: 17, First: 53, Last: 53}}}}}}
	// Policies in force on the host distinguish the subjects, and two of the four peers from all others.
	const subjects, peers, ports = 6, 2 + 1 + 1, 3
	compiler := pipeline.Default()
	flows := func(r *records) int {
		s := ofnet.NewState("h1")
		s.Local = ofnet.Ports{Tunnel: 1000}
		r.net.classes = newNetPolicies().classes
		r.translate(newRecords("h1"), s)
		out := len(compiler.CompileAll(s).Flows)
		for id := range s.Endpoints.All() { // whose own say their class
			out -= len(compiler.Compile(s, ofnet.Key{Kind: ofnet.KindEndpoint, Name: id}).Flows)
		}
		return out
	}
	for _, pods := range []int{1000, 5000} {
		r := newRecords("h1")
		items := podsAndNetPolicies(pods, 1000)
		for app := range 6 {
			items = append(items, podOf(50*app, "h1"))
		}
		for _, item := range items {
			if err := r.put(item); err != nil {
				t.Fatal(err)
			}
		}
		before := flows(r)
		if err := r.put(itemOf(record.NetworkPolicies+policy.ID.String(), policy)); err != nil {
			t.Fatal(err)
		}
		if got, want := flows(r)-before, 1+subjects+peers+2*ports; got != want || want > subjects+peers+ports+10 {
			t.Errorf("among %d pods: want %d flows, got %d", pods, want, got)
		}
	}
}
