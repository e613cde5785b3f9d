// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/table"
)

// Ref names an object.
type Ref struct{ Kind, Key string }

// entry is one API object.
type entry struct {
	Ref
	object model.Object                    // nil for an object of another owner, which is made from its record
	links  []Ref                           // objects that it links to
	text   atomic.Pointer[json.RawMessage] // with links, cached until either changes; nil: not computed
}

// link is an object with a kind of objects that link to it.
type link struct {
	to   Ref
	from string
}

// Objects by kind, ordered by kind and key, and by the objects that they link to.
var (
	countOfKind    = table.Sum[Ref](func(e *entry) (string, uint64) { return e.Kind, 1 })
	objectsInOrder = table.Sorted[Ref](func(a, b *entry) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Key, b.Key))
	})
	objectsByLink = table.ByEach[Ref](func(e *entry, to []link) []link {
		for _, r := range e.links {
			to = append(to, link{r, e.Kind})
		}
		return to
	})
)

func (v *View) setObject(key string, value []byte) error {
	path, ok := identity.ParseRef(strings.TrimPrefix(key, record.Objects))
	kind, objectKey := path.Kind, path.Name
	k, known := model.KindOf(kind)
	switch {
	case !ok:
		return fmt.Errorf("an object's key is kind/key")
	case !known || k.New == nil:
		return fmt.Errorf("kind %q is unknown", kind)
	}
	ref := Ref{k.Name, objectKey}
	if value == nil {
		was, had := v.objects.Delete(ref)
		if had {
			v.touch(ref)
			v.touch(was.links...)
		}
		return nil
	}
	now := &entry{Ref: ref, object: k.New()}
	if err := json.Unmarshal(value, now.object); err != nil {
		return err
	}
	now.object.SetKey(objectKey)
	now.links = linksOf(now.object)
	if was, had := v.objects.Set(ref, now); had {
		v.touch(was.links...)
	}
	v.touch(ref)
	v.touch(now.links...)
	if g, ok := now.object.(*model.Global); ok {
		return v.resize(g)
	}
	return nil
}

// touch records for watchers that objects have changed: they, or objects that link to them.
func (v *View) touch(refs ...Ref) {
	for _, r := range refs {
		v.dirty[r] = struct{}{}
		if e := v.objects.Get(r); e != nil && !v.draft {
			e.text.Store(nil)
		}
	}
}

// Object returns a copy of an API object with its links, nil if there is none.
func (v *View) Object(k *model.Kind, key string) model.Object {
	e := v.objects.Get(Ref{k.Name, key})
	if e == nil {
		return nil
	}
	return v.linked(e)
}

// Stored returns an API object as stored, without its links, nil if there is none. The caller must not change it.
func (v *View) Stored(k *model.Kind, key string) model.Object {
	if e := v.objects.Get(Ref{k.Name, key}); e != nil {
		return v.of(e)
	}
	return nil
}

// Has reports whether an object exists.
func (v *View) Has(kind, key string) bool { return v.objects.Get(Ref{kind, key}) != nil }

// kind yields the objects of a kind, ordered by key.
func (v *View) kind(k *model.Kind) iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		for e := range objectsInOrder.From(&v.objects, &entry{Ref: Ref{Kind: k.Name}}) {
			if e.Kind != k.Name || !yield(e) {
				return
			}
		}
	}
}

// Objects returns copies of all objects of a kind with their links, ordered by key.
func (v *View) Objects(k *model.Kind) []model.Object {
	out := make([]model.Object, 0, v.Count(k))
	for e := range v.kind(k) {
		out = append(out, v.linked(e))
	}
	return out
}

// Keys returns the sorted keys of all objects of a kind.
func (v *View) Keys(k *model.Kind) []string {
	out := make([]string, 0, v.Count(k))
	for e := range v.kind(k) {
		out = append(out, e.Key)
	}
	return out
}

// KeysAfter yields the keys of the objects of a kind that follow a key, in order.
func (v *View) KeysAfter(k *model.Kind, key string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for e := range objectsInOrder.From(&v.objects, &entry{Ref: Ref{k.Name, key}}) {
			if e.Kind != k.Name || e.Key != key && !yield(e.Key) {
				return
			}
		}
	}
}

// NotFound returns the error for a key that no object has.
func (v *View) NotFound(k *model.Kind, key string) *model.Error {
	return model.NotFound(k, key, v.Keys)
}

// Count returns the number of objects of a kind.
func (v *View) Count(k *model.Kind) int {
	count, _ := countOfKind.In(&v.objects, k.Name)
	return count
}

// Range calls fn with every object of a kind, ordered by key, without links. fn must not change or keep the object.
func (v *View) Range(k *model.Kind, fn func(model.Object)) {
	for e := range v.kind(k) {
		fn(v.of(e))
	}
}

// Referrers lists the keys of the objects of one kind that link to an object, ordered.
func (v *View) Referrers(to *model.Kind, key, from string) []string {
	var out []string
	for _, e := range sortedBy(v.linking(Ref{to.Name, key}, from), func(e *entry) string { return e.Key }) {
		out = append(out, e.Key)
	}
	return out
}

// linking yields the objects of a kind that link to an object.
func (v *View) linking(to Ref, from string) iter.Seq[*entry] {
	return objectsByLink.In(&v.objects, link{to, from}).Values()
}
