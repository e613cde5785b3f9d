// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"context"
	"net/http"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/selector"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/commit"
)

// label changes the labels of objects, all or none.
func (o *Objects) label(q *http.Request, request model.LabelRequest) ([]model.ApplyResult, uint64, error) {
	list, err := o.labelled(q.Context(), &request)
	if err != nil {
		return nil, 0, err
	}
	var results []model.ApplyResult
	change := func(tx *commit.Tx) error {
		results = nil
		for _, object := range list {
			result, err := o.Admit.Label(tx, object.Kind(), object.ObjectKey(), &request)
			if err != nil {
				return err
			}
			results = append(results, result)
		}
		return nil
	}
	commits := o.Commit.Do
	if request.DryRun {
		commits = o.Commit.Try
	}
	rev, err := commits(q.Context(), change)
	return results, uint64(rev), hideNames(q.Context(), err)
}

// labelled reads a request: the objects, by their keys. The sender may change them all.
func (o *Objects) labelled(ctx context.Context, request *model.LabelRequest) ([]model.Object, error) {
	if len(request.Objects) == 0 {
		return nil, model.Errorf(model.CodeInvalid, "objects", "got no objects, want at least one").Try("objects is a list of {kind, fields}")
	}
	if n, most := len(request.Objects), o.Commit.Limits().Ops; n > most {
		return nil, tooMany(n, most)
	}
	if len(request.Set)+len(request.Remove) == 0 {
		return nil, model.Errorf(model.CodeInvalid, "set", "got no label to set or to remove, want at least one").Try("set is a map of labels, and remove a list of keys")
	}
	for _, name := range request.Remove {
		if _, both := request.Set[name]; both {
			return nil, model.Errorf(model.CodeInvalid, "remove", "label %.80q is both set and removed", name).Try("leave it out of one of them")
		}
	}
	read := reader{seen: map[string]bool{}}
	list, err := read.all(request.Objects, permitted(auth.Of(ctx), keyOnly))
	if err != nil {
		return nil, err
	}
	for _, object := range list {
		if err := o.mayChangeStored(ctx, object.Kind(), object.ObjectKey()); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// named is the number of objects that a refusal names.
const named = 3

// members refuses objects that the request's selector does not match: applied, they would be no members of the set that it prunes.
func members(request *model.ApplyRequest, list []model.Object) error {
	if request.Selector == "" {
		return nil
	}
	var strangers []string
	for _, object := range list {
		s, err := selector.Parse(object.Kind(), "", request.Selector)
		if err != nil {
			return err
		}
		if !s.Selects(object.Field, model.LabelsOf(object)) {
			strangers = append(strangers, object.Kind().Name+" "+object.ObjectKey())
		}
	}
	if len(strangers) == 0 {
		return nil
	}
	names := strings.Join(strangers[:min(named, len(strangers))], ", ")
	if len(strangers) > named {
		names += ", ..."
	}
	return model.Errorf(model.CodeInvalid, model.LabelsField, "%d of %d objects do not match the selector %s, which could not prune them later: %s", len(strangers), len(list), request.Selector, names).
		Try("give them the labels in their files")
}
