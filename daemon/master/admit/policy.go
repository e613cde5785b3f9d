// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/derive"
)

func createPolicy(tx *commit.Tx, p *model.Policy) error {
	if err := tenantOf(tx, p.TenantName); err != nil {
		return err
	}
	if n := len(derive.RulesOf(tx, p.ObjectKey())); n > 0 { // of a deleted policy with more rules than a transaction holds
		return model.Errorf(model.CodeUnavailable, "", "%d rules of the deleted policy %s are still being removed", n, p.PolicyName).
			Try("repeat the request in a moment")
	}
	return nil
}

func updatePolicy(*commit.Tx, *model.Policy, *model.Policy) error { return nil }

// removePolicy deletes the policy's rules, as many as fit; derive.Clear removes the rest. They are in no switch, because the policy is
// attached to no group.
func removePolicy(tx *commit.Tx, p *model.Policy) error {
	if groups := derive.AttachedTo(tx, p.ObjectKey()); len(groups) > 0 {
		return model.Errorf(model.CodeInUse, "", "Policy is being used").Try("detach it from the groups %s first", some(groups))
	}
	derive.RemoveRules(tx, p.ObjectKey())
	return nil
}
