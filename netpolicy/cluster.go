// SPDX-License-Identifier: Apache-2.0

package netpolicy

import (
	"encoding/json"
	"fmt"
)

// ClusterPolicy is a policy of the whole cluster (policy.networking.k8s.io), which netmaster stores by its name. The first rule that
// matches a packet decides: of the tier Admin before all NetworkPolicies, of Baseline for pods that none of these isolates.
type ClusterPolicy struct {
	Name       string           `json:"name"`
	Tier       Tier             `json:"tier"`
	Priority   int              `json:"priority,omitempty"`   // 0..1000 in its tier, the lowest first
	Namespaces Selector         `json:"namespaces,omitempty"` // whose pods it judges
	Pods       Selector         `json:"pods,omitempty"`       // which of these
	Ingress    ClusterDirection `json:"ingress,omitzero"`
	Egress     ClusterDirection `json:"egress,omitzero"`
}

// ClusterDirection is the part of a ClusterPolicy for what its pods receive, or send.
type ClusterDirection struct {
	Rules []ClusterRule `json:"rules,omitempty"` // in their order
	// Unread are reasons why something is not among the rules, each with its field. An invalid accept is dropped; an invalid deny or pass
	// denies all instead.
	Unread []string `json:"unread,omitempty"`
}

// ClusterRule is a rule of a ClusterPolicy.
type ClusterRule struct {
	Rule
	Name   string `json:"name,omitempty"` // given by its author
	Action Action `json:"action"`
}

// Tier is a group of policies that are evaluated together.
type Tier string

// The tiers of cluster-wide policies.
const (
	TierAdmin    Tier = "Admin"
	TierBaseline Tier = "Baseline"
)

// Action is the action of a ClusterRule.
type Action string

// The actions. Pass leaves the decision to the next tier.
const (
	Accept Action = "Accept"
	Deny   Action = "Deny"
	Pass   Action = "Pass"
)

// The greatest priority of a tier, and how many rules a direction has at most.
const (
	MaxPriority = 1000
	MaxRules    = 25
)

// UnmarshalJSON decodes the stored form.
func (p *ClusterPolicy) UnmarshalJSON(text []byte) error {
	type plain ClusterPolicy
	var t plain
	if err := json.Unmarshal(text, &t); err != nil {
		return err
	}
	switch {
	case t.Tier != TierAdmin && t.Tier != TierBaseline:
		return fmt.Errorf("tier %q is none of %s and %s", t.Tier, TierAdmin, TierBaseline)
	case t.Priority < 0 || t.Priority > MaxPriority:
		return fmt.Errorf("priority %d is not within 0..%d", t.Priority, MaxPriority)
	}
	for _, d := range []*ClusterDirection{&t.Ingress, &t.Egress} {
		if err := d.check(); err != nil {
			return err
		}
	}
	*p = ClusterPolicy(t)
	return nil
}

// check validates the rules.
func (d *ClusterDirection) check() error {
	if len(d.Rules) > MaxRules {
		return fmt.Errorf("%d rules are more than %d", len(d.Rules), MaxRules)
	}
	for i := range d.Rules {
		switch r := &d.Rules[i]; r.Action {
		case Accept, Deny, Pass:
		default:
			return fmt.Errorf("action %q of rule %d is none of %s, %s and %s", r.Action, r.Number, Accept, Deny, Pass)
		}
	}
	return nil
}
