// SPDX-License-Identifier: Apache-2.0

package history

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/identity"
)

// Bounds of one change, in bytes of JSON.
const (
	maxValue  = 3 << 10 // more than the labels of an object
	maxChange = 8 << 10
)

// KindProvider is the kind of changes of a service's providers, which follow from endpoints that are created and deleted.
const KindProvider = "provider"

// KindLeadership is the kind of requests to a leader to hand over.
const KindLeadership = "leadership"

// KindHost is the kind of hosts that were forgotten. Registrations, which every start of an agent causes, are not recorded.
const KindHost = "host"

// Derive returns the changes of a request's operations, given the values before them (nil: none) and, as far as known, the new values
// before they were encoded, by key. The last operation on a key counts. An entry without changes and addresses means that nothing is
// recorded.
func Derive(ops []store.Op, before func(key string) []byte, made map[string]any) Entry {
	var e Entry
	last := make(map[string]int, len(ops))
	for i, op := range ops {
		last[op.Key] = i
	}
	moves := map[Place]*Address{}
	for i, op := range ops {
		if last[op.Key] != i {
			continue
		}
		was, now := before(op.Key), op.Value
		if op.Delete {
			now = nil
		}
		if bytes.Equal(was, now) {
			continue
		}
		transfers(moves, op.Key, was, now, made[op.Key])
		if kind, name, ok := subject(op.Key); ok && (kind != KindHost || now == nil) {
			if c, differs := compare(kind, name, was, now); differs {
				e.Changes = append(e.Changes, c)
			}
		}
	}
	var own *Change
	if len(e.Changes) > 0 {
		own = &e.Changes[0]
	}
	e.Addresses = changedOwners(moves, own)
	return e
}

// subject returns the object that a key stores.
func subject(key string) (kind, name string, ok bool) {
	switch {
	case strings.HasPrefix(key, record.Objects):
		ref, ok := identity.ParseRef(strings.TrimPrefix(key, record.Objects))
		return ref.Kind, ref.Name, ok
	case strings.HasPrefix(key, record.Endpoints):
		return model.KindEndpoint().Name, strings.TrimPrefix(key, record.Endpoints), true
	case strings.HasPrefix(key, record.Providers):
		return KindProvider, strings.TrimPrefix(key, record.Providers), true
	case strings.HasPrefix(key, record.Hosts):
		return KindHost, strings.TrimPrefix(key, record.Hosts), true
	case key == record.SuccessorKey:
		return KindLeadership, "handover", true
	}
	return "", "", false
}

// KeyOf returns the store key of an object by its kind and name in the history.
func KeyOf(kind, name string) string {
	switch kind {
	case model.KindEndpoint().Name:
		return record.Endpoints + name
	case KindProvider:
		return record.Providers + name
	case KindHost:
		return record.Hosts + name
	case KindLeadership:
		return record.SuccessorKey
	}
	return record.Objects + kind + "/" + name
}

// implied returns the fields that follow from an object's name and from other objects.
func implied(kind string) []string {
	if kind == model.KindEndpoint().Name {
		return []string{"id", "endpointID", "tenant", "vtepIP"}
	}
	return []string{"key", "id", "links", "link-sets"}
}

// compare lists the fields that differ in two stored values. For a created endpoint it lists none: its addresses and its host are in the
// ledger, and every byte is written with every container.
func compare(kind, name string, was, now []byte) (Change, bool) {
	c := Change{Verb: updated, Kind: kind, Key: name}
	switch {
	case was == nil:
		c.Verb = created
	case now == nil:
		c.Verb = deleted
	}
	if c.Verb == created && kind == model.KindEndpoint().Name {
		return c, true
	}
	a, b := members(kind, was), members(kind, now)
	all := maps.Clone(a)
	maps.Copy(all, b)
	k, _ := model.KindOf(kind)
	size := 0
	for _, field := range slices.Sorted(maps.Keys(all)) {
		if reflect.DeepEqual(a[field], b[field]) {
			continue
		}
		f := Field{Name: field, Old: a[field], New: b[field]}
		hide(k, &f)
		f, length := bounded(f, &c.Cut)
		if size += length; size > maxChange {
			c.Cut = true
			break
		}
		c.Fields = append(c.Fields, f)
	}
	return c, c.Verb != updated || len(c.Fields) > 0 || c.Cut
}

// members decodes a stored object without its empty fields, which count as absent.
func members(kind string, value []byte) map[string]any {
	out := map[string]any{}
	if value == nil || json.Unmarshal(value, &out) != nil {
		return map[string]any{}
	}
	for _, name := range implied(kind) {
		delete(out, name)
	}
	maps.DeleteFunc(out, func(_ string, v any) bool {
		switch v := v.(type) {
		case nil:
			return true
		case string:
			return v == ""
		case float64:
			return v == 0
		case bool:
			return !v
		case []any:
			return len(v) == 0
		case map[string]any:
			return len(v) == 0
		}
		return false
	})
	return out
}

// hidden replaces a value that is never recorded.
const hidden = model.Hidden

// hide replaces the values of a field that the schema declares a secret.
func hide(k *model.Kind, f *Field) {
	if k == nil {
		return
	}
	if d, ok := k.Field(f.Name); !ok || !d.Secret {
		return
	}
	if f.Old != nil {
		f.Old = hidden
	}
	if f.New != nil {
		f.New = hidden
	}
}

// bounded drops values that are too large, and returns the size.
func bounded(f Field, cut *bool) (Field, int) {
	size := len(f.Name) + 16
	for _, v := range []*any{&f.Old, &f.New} {
		if *v == nil {
			continue
		}
		text, err := json.Marshal(*v)
		if err != nil || len(text) > maxValue {
			*v, *cut = nil, true
			continue
		}
		size += len(text)
	}
	return f, size
}
