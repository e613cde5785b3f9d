// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"maps"
	"slices"
	"testing"

	"github.com/contiv/contiv/netpolicy"
)

// K8S-02, K8S-03: what a namespace's pods receive follows its policy for all of them, through every change of that, and has nothing to do
// with another namespace's.
func TestDefaultPolicies(t *testing.T) {
	world := end("", "", "8.8.8.8", "")
	pods := map[string]End{"a": end("a", "db", "10.1.0.1", "h1"), "b": end("b", "db", "10.1.0.2", "h1")}
	now := map[string]*netpolicy.Policy{}
	for i, step := range []struct{ namespace, policy string }{
		{"a", "allow"}, {"a", ""}, {"a", "deny"}, {"b", "deny"}, {"a", ""}, {"a", "allow"}, {"b", "allow"}, {"a", "deny"}, {"a", "deny"}, {"b", "deny"}, {"a", ""},
	} {
		delete(now, step.namespace)
		if step.policy != "" {
			p := ingress("default", "")
			if step.policy == "allow" {
				p = ingress("default", "", netpolicy.Rule{})
			}
			p.ID.Namespace = step.namespace
			now[step.namespace] = p
		}
		rules := NewNetworkPolicies(nil, slices.Collect(maps.Values(now)), nil)
		for namespace, pod := range pods {
			p := now[namespace]
			want := p == nil || len(p.Ingress.Rules) > 0
			if got := rules.Packet(world, pod, Traffic{Protocol: TCP, Port: 80}).Allowed(); got != want {
				t.Errorf("step %d, %v: pods of %s receive: %t, want %t", i, step, namespace, got, want)
			}
		}
	}
}
