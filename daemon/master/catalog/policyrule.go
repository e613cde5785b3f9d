package catalog

import (
	"maps"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
)

// putPolicyRule takes in the record of a rule.
func (v *View) putPolicyRule(r *record.PolicyRule) error {
	v.policyRules[r.ID] = r
	group := groupOfRule(r.ID)
	if v.rulesFor[group] == nil {
		v.rulesFor[group] = set{}
	}
	v.rulesFor[group][r.ID] = struct{}{}
	return firstOf(v.useGroup(r.SrcEndpointGroup), v.useGroup(r.DstEndpointGroup))
}

func (v *View) dropPolicyRule(key string) {
	id := strings.TrimPrefix(key, record.PolicyRules)
	r := v.policyRules[id]
	if r == nil {
		return
	}
	delete(v.policyRules, id)
	group := groupOfRule(id)
	if delete(v.rulesFor[group], id); len(v.rulesFor[group]) == 0 {
		delete(v.rulesFor, group)
	}
	v.leaveGroup(r.SrcEndpointGroup)
	v.leaveGroup(r.DstEndpointGroup)
}

// groupOfRule is the API key of the group that a rule's record is for: "tenant:group:..." is how its id begins.
func groupOfRule(id string) string {
	parts := strings.SplitN(id, ":", 3)
	return model.Key(parts[:min(len(parts), 2)]...)
}

// PolicyRulesFor lists the ids of the rules' records for a group, given by its API key, ordered.
func (v *View) PolicyRulesFor(group string) []string {
	return slices.Sorted(maps.Keys(v.rulesFor[group]))
}

// GroupsWithRules lists the API keys of the groups that records of rules are for, whether the groups exist or not.
func (v *View) GroupsWithRules() []string { return slices.Sorted(maps.Keys(v.rulesFor)) }

// NetworkRecord returns a network's record by its state id, nil when there is none.
func (v *View) NetworkRecord(id string) *record.Network {
	if n := v.networks[id]; n != nil {
		return n.Record
	}
	return nil
}
