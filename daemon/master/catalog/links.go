// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"github.com/contiv/contiv/api/model"
)

// linksOf lists the objects that o links to: along its single links and the names that it carries.
func linksOf(o model.Object) []Ref {
	var refs []Ref
	for _, l := range o.Kind().Links {
		if r, ok := follow(o, l); ok {
			refs = append(refs, r)
		}
	}
	for _, l := range o.Kind().LinkSets {
		refs = append(refs, named(o, l)...)
	}
	return refs
}

// follow computes a single link from o's own fields: the first of its names, or the key fields of the other kind.
func follow(o model.Object, l model.LinkTo) (Ref, bool) {
	if l.Back {
		return Ref{}, false
	}
	if len(l.Via) > 0 {
		refs := named(o, l)
		if len(refs) == 0 {
			return Ref{}, false
		}
		return refs[0], true
	}
	to, ok := model.KindOf(l.To)
	if !ok {
		return Ref{}, false
	}
	parts := make([]string, len(to.Key))
	for i, field := range to.Key {
		if parts[i], _ = o.Field(field).(string); parts[i] == "" {
			return Ref{}, false
		}
	}
	return Ref{l.To, model.Key(parts...)}, true
}

// named lists the objects of o's tenant whose names its fields hold, or those of the cluster where o has no tenant.
func named(o model.Object, l model.LinkTo) []Ref {
	tenant, _ := o.Field("tenantName").(string)
	var refs []Ref
	for _, field := range l.Via {
		names, _ := o.Field(field).([]string)
		if name, _ := o.Field(field).(string); name != "" {
			names = []string{name}
		}
		for _, name := range names {
			key := name
			if tenant != "" {
				key = model.Key(tenant, name)
			}
			refs = append(refs, Ref{l.To, key})
		}
	}
	return refs
}

// back returns the last object, by key, of the kind that links to o; ok is false if there is none.
func (v *View) back(o model.Object, l model.LinkTo) (last Ref, ok bool) {
	for e := range v.linking(Ref{o.Kind().Name, o.ObjectKey()}, l.To) {
		if !ok || e.Key > last.Key {
			last, ok = e.Ref, true
		}
	}
	return last, ok
}

// linked returns a copy of an object with its links.
func (v *View) linked(e *entry) model.Object {
	o := v.of(e).Clone()
	k := o.Kind()
	sets := make(map[string]model.LinkSet, len(k.LinkSets))
	for _, l := range k.LinkSets {
		found := model.LinkSet{}
		if len(l.Via) > 0 {
			for _, r := range named(o, l) {
				found[r.Key] = model.Link{Type: r.Kind, Key: r.Key}
			}
		} else {
			for other := range v.linking(e.Ref, l.To) {
				found[other.Key] = model.Link{Type: l.To, Key: other.Key}
			}
		}
		sets[l.Name] = found
	}
	links := make(map[string]model.Link, len(k.Links))
	for _, l := range k.Links {
		r, ok := follow(o, l)
		if l.Back {
			r, ok = v.back(o, l)
		}
		if ok {
			links[l.Name] = model.Link{Type: r.Kind, Key: r.Key}
		}
	}
	o.SetLinks(sets, links)
	return o
}
