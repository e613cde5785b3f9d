// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/network-policy-api/apis/v1alpha2"

	"github.com/contiv/contiv/netpolicy"
)

// PolicyCondition is the condition in the status of a cluster-wide policy that exists, and is false, while a part of the policy is not in
// force as written.
const PolicyCondition = "contiv.io/Programmed"

// ClusterPolicy is a cluster-wide policy, as stored, with its status.
type ClusterPolicy struct {
	*netpolicy.ClusterPolicy
	UID        string             `json:"-"`
	Revision   string             `json:"-"` // resourceVersion
	Generation int64              `json:"-"`
	Conditions []metav1.Condition `json:"-"` // including those of others
}

// StatedPolicy is a cluster-wide policy with its status.
func StatedPolicy(p *v1alpha2.ClusterNetworkPolicy) *ClusterPolicy {
	return &ClusterPolicy{ClusterPolicy: ClusterNetworkPolicy(p), UID: string(p.UID), Revision: p.ResourceVersion, Generation: p.Generation,
		Conditions: p.Status.Conditions}
}

// Missing returns the part that is not in force according to the status; "" if there is no PolicyCondition.
func (p *ClusterPolicy) Missing() string {
	for i := range p.Conditions {
		if p.Conditions[i].Type == PolicyCondition {
			return p.Conditions[i].Message
		}
	}
	return ""
}

// Stating returns the conditions that report a part of the policy that is not in force, in addition to those of others; "": all of it is.
// The time is when that began.
func (p *ClusterPolicy) Stating(lacks string, now metav1.Time) []metav1.Condition {
	out := []metav1.Condition{}
	for _, c := range p.Conditions {
		if c.Type != PolicyCondition {
			out = append(out, c)
		} else if c.Status == metav1.ConditionFalse {
			now = c.LastTransitionTime
		}
	}
	if lacks == "" {
		return out
	}
	return append(slices.Clip(out), metav1.Condition{Type: PolicyCondition, Status: metav1.ConditionFalse, ObservedGeneration: p.Generation, LastTransitionTime: now,
		Reason: "PartNotInForce", Message: lacks})
}
