// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"context"
	"fmt"
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
)

// How is the mode of Apply.
type How struct {
	Remove bool // delete the objects; only their keys count
	Dry    bool // report what each change affects
	Diff   bool // report a refusal as a result, and continue with the next object; the draft must then not be committed
}

// Apply applies a request of several objects, each after those that it needs, and returns the result for each; the first refusal aborts the
// whole request, and names the object. The end of ctx stops it between objects.
func (a *Admitter) Apply(ctx context.Context, tx *commit.Tx, objects []model.Object, how How) ([]model.ApplyResult, error) {
	ordered := slices.Clone(objects)
	rank := map[*model.Kind]int{}
	for i, k := range model.Order() {
		rank[k] = i
	}
	slices.SortStableFunc(ordered, func(x, y model.Object) int {
		if how.Remove {
			x, y = y, x
		}
		return rank[x.Kind()] - rank[y.Kind()]
	})
	var results []model.ApplyResult
	var whom witness
	for _, o := range ordered {
		if ctx.Err() != nil {
			return results, model.Errorf(model.CodeUnavailable, "", "the request ended after %d of %d objects: %v", len(results), len(ordered), context.Cause(ctx)).Try("ask for fewer objects at once")
		}
		var affected *model.Affected
		if how.Dry || how.Diff {
			affected = whom.affected(tx.View, o)
		}
		result, err := a.applyOne(tx, o, how.Remove)
		switch {
		case err != nil && how.Diff:
			problem := model.AsError(err).Problem()
			result.Action, result.Refusal = model.ActionRefused, &problem
		case err != nil:
			e := *model.AsError(err)
			e.Message = fmt.Sprintf("%s %s: %s", o.Kind().Name, o.ObjectKey(), e.Message)
			return results, &e
		}
		if result.Action != model.ActionUnchanged && result.Action != model.ActionAbsent && !onlyLabels(result.Changes) {
			result.Affected = affected
		}
		results = append(results, result)
	}
	return results, nil
}

func (a *Admitter) applyOne(tx *commit.Tx, o model.Object, remove bool) (model.ApplyResult, error) {
	k, key := o.Kind(), o.ObjectKey()
	result := model.ApplyResult{Kind: k.Name, Key: key}
	old := tx.Object(k, key)
	switch {
	case remove && old == nil:
		result.Action = model.ActionAbsent
		return result, nil
	case remove:
		result.Action = model.ActionDeleted
		return result, a.Remove(tx, k, key)
	case old == nil:
		result.Action = model.ActionCreated
	default:
		if result.Changes = model.Differences(old, o); len(result.Changes) == 0 {
			result.Action = model.ActionUnchanged
			return result, nil
		}
		result.Action = model.ActionUpdated
	}
	r, err := a.of(k)
	if err != nil {
		return result, err
	}
	return result, a.put(tx, r, old, o)
}
