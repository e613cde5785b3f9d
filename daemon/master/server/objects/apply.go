package objects

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/access"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/derive"
)

// errDry ends a dry run: the transaction is built, reported, and never sent.
var errDry = errors.New("dry run")

// maxApply is the longest request, in bytes: a dry run takes in one what is applied in many.
const maxApply = 8 << 20

// apply takes several objects at once.
func (o *Objects) apply(q *http.Request, request model.ApplyRequest) ([]model.ApplyResult, uint64, error) {
	objects, err := objectsOf(request.Objects)
	if err != nil {
		return nil, 0, err
	}
	who := access.Of(q.Context())
	for _, object := range objects {
		if err := who.Changes(object); err != nil {
			return nil, 0, err
		}
		if request.Delete {
			if err := o.mayDelete(q.Context(), object.Kind(), object.ObjectKey()); err != nil {
				return nil, 0, err
			}
		}
	}
	results := []model.ApplyResult{}
	rev, err := o.Commit.Do(q.Context(), func(tx *commit.Tx) error {
		done, err := o.Admit.Apply(tx, objects, request.Delete, request.DryRun)
		if err != nil {
			return err
		}
		results = append(results, done...)
		if request.DryRun {
			return errDry
		}
		return nil
	})
	if errors.Is(err, errDry) {
		return results, uint64(rev), nil
	}
	for _, object := range objects {
		if err == nil && request.Delete && object.Kind() == model.KindPolicy() {
			rev, err = derive.Clear(q.Context(), o.Commit, object.ObjectKey())
		}
	}
	return results, uint64(rev), discreet(q.Context(), err)
}

// objectsOf turns the request's objects into typed and validated ones. Unlike the object routes, it refuses members
// that the kind does not have: a misspelt field in a file must not go unnoticed.
func objectsOf(list []model.ApplyObject) ([]model.Object, error) {
	if len(list) == 0 {
		return nil, model.Errorf(model.CodeInvalid, "objects", "there are no objects").Try("objects is a list of {kind, fields}")
	}
	seen := map[string]bool{}
	out := make([]model.Object, len(list))
	for i, item := range list {
		k, ok := model.KindOf(item.Kind)
		if ok && k.Owner != "" {
			return nil, k.Owned()
		}
		if !ok || k.InspectOnly {
			return nil, model.Errorf(model.CodeInvalid, "kind", "object %d: kind %q is unknown or cannot be stored", i+1, item.Kind)
		}
		text, err := json.Marshal(item.Fields)
		if err != nil {
			return nil, model.Errorf(model.CodeInvalid, "fields", "object %d: %v", i+1, err)
		}
		o := k.New()
		d := json.NewDecoder(strings.NewReader(string(text)))
		d.DisallowUnknownFields()
		if err := d.Decode(o); err != nil {
			return nil, model.Errorf(model.CodeInvalid, "fields", "object %d (%s): %v", i+1, k.Name, err).Try("netctl explain %s lists the fields", k.Name)
		}
		o = o.Clone() // without links
		o.SetKey(o.ObjectKey())
		o.SetDefaults()
		err = o.Validate()
		if missing := model.Missing(o); missing != nil { // a file is written by a person, who is told so
			err = missing
		}
		if err != nil {
			e := *model.AsError(err)
			e.Message = k.Name + " " + o.ObjectKey() + ": " + e.Message
			return nil, &e
		}
		if id := k.Name + "/" + o.ObjectKey(); seen[id] {
			return nil, model.Errorf(model.CodeInvalid, "objects", "%s %s is there twice", k.Name, o.ObjectKey())
		} else {
			seen[id] = true
		}
		out[i] = o
	}
	return out, nil
}
