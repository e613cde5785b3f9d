// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"maps"
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
)

// KeepLabels gives an object without labels those of its stored state. Empty labels are not replaced: they remove the stored ones. It is
// for the original's routes, whose clients do not know labels.
func KeepLabels(old, now model.Object) {
	if old != nil && model.LabelsOf(now) == nil {
		model.SetLabels(now, maps.Clone(model.LabelsOf(old)))
	}
}

// onlyLabels reports whether the changes of an object are those of its labels and nothing else. No rule of a kind concerns such a change, no
// record follows from it, and it affects no endpoint.
func onlyLabels(changes []model.Change) bool {
	return len(changes) == 1 && changes[0].Field == model.LabelsField
}

// Label changes the labels of an object, and reports the change. It refuses to replace a value unless the request permits that. Keys to
// remove that the object does not have are ignored.
func (a *Admitter) Label(tx *commit.Tx, k *model.Kind, key string, request *model.LabelRequest) (model.ApplyResult, error) {
	result := model.ApplyResult{Kind: k.Name, Key: key, Action: model.ActionUnchanged}
	if _, err := a.of(k); err != nil {
		return result, err
	}
	old := tx.Object(k, key)
	if old == nil {
		return result, tx.NotFound(k, key)
	}
	have := model.LabelsOf(old)
	labels := maps.Clone(have)
	if labels == nil {
		labels = map[string]string{}
	}
	for _, name := range slices.Sorted(maps.Keys(request.Set)) {
		if was, ok := have[name]; ok && was != request.Set[name] && !request.Overwrite {
			return result, model.Errorf(model.CodeConflict, "set", "%s %s: label %s already has the value %q", k.Name, key, name, was).
				Try("replace it with --overwrite")
		}
		labels[name] = request.Set[name]
	}
	for _, name := range request.Remove {
		delete(labels, name)
	}
	now := old.Clone()
	model.SetLabels(now, labels)
	if result.Changes = model.Differences(old, now); len(result.Changes) == 0 {
		return result, nil
	}
	if err := model.CheckLabels(labels); err != nil {
		e := *err
		e.Message = k.Name + " " + key + ": " + e.Message
		return result, &e
	}
	result.Action = model.ActionUpdated
	return result, putObject(tx, now)
}

// putObject writes an object; empty labels are none.
func putObject(tx *commit.Tx, o model.Object) error {
	if len(model.LabelsOf(o)) == 0 {
		model.SetLabels(o, nil)
	}
	return tx.PutObject(o)
}
