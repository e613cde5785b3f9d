// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"encoding/json"
	"iter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/selector"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/oper"
	"github.com/contiv/contiv/identity"
)

// item is an object as lists and watches show it: an endpoint with its state, all others as they are stored.
type item struct {
	view   *catalog.View
	kind   *model.Kind
	key    string
	member *catalog.Member // of an endpoint
}

// itemOf is the object of a key; ok is false when there is none.
func itemOf(v *catalog.View, k *model.Kind, key string) (i item, ok bool) {
	if !k.InspectOnly {
		return item{view: v, kind: k, key: key}, v.Has(k.Name, key)
	}
	id, err := identity.ParseEndpoint(key)
	if err != nil {
		return i, false
	}
	i = item{view: v, kind: k, key: key, member: v.Member(id)}
	return i, i.member != nil
}

// itemsAfter yields the objects of a kind that come after a key, in order; "" is before all. A key that is none of the kind has nothing after it.
func itemsAfter(v *catalog.View, k *model.Kind, after string) iter.Seq[item] {
	return func(yield func(item) bool) {
		if k.InspectOnly {
			id, err := identity.ParseEndpoint(after)
			if err != nil {
				return
			}
			for m := range v.MembersAfter(id) {
				if !yield(item{view: v, kind: k, member: m}) {
					return
				}
			}
			return
		}
		for key := range v.KeysAfter(k, after) {
			if !yield(item{view: v, kind: k, key: key}) {
				return
			}
		}
	}
}

// id is the object's key.
func (i item) id() string {
	if i.member != nil {
		return i.member.ID.String()
	}
	return i.key
}

// selected reports whether a selector of the kind selects the object.
func (i item) selected(s *selector.Selector) bool {
	switch {
	case s.All():
		return true
	case i.member != nil:
		return s.Selects(func(name string) any { return oper.Field(i.member.Endpoint, name) }, i.member.Labels)
	}
	object := i.view.Stored(i.kind, i.key)
	var labels map[string]string
	if s.ByLabels() {
		labels = model.LabelsOf(object)
	}
	return s.Selects(object.Field, labels)
}

// text is the object as JSON, which must not be changed.
func (i item) text() (json.RawMessage, error) {
	if i.member != nil {
		return oper.Text(i.member)
	}
	return i.view.Text(i.kind, i.key)
}

// summary adds the object's summary to its text. Endpoints have their state anyway.
func (i item) summary(text json.RawMessage) (json.RawMessage, error) {
	if i.member != nil {
		return text, nil
	}
	summary, err := json.Marshal(oper.Summary(i.view, i.view.Stored(i.kind, i.key)))
	if err != nil {
		return nil, err
	}
	return model.WithSummary(text, summary), nil
}
