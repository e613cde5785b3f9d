package admit

import (
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

func createPolicy(tx *commit.Tx, p *model.Policy) error { return tenantOf(tx, p.TenantName) }

func updatePolicy(*commit.Tx, *model.Policy, *model.Policy) error { return nil }

// removePolicy takes the policy's rules with it. They are in no switch, for the policy is attached to no group.
func removePolicy(tx *commit.Tx, p *model.Policy) error {
	if groups := attachedTo(tx, p.ObjectKey()); len(groups) > 0 {
		return model.Errorf(model.CodeInUse, "", "Policy is being used").Try("detach it from the groups %s first", some(groups))
	}
	for _, key := range rulesOf(tx, p.ObjectKey()) {
		tx.DeleteObject(model.KindRule(), key)
	}
	return nil
}

// attachedTo lists the API keys of the groups that a policy is attached to.
func attachedTo(tx *commit.Tx, policy string) []string {
	return tx.Referrers(model.KindPolicy(), policy, model.KindEndpointGroup().Name)
}

// rulesOf lists the API keys of a policy's rules.
func rulesOf(tx *commit.Tx, policy string) []string {
	return tx.Referrers(model.KindPolicy(), policy, model.KindRule().Name)
}

// applyPolicies brings the records of a group's policies up to date: those of names hold, those of before alone do not.
func applyPolicies(tx *commit.Tx, g *record.Group, before, names []string) error {
	for _, name := range sortedSet(slices.Concat(before, names)) {
		attached := slices.Contains(names, name)
		for _, key := range rulesOf(tx, model.Key(g.TenantName, name)) {
			rule, _ := tx.Object(model.KindRule(), key).(*model.Rule)
			if err := place(tx, g, rule, attached); err != nil {
				return err
			}
		}
	}
	return nil
}

// sortedSet orders a list and drops repetitions.
func sortedSet(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
