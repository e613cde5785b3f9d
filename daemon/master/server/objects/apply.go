// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/master/admit"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/derive"
)

// maxApply is the longest request, in bytes: a dry run takes in one what is applied in many.
const maxApply = 8 << 20

// Limits of a dry run, which changes nothing and yet is computed on the leader.
const (
	maxDry     = 50_000           // objects
	dryTimeout = 15 * time.Second // how long it may compute
)

// apply takes several objects at once.
func (o *Objects) apply(q *http.Request, request model.ApplyRequest) ([]model.ApplyResult, uint64, error) {
	objects, gone, err := o.wanted(q.Context(), &request)
	if err != nil {
		return nil, 0, err
	}
	how := admit.How{Dry: request.DryRun, Diff: request.Diff}
	if how.Dry || how.Diff {
		return o.tryout(q.Context(), objects, gone, how)
	}
	if n, most := len(objects)+len(gone), o.Commit.Limits().Ops; n > most {
		return nil, 0, tooMany(n, most)
	}
	var results []model.ApplyResult
	rev, err := o.Commit.Do(q.Context(), func(tx *commit.Tx) (err error) {
		results, err = o.both(q.Context(), tx, objects, gone, how)
		return err
	})
	for _, object := range gone {
		if err == nil && object.Kind() == model.KindPolicy() {
			rev, err = derive.Clear(q.Context(), o.Commit, object.ObjectKey())
		}
	}
	return results, uint64(rev), hideNames(q.Context(), err)
}

// both has objects be there, and others be gone.
func (o *Objects) both(ctx context.Context, tx *commit.Tx, objects, gone []model.Object, how admit.How) ([]model.ApplyResult, error) {
	done, err := o.Admit.Apply(ctx, tx, objects, how)
	if err != nil {
		return nil, err
	}
	how.Remove = true
	deleted, err := o.Admit.Apply(ctx, tx, gone, how)
	if err != nil {
		return nil, err
	}
	return append(append([]model.ApplyResult{}, done...), deleted...), nil
}

// tooMany is the refusal of more objects than are taken at once.
func tooMany(n, most int) error {
	return model.Errorf(model.CodeTooLarge, "objects", "there are %d objects, and %d are taken at once", n, most).Try("split them")
}

// tryout is a dry run, on what is known now and beside what is committed meanwhile.
func (o *Objects) tryout(ctx context.Context, objects, gone []model.Object, how admit.How) (results []model.ApplyResult, rev uint64, err error) {
	if n := len(objects) + len(gone); n > maxDry {
		return nil, 0, tooMany(n, maxDry)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, dryTimeout, fmt.Errorf("it has computed for %v", dryTimeout))
	defer cancel()
	known, err := o.Commit.Try(ctx, func(tx *commit.Tx) (err error) {
		results, err = o.both(ctx, tx, objects, gone, how)
		return err
	})
	if err != nil {
		return nil, 0, hideNames(ctx, err)
	}
	return results, uint64(known), nil
}

// wanted reads a request: the objects that are to exist, and those that are to be deleted. It refuses objects that the user may not change.
func (o *Objects) wanted(ctx context.Context, request *model.ApplyRequest) (objects, gone []model.Object, err error) {
	list, prune := request.Objects, request.Prune
	if len(list) == 0 {
		return nil, nil, model.Errorf(model.CodeInvalid, "objects", "there are no objects").Try("objects is a list of {kind, fields}")
	}
	if request.Delete {
		list, prune = nil, slices.Concat(list, prune)
	}
	who, read := auth.Of(ctx), reader{seen: map[string]bool{}}
	if objects, err = read.all(list, permitted(who, whole)); err != nil {
		return nil, nil, err
	}
	if gone, err = read.all(prune, permitted(who, keyOnly)); err != nil {
		return nil, nil, err
	}
	for _, object := range slices.Concat(objects, gone) {
		if err := who.Changes(object); err != nil {
			return nil, nil, err
		}
	}
	for _, object := range gone {
		if err := o.mayChangeStored(ctx, object.Kind(), object.ObjectKey()); err != nil {
			return nil, nil, err
		}
	}
	return objects, gone, members(request, objects)
}

// permitted is a check that first refuses an object which the sender may not change: the sender gets no other reason.
func permitted(who *auth.Subject, check func(model.Object) error) func(model.Object) error {
	return func(o model.Object) error {
		if keyOnly(o) == nil {
			if err := who.Object(rights.Change, o.Kind(), o.ObjectKey()); err != nil {
				return err
			}
		}
		return check(o)
	}
}

// reader turns objects of a request into typed ones, each of which is there once.
type reader struct{ seen map[string]bool }

// all reads objects; check refuses an invalid one.
func (r *reader) all(list []model.ApplyObject, check func(model.Object) error) ([]model.Object, error) {
	out := make([]model.Object, len(list))
	for i, item := range list {
		o, err := objectOf(i+1, item)
		if err != nil {
			return nil, err
		}
		name := o.Kind().Name + " " + o.ObjectKey()
		if err := check(o); err != nil {
			e := *model.AsError(err)
			e.Message = name + ": " + e.Message
			return nil, &e
		}
		if r.seen[name] {
			return nil, model.Errorf(model.CodeInvalid, "objects", "%s is there twice", name)
		}
		r.seen[name] = true
		out[i] = o
	}
	return out, nil
}

// objectOf reads the nth object. Unlike the object routes, it refuses members that the kind does not have: a misspelt field in a file must not
// go unnoticed.
func objectOf(n int, item model.ApplyObject) (model.Object, error) {
	k, ok := model.KindOf(item.Kind)
	if ok && k.Owner != "" {
		return nil, k.Owned()
	}
	if !ok || k.InspectOnly {
		return nil, model.Errorf(model.CodeInvalid, "kind", "object %d: kind %q is unknown or cannot be stored", n, item.Kind)
	}
	text, err := json.Marshal(item.Fields)
	if err != nil {
		return nil, model.Errorf(model.CodeInvalid, "fields", "object %d: %v", n, err)
	}
	o := k.New()
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(o); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field == model.LabelsField {
			return nil, model.Errorf(model.CodeInvalid, model.LabelsField, "object %d (%s): labels: got a %s, want a map of strings", n, k.Name, wrong.Value).Try(`quote values such as "1" and "true"`)
		}
		return nil, model.Errorf(model.CodeInvalid, "fields", "object %d (%s): %v", n, k.Name, err).Try("netctl explain %s lists the fields", k.Name)
	}
	o = o.Clone() // without links
	o.SetKey(o.ObjectKey())
	return o, nil
}

// whole fills in an object that is to be there, and checks it.
func whole(o model.Object) error {
	o.SetDefaults()
	err := o.Validate()
	if missing := model.Missing(o); missing != nil { // a file is written by a person, who reads which fields these are
		return missing
	}
	return err
}

// keyOnly checks of an object that is to be gone that its key is complete: nothing else of it is read.
func keyOnly(o model.Object) error {
	for _, field := range o.Kind().Key {
		if o.Field(field) == "" {
			return model.Errorf(model.CodeInvalid, field, "%s is missing", field).Try("the key of %s is %s", o.Kind().Nouns(), strings.Join(o.Kind().Key, ", "))
		}
	}
	return nil
}
