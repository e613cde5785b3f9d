// SPDX-License-Identifier: Apache-2.0

package derive

import (
	"context"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/store"
)

// Clear removes the rules of a deleted policy, given by its API key, that did not fit into its transaction, and returns the revision at
// which there are none. It blocks until then, even after the end of ctx; at the end of the term, a new leader continues.
func Clear(ctx context.Context, c *commit.Committer, policy string) (rev store.Revision, err error) {
	ctx = context.WithoutCancel(ctx)
	for left := true; left && err == nil; {
		rev, err = c.Do(ctx, func(tx *commit.Tx) error {
			left = !tx.Has(model.KindPolicy().Name, policy) && RemoveRules(tx, policy)
			return nil
		})
	}
	if err != nil {
		return 0, model.Errorf(model.CodeUnavailable, "", "policy %s is deleted; its rules are still being removed: %v", policy, err).Because(err).
			Try("repeat the request; the new leader continues it")
	}
	return rev, nil
}

// RemoveRules removes rules of a policy, as many as fit into the transaction, and reports whether some are left.
func RemoveRules(tx *commit.Tx, policy string) (left bool) {
	for _, key := range RulesOf(tx, policy) {
		if tx.Room() < 2 {
			return true
		}
		RemoveRule(tx, key)
		tx.DeleteObject(model.KindRule(), key)
	}
	return false
}

// RemoveRule removes the record of a rule, given by its API key.
func RemoveRule(tx *commit.Tx, rule string) { tx.Delete(RuleKey(rule)) }
