// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/network-policy-api/apis/v1alpha2"

	"github.com/contiv/contiv/daemon/kube/kubetest"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store/memory"
)

// clusterPolicy is one that accepts names of domains, which are not read, and has a condition of somebody else's.
func clusterPolicy(name string) *v1alpha2.ClusterNetworkPolicy {
	return &v1alpha2.ClusterNetworkPolicy{TypeMeta: metav1.TypeMeta{Kind: "ClusterNetworkPolicy", APIVersion: v1alpha2.GroupVersion.String()},
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: "u", Generation: 3},
		Spec: v1alpha2.ClusterNetworkPolicySpec{Tier: v1alpha2.AdminTier, Priority: 1, Subject: v1alpha2.ClusterNetworkPolicySubject{Namespaces: &metav1.LabelSelector{}},
			Egress: []v1alpha2.ClusterNetworkPolicyEgressRule{{Action: "Accept", To: []v1alpha2.ClusterNetworkPolicyEgressPeer{{DomainNames: []v1alpha2.DomainName{"example.com"}}}}}},
		Status: v1alpha2.ClusterNetworkPolicyStatus{Conditions: []metav1.Condition{{Type: "example.com/Seen", Status: metav1.ConditionTrue, Reason: "Seen", LastTransitionTime: metav1.Now()}}}}
}

// stated is what the conditions of a policy say.
func stated(p *v1alpha2.ClusterNetworkPolicy) (out []string) {
	for _, c := range p.Status.Conditions {
		out = append(out, string(c.Status)+" "+c.Type+": "+c.Message)
	}
	return out
}

// The status of a policy lists its parts that are not in force, beside conditions of others: what netmaster does not read, and what does
// not fit into the switches of hosts. It ends with its reason.
func TestPolicyConditions(t *testing.T) {
	server := kubetest.Start(t)
	server.Install(true)
	server.Put(t, clusterPolicy("names"))
	w := start(t, server, memory.New())
	says := func(want ...string) {
		t.Helper()
		w.await(strings.Join(want, ", "), func() bool {
			got := stated(server.Policy("names"))
			if len(got) != len(want) {
				return false
			}
			for i := range want {
				if !strings.HasPrefix(got[i], want[i]) {
					return false
				}
			}
			return true
		})
	}
	found := func(at int, ended bool, host string) {
		t.Helper()
		if _, err := w.World.Commit.Do(t.Context(), func(tx *commit.Tx) error {
			return tx.Put(catalog.TimelineKey(uint64(at)), &record.TimelineEvent{At: time.Unix(int64(at), 0).UTC(), Ended: ended, Code: "policy-crowded", Host: host, Object: "policy/names", Severity: "error"})
		}); err != nil {
			t.Fatal(err)
		}
	}
	const seen, unread = "True example.com/Seen: ", "False contiv.io/Programmed: this is not read, and what it is to accept is not accepted: egress[0], peer 1: it has not exactly one of namespaces, pods and networks"
	says(seen, unread)
	if c := server.Policy("names").Status.Conditions[1]; c.ObservedGeneration != 3 || c.Reason == "" || c.LastTransitionTime.IsZero() {
		t.Errorf("a condition that an API server refuses: %+v", c)
	}
	found(1, false, "h1")
	found(2, false, "h2")
	says(seen, unread+". rules have no room in the switches of hosts h1, h2, where they deny all traffic")
	good := server.Policy("names")
	good.TypeMeta, good.Spec.Egress = clusterPolicy("names").TypeMeta, nil
	server.Put(t, good)
	says(seen, "False contiv.io/Programmed: rules have no room in the switches of hosts h1, h2")
	found(3, true, "h1")
	found(4, true, "h2")
	says(seen)
	patches := server.Patches()
	server.Put(t, clusterPolicy("others"))
	w.await("the condition of another policy", func() bool { return len(stated(server.Policy("others"))) == 2 })
	if got := server.Patches(); got != patches+1 {
		t.Errorf("want one status written, got %d", got-patches)
	}
}

// An account without the right to write statuses of policies still reads them, and writes those of services.
func TestPolicyConditions_Forbidden(t *testing.T) {
	server := kubetest.Start(t)
	server.Install(true)
	server.Forbid(true)
	server.Put(t, clusterPolicy("names"))
	w := start(t, server, memory.New())
	w.has(record.ClusterNetworkPolicies+"names", `{"name":"names","tier":"Admin","priority":1,"egress":{"unread":["egress[0], peer 1: it has not exactly one of namespaces, pods and networks"]}}`)
	if got := stated(server.Policy("names")); len(got) != 1 {
		t.Errorf("got %q", got)
	}
	server.Forbid(false)
	now := server.Policy("names")
	now.TypeMeta, now.Spec.Priority = clusterPolicy("names").TypeMeta, 2
	server.Put(t, now)
	w.await("the condition, with the next change", func() bool { return len(stated(server.Policy("names"))) == 2 })
}
