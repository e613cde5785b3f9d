// SPDX-License-Identifier: Apache-2.0

package historyapi

import (
	"encoding/json"
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/master/oper"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// objectAt answers with an object as it was.
func (s *Past) objectAt(who *auth.Subject, kind, key, at string) (any, error) {
	k, ok := model.KindOf(kind)
	if !ok {
		return nil, model.Errorf(model.CodeInvalid, "kind", "kind %q is unknown or has no state of its own", kind)
	}
	if k.Owner != "" {
		return nil, notKept(k)
	}
	if err := who.Object(rights.Read, k, key); err != nil {
		return nil, err
	}
	m, err := history.ParseMoment(at)
	if err != nil {
		return nil, err
	}
	var log history.Log
	var present []byte
	s.Catalog.View(func(v *catalog.View) {
		log, present = history.Open(v, s.Keep), v.Value(history.KeyOf(k.Name, key))
	})
	state, err := log.ObjectAt(k.Name, key, present, m)
	if err != nil {
		return nil, err
	}
	if state == nil {
		return nil, model.Errorf(model.CodeNotFound, "", "%s %s did not exist at that moment", k.Name, key).
			Try("netctl history %s %s shows when it did", k.Name, key)
	}
	if k.InspectOnly {
		return endpointAt(key, state)
	}
	text, err := json.Marshal(state)
	if err != nil {
		return nil, err
	}
	o := k.New()
	if err := json.Unmarshal(text, o); err != nil {
		return nil, err
	}
	o.SetKey(key)
	return o, nil
}

// notKept is the refusal of the history of objects that netmaster does not own.
func notKept(k *model.Kind) *model.Error {
	return model.Errorf(model.CodeUnsupported, "kind", "no history of a %s is kept: %s owns it", k.Noun(), k.Owner).
		Try("the audit log of its API server may have it")
}

// endpointAt returns an earlier state of an endpoint. It fills in the fields that follow from the key, which the history does not have.
func endpointAt(key string, state map[string]any) (any, error) {
	id, err := identity.ParseEndpoint(key)
	if err != nil {
		return nil, model.Errorf(model.CodeInvalid, "key", "%v", err)
	}
	state["tenant"], state["endpointID"] = id.Tenant, id.Endpoint
	text, err := json.Marshal(state)
	if err != nil {
		return nil, err
	}
	var e record.Endpoint
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, err
	}
	return oper.Endpoint(&e), nil
}

// objectsAt answers with all objects as they were, or those of a kind: each after those that it needs.
func (s *Past) objectsAt(who *auth.Subject, kind, at string) (any, error) {
	kinds := model.Order()
	if kind != "" {
		k, ok := model.KindOf(kind)
		if ok && k.Owner != "" {
			return nil, notKept(k)
		}
		if !ok || k.InspectOnly {
			return nil, model.Errorf(model.CodeInvalid, "kind", "kind %q is unknown or cannot be stored", kind).Try("leave it out for all objects")
		}
		kinds = []*model.Kind{k}
	}
	m, err := history.ParseMoment(at)
	if err != nil {
		return nil, err
	}
	var log history.Log
	var names []string
	present := map[history.Name][]byte{}
	s.Catalog.View(func(v *catalog.View) {
		log = history.Open(v, s.Keep)
		for _, k := range kinds {
			names = append(names, k.Name)
			v.Range(k, func(o model.Object) {
				key := o.ObjectKey()
				present[history.Name{Kind: k.Name, Key: key}] = v.Value(history.KeyOf(k.Name, key))
			})
		}
	})
	states, err := log.ObjectsAt(names, present, m)
	if err != nil {
		return nil, err
	}
	out := make([]model.ApplyObject, 0, len(states))
	keys := make(map[string][]string, len(names))
	sees := visibility(who)
	for n := range states {
		if sees != nil && !sees(n.Kind, n.Key) {
			continue
		}
		keys[n.Kind] = append(keys[n.Kind], n.Key)
	}
	for _, name := range names {
		slices.Sort(keys[name])
		for _, key := range keys[name] {
			fields := states[history.Name{Kind: name, Key: key}]
			delete(fields, "key")
			out = append(out, model.ApplyObject{Kind: name, Fields: fields})
		}
	}
	return out, nil
}
