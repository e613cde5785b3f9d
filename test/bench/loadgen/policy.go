// SPDX-License-Identifier: Apache-2.0

package loadgen

import (
	"fmt"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Policy is policy i: pods of a namespace with one of the labels receive at a port from those with two others, and at any from those with
// its own in another namespace. Every namespace has one for each label before any has two.
func (c Crowd) Policy(i int) *networkingv1.NetworkPolicy {
	app := func(n int) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: map[string]string{"app": fmt.Sprintf("app%d", n%apps)}}
	}
	p, port, label := &networkingv1.NetworkPolicy{}, intstr.FromInt32(80), i/c.Namespaces
	p.TypeMeta, p.ObjectMeta = meta("NetworkPolicy", "networking.k8s.io/v1", c.namespaceOf(i), fmt.Sprintf("p%d", i))
	p.Spec = networkingv1.NetworkPolicySpec{PodSelector: *app(label), PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
		Ingress: []networkingv1.NetworkPolicyIngressRule{
			{From: []networkingv1.NetworkPolicyPeer{{PodSelector: app(label + 1)}, {PodSelector: app(label + 2)}}, Ports: []networkingv1.NetworkPolicyPort{{Port: &port}}},
			{From: []networkingv1.NetworkPolicyPeer{{PodSelector: app(label),
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"name": c.namespaceOf(i + 7)}}}}}}}
	return p
}
