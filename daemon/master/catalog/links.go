package catalog

import (
	"github.com/contiv/contiv/api/model"
)

// refsOf lists the objects that o links to: along its single links and the lists of names that it carries.
func refsOf(o model.Object) []Ref {
	var refs []Ref
	for _, l := range o.Kind().Links {
		if r, ok := follow(o, l); ok {
			refs = append(refs, r)
		}
	}
	for _, l := range o.Kind().LinkSets {
		if l.Via != "" {
			refs = append(refs, named(o, l)...)
		}
	}
	return refs
}

// follow computes a single link: the key fields of the other kind, taken from o's own fields.
func follow(o model.Object, l model.LinkTo) (Ref, bool) {
	if l.Via != "" {
		name, _ := o.Field(l.Via).(string)
		tenant, _ := o.Field("tenantName").(string)
		return Ref{l.To, model.Key(tenant, name)}, name != ""
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

// named computes a link set from a list of names.
func named(o model.Object, l model.LinkTo) []Ref {
	names, _ := o.Field(l.Via).([]string)
	tenant, _ := o.Field("tenantName").(string)
	refs := make([]Ref, len(names))
	for i, name := range names {
		refs[i] = Ref{l.To, model.Key(tenant, name)}
	}
	return refs
}

// refer notes that the object kind/key links to r.
func (v *View) refer(r Ref, kind, key string) {
	id := r.Kind + "/" + r.Key
	if v.referrers[id] == nil {
		v.referrers[id] = map[string]set{}
	}
	if v.referrers[id][kind] == nil {
		v.referrers[id][kind] = set{}
	}
	v.referrers[id][kind][key] = struct{}{}
	v.touch(r.Kind, r.Key)
}

// linked returns a copy of an object with its links.
func (v *View) linked(e *entry) model.Object {
	o := e.object.Clone()
	k := o.Kind()
	sets := make(map[string]model.LinkSet, len(k.LinkSets))
	for _, l := range k.LinkSets {
		found := model.LinkSet{}
		if l.Via != "" {
			for _, r := range named(o, l) {
				found[r.Key] = model.Link{Type: r.Kind, Key: r.Key}
			}
		} else {
			for key := range v.referrers[k.Name+"/"+o.ObjectKey()][l.To] {
				found[key] = model.Link{Type: l.To, Key: key}
			}
		}
		sets[l.Name] = found
	}
	links := make(map[string]model.Link, len(k.Links))
	for _, l := range k.Links {
		if r, ok := follow(o, l); ok {
			links[l.Name] = model.Link{Type: r.Kind, Key: r.Key}
		}
	}
	o.SetLinks(sets, links)
	return o
}
