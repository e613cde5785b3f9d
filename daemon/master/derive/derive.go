// Package derive writes what follows from objects: the records of policy rules, which agents carry out, one a rule, group
// and direction.
//
// A change that needs few records carries them in its own transaction. One that needs more than a transaction holds is
// stored alone, and the leader's Settler writes the records behind it, a bounded transaction at a time. It looks at the
// objects and the records only, so a new leader finishes what the old one began.
package derive

import (
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

// Rule brings the records of a rule up to date for every group that its policy is attached to; they hold while the rule
// does.
func Rule(tx *commit.Tx, rule *model.Rule, holds bool) error {
	for _, key := range AttachedTo(tx, model.Key(rule.TenantName, rule.PolicyName)) {
		g, _ := tx.Stored(model.KindEndpointGroup(), key).(*model.EndpointGroup)
		r := tx.Group(g.Identity())
		if r == nil {
			continue // removed by this transaction, with its own records
		}
		if err := place(tx, r, rule, holds); err != nil {
			return err
		}
	}
	return nil
}

// Group brings the records of a group's policies up to date: those of names hold, those of before alone do not.
func Group(tx *commit.Tx, g *record.Group, before, names []string) error {
	all := slices.Concat(before, names)
	slices.Sort(all)
	for _, name := range slices.Compact(all) {
		attached := slices.Contains(names, name)
		if err := attach(tx, g, name, attached); err != nil {
			return err
		}
		for _, key := range RulesOf(tx, model.Key(g.ID.Tenant, name)) {
			rule, _ := tx.Stored(model.KindRule(), key).(*model.Rule)
			if err := place(tx, g, rule, attached); err != nil {
				return err
			}
		}
	}
	return nil
}

// attach notes that a group has a policy, or has it no longer.
func attach(tx *commit.Tx, g *record.Group, policy string, attached bool) error {
	id := record.AttachedPolicyID(g.ID.Tenant, g.ID.Name, policy)
	known := tx.Value(record.AttachedPolicies+id) != nil
	switch {
	case attached && !known:
		return tx.Put(record.AttachedPolicies+id, &record.AttachedPolicy{ID: id, EpgPolicyKey: id, EndpointGroupID: g.Number})
	case !attached && known:
		tx.Delete(record.AttachedPolicies + id)
	}
	return nil
}

// Naming brings the records of rules up to date that name a group or network which this transaction makes or removes,
// for every group that they are attached to.
func Naming(tx *commit.Tx, names func(*model.Rule) bool) error {
	var rules []*model.Rule
	tx.Range(model.KindRule(), func(o model.Object) {
		if rule := o.(*model.Rule); names(rule) {
			rules = append(rules, rule)
		}
	})
	for _, rule := range rules {
		if err := Rule(tx, rule, true); err != nil {
			return err
		}
	}
	return nil
}

// AttachedTo lists the API keys of the groups that a policy is attached to, ordered.
func AttachedTo(tx *commit.Tx, policy string) []string {
	return tx.Referrers(model.KindPolicy(), policy, model.KindEndpointGroup().Name)
}

// RulesOf lists the API keys of a policy's rules, ordered.
func RulesOf(tx *commit.Tx, policy string) []string {
	return tx.Referrers(model.KindPolicy(), policy, model.KindRule().Name)
}

// place makes the records of one rule for one group what they must be: its directions while the rule is attached to the
// group, nothing otherwise. It writes what differs and nothing else.
func place(tx *commit.Tx, g *record.Group, rule *model.Rule, attached bool) error {
	var wanted []record.PolicyRule
	if attached {
		wanted = expand(tx, g, rule)
	}
	for _, tag := range record.PolicyTags() {
		id := record.PolicyRuleID(g.ID.Tenant, g.ID.Name, rule.PolicyName, rule.RuleId, tag)
		want := recordOf(wanted, id)
		switch {
		case same(want, tx.PolicyRule(id)):
		case want == nil:
			tx.DeriveDelete(record.PolicyRules + id)
		default:
			if err := tx.Derive(record.PolicyRules+id, want); err != nil {
				return err
			}
		}
	}
	return nil
}

func recordOf(list []record.PolicyRule, id string) *record.PolicyRule {
	for i := range list {
		if list[i].ID == id {
			return &list[i]
		}
	}
	return nil
}

func same(a, b *record.PolicyRule) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}
