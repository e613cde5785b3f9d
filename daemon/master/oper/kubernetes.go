// SPDX-License-Identifier: Apache-2.0

package oper

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/verdict"
	"github.com/contiv/contiv/daemon/kubeview"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netpolicy"
)

// maxPods bounds the named pods.
const maxPods = 100

// Namespace returns the operational state of a namespace of Kubernetes.
func Namespace(v *catalog.View, name string) model.KubeNamespaceOper {
	_, n := named(v.Pods(name))
	return model.KubeNamespaceOper{Pods: n, NetworkPolicies: v.CountInNamespace(model.KindNetworkPolicy(), name),
		Services: v.CountInNamespace(model.KindKubeService(), name)}
}

// NetworkPolicy returns the operational state of a network policy: the pods that it selects.
func NetworkPolicy(v *catalog.View, o *model.NetworkPolicy) model.NetworkPolicyOper {
	p := v.NetworkPolicy(identity.NetworkPolicy{Namespace: o.Namespace, Name: o.Name})
	names, n := named(selected(v.Pods(o.Namespace), p.Pods))
	return model.NetworkPolicyOper{Selects: n, Pods: names}
}

// ClusterNetworkPolicy returns the operational state of a cluster-wide policy: the pods that it selects.
func ClusterNetworkPolicy(v *catalog.View, o *model.ClusterNetworkPolicy) model.ClusterNetworkPolicyOper {
	p := v.ClusterNetworkPolicy(o.Name)
	var all []*record.Endpoint
	for _, key := range v.Keys(model.KindKubeNamespace()) {
		if n := v.Namespace(key); n != nil && p.Namespaces.Selects(n.Labels) {
			all = append(all, selected(v.Pods(key), p.Pods)...)
		}
	}
	names, n := named(all)
	return model.ClusterNetworkPolicyOper{Selects: n, Pods: names}
}

// KubeService returns the operational state of a service of Kubernetes: its backends.
func KubeService(v *catalog.View, o *model.KubeService) model.KubeServiceOper {
	slices := v.SlicesOf(identity.KubernetesService{Namespace: o.Namespace, Name: o.Name})
	pods := kubeview.Pods(slices)
	return model.KubeServiceOper{Backends: kubeview.Backends(slices), Pods: pods[:min(len(pods), maxPods)]}
}

func selected(pods []*record.Endpoint, s netpolicy.Selector) []*record.Endpoint {
	return slices.DeleteFunc(pods, func(e *record.Endpoint) bool { return !s.Selects(e.Labels) })
}

// named returns the first pods of ordered endpoints, by name, and their number. A deleted pod may have left an endpoint, so several may
// have the same name.
func named(endpoints []*record.Endpoint) (names []string, n int) {
	endpoints = slices.CompactFunc(endpoints, func(a, b *record.Endpoint) bool { return a.Pod.ID == b.Pod.ID })
	for _, e := range endpoints[:min(len(endpoints), maxPods)] {
		names = append(names, e.Pod.ID.Path())
	}
	return names, len(endpoints)
}

// Judges returns the network policies of Kubernetes for some pods, ready for evaluation. It ignores nil pods.
func Judges(v *catalog.View, pods ...*verdict.Pod) *verdict.NetworkPolicies {
	namespaces := map[string]map[string]string{}
	var policies []*netpolicy.Policy
	for _, p := range pods {
		if p == nil {
			continue
		}
		if _, known := namespaces[p.Namespace]; known {
			continue
		}
		namespaces[p.Namespace] = nil
		if n := v.Namespace(p.Namespace); n != nil {
			namespaces[p.Namespace] = n.Labels
		}
		policies = append(policies, v.NetworkPoliciesOf(p.Namespace)...)
	}
	return verdict.NewNetworkPolicies(namespaces, policies, v.ClusterNetworkPolicies())
}

// Policies returns the policies of Kubernetes for the incoming and outgoing traffic of an endpoint's pod, in the order of evaluation; none
// for an endpoint without a pod.
func Policies(v *catalog.View, e *record.Endpoint) (ingress, egress []string) {
	if e.Pod.ID.IsZero() {
		return nil, nil
	}
	var labels map[string]string
	if n := v.Namespace(e.Pod.ID.Namespace); n != nil {
		labels = n.Labels
	}
	clusters := slices.DeleteFunc(v.ClusterNetworkPolicies(), func(p *netpolicy.ClusterPolicy) bool {
		return !p.Namespaces.Selects(labels) || !p.Pods.Selects(e.Labels)
	})
	slices.SortStableFunc(clusters, func(a, b *netpolicy.ClusterPolicy) int { return cmp.Compare(a.Priority, b.Priority) })
	ofTier := func(t netpolicy.Tier) {
		for _, p := range clusters {
			text := fmt.Sprintf("clusternetworkpolicy %s (%s, priority %d)", p.Name, p.Tier, p.Priority)
			if p.Tier == t && len(p.Ingress.Rules) > 0 {
				ingress = append(ingress, text)
			}
			if p.Tier == t && len(p.Egress.Rules) > 0 {
				egress = append(egress, text)
			}
		}
	}
	ofTier(netpolicy.TierAdmin)
	for _, p := range v.NetworkPoliciesOf(e.Pod.ID.Namespace) {
		text := "networkpolicy " + p.ID.Path()
		if p.Pods.Selects(e.Labels) && p.Ingress.Isolates {
			ingress = append(ingress, text)
		}
		if p.Pods.Selects(e.Labels) && p.Egress.Isolates {
			egress = append(egress, text)
		}
	}
	ofTier(netpolicy.TierBaseline)
	return ingress, egress
}
