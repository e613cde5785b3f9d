// SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"slices"

	"github.com/contiv/contiv/ofnet/flow"
)

// conflict is an owner that wants a place and does not have it.
type conflict[V comparable] struct {
	owner *ownerState
	want  V
}

// entryTable holds the places of one kind: flows, groups or meters.
type entryTable[K, V comparable] struct {
	places    places[K, V]
	conflicts map[K][]conflict[V]
	dirty     []*entry[K, V]
	slab      []entry[K, V] // unused entries: they are allocated many at a time

	cookie func(V) flow.Cookie // of the content; nil: there is none, and all entries are one share
	there  [flow.MaxShares]int // number of places recorded as filled, for each of the smallest shares

	table   func(K) flow.TableID // of a place; nil: entries have no table
	inTable [256]int             // number of places recorded as filled, for each table
}

func newEntryTable[K, V comparable](cookie func(V) flow.Cookie, table func(K) flow.TableID) entryTable[K, V] {
	return entryTable[K, V]{places: newPlaces[K, V](), conflicts: map[K][]conflict[V]{}, cookie: cookie, table: table}
}

// believe records the switch's content of a place.
func (b *entryTable[K, V]) believe(c *entry[K, V], v V, there bool) {
	if c.there {
		b.count(c.key, c.actual(), -1)
	}
	if c.have(v, there); there {
		b.count(c.key, v, 1)
	}
}

// count adds or removes one filled place.
func (b *entryTable[K, V]) count(k K, v V, by int) {
	b.there[b.share(v)] += by
	if b.table != nil {
		b.inTable[b.table(k)] += by
	}
}

// share returns the smallest share that includes a value.
func (b *entryTable[K, V]) share(v V) uint64 {
	if b.cookie == nil {
		return 0
	}
	return uint64(b.cookie(v)) & (flow.MaxShares - 1)
}

// filled counts the places of a share that are recorded as filled.
func (b *entryTable[K, V]) filled(s flow.Share) (n int) {
	for at := s.At; at < flow.MaxShares; at += s.Mask() + 1 {
		n += b.there[at]
	}
	return n
}

// slabSize is the number of entries allocated at a time: 8 KiB of flows.
const slabSize = 102

func (b *entryTable[K, V]) at(k K) *entry[K, V] {
	hash := b.places.hash(k)
	c := b.places.in(hash, k)
	if c == nil {
		if len(b.slab) == 0 {
			b.slab = make([]entry[K, V], slabSize)
		}
		c, b.slab = &b.slab[0], b.slab[1:]
		c.key, c.hash = k, hash
		b.places.add(c)
	}
	return c
}

// mark makes sure that the next apply checks c.
func (b *entryTable[K, V]) mark(c *entry[K, V]) {
	c.dirty = true
	if !c.listed {
		c.listed = true
		b.dirty = append(b.dirty, c)
	}
}

// update marks the place if it is not as it should be, and removes it if it has no content.
func (b *entryTable[K, V]) update(c *entry[K, V]) {
	if c.differs() {
		b.mark(c)
		return
	}
	c.dirty = false
	if !c.wanted() {
		b.places.remove(c)
	}
}

// clean reports whether no place is dirty.
func (b *entryTable[K, V]) clean() bool {
	return !slices.ContainsFunc(b.dirty, func(c *entry[K, V]) bool { return c.dirty })
}

// reserve gives the place to a, or records a conflict if a smaller owner has it. It returns the place.
func (b *entryTable[K, V]) reserve(a *ownerState, k K, v V) *entry[K, V] {
	c := b.at(k)
	b.dropConflict(a, k)
	if c.wanted() && c.owner != a {
		loser := conflict[V]{a, v}
		if less(a, c.owner) {
			loser = conflict[V]{c.owner, c.desired}
		}
		b.conflicts[k] = append(b.conflicts[k], loser)
		loser.owner.conflicts++
		if loser.owner == a {
			return c
		}
	}
	c.want(a, v)
	b.update(c)
	return c
}

// release withdraws the claim of a; the smallest owner in conflict follows.
func (b *entryTable[K, V]) release(a *ownerState, c *entry[K, V]) {
	if c.owner != a {
		b.dropConflict(a, c.key)
		return
	}
	var none V
	if list := b.conflicts[c.key]; len(list) == 0 {
		c.want(nil, none)
	} else {
		next := slices.MinFunc(list, func(x, y conflict[V]) int {
			if less(x.owner, y.owner) {
				return -1
			}
			return 1
		})
		b.dropConflict(next.owner, c.key)
		c.want(next.owner, next.want)
	}
	b.update(c)
}

func (b *entryTable[K, V]) dropConflict(a *ownerState, k K) {
	if len(b.conflicts) == 0 {
		return
	}
	list := b.conflicts[k]
	rest := slices.DeleteFunc(list, func(r conflict[V]) bool { return r.owner == a })
	a.conflicts -= int32(len(list) - len(rest))
	if len(rest) == 0 {
		delete(b.conflicts, k)
		return
	}
	b.conflicts[k] = rest
}

// observe records the switch's content of a share, counts the places where it is new, and calls note for each of them.
func observe[T any, K, V comparable](b *entryTable[K, V], list []T, share flow.Share, read func(*T) (K, V), note func(*entry[K, V])) (news int) {
	seen := make([]*entry[K, V], len(list))
	for i := range list {
		k, v := read(&list[i])
		c := b.at(k)
		c.seen, seen[i] = true, c
		if !c.there || c.actual() != v {
			news++
			b.believe(c, v, true)
			b.update(c)
			note(c)
		}
	}
	if b.filled(share) > len(list) { // an entry is missing
		for c := range b.places.all {
			if c.there && !c.seen && (b.cookie == nil || share.Has(b.cookie(c.actual()))) {
				news++
				var none V
				b.believe(c, none, false)
				b.update(c)
				note(c)
			}
		}
	}
	for _, c := range seen {
		c.seen = false
	}
	return news
}

// change is one place in a batch, with the content that the switch will have.
type change[K, V comparable] struct {
	entry *entry[K, V]
	to    V
	gone  bool
}

// changes are the places of a batch.
type changes[K, V comparable] struct {
	add, mod, del []change[K, V]
}

// merge appends the changes of o.
func (x *changes[K, V]) merge(o *changes[K, V]) {
	x.add, x.mod, x.del = append(x.add, o.add...), append(x.mod, o.mod...), append(x.del, o.del...)
}

// len counts the places.
func (x *changes[K, V]) len() int { return len(x.add) + len(x.mod) + len(x.del) }

// add lists the dirty places that only admits and clears their marks. It skips those of failed owners and clears their marks too; wake sets
// them again.
func (b *entryTable[K, V]) add(only func(*entry[K, V]) bool) (out changes[K, V]) {
	rest := b.dirty[:0]
	for _, c := range b.dirty {
		switch {
		case !c.dirty:
		case !only(c):
			rest = append(rest, c)
			continue
		case c.owner.aside():
			c.dirty = false
		default:
			c.dirty = false
			x := change[K, V]{c, c.desired, !c.wanted()}
			switch {
			case !c.differs():
			case !c.wanted():
				out.del = append(out.del, x)
			case c.there:
				out.mod = append(out.mod, x)
			default:
				out.add = append(out.add, x)
			}
		}
		c.listed = false
	}
	clear(b.dirty[len(rest):])
	b.dirty = rest
	return out
}

// each yields all changes.
func (x *changes[K, V]) each(yield func(*change[K, V]) bool) {
	for _, list := range [][]change[K, V]{x.add, x.mod, x.del} {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

// done records that the switch has carried out x.
func (b *entryTable[K, V]) done(x *changes[K, V]) {
	for ch := range x.each {
		c := b.keep(ch.entry)
		if ch.gone {
			var none V
			b.believe(c, none, false)
		} else {
			b.believe(c, ch.to, true)
		}
		b.update(c)
	}
}

// again marks the places of x: the switch has not carried it out.
func (b *entryTable[K, V]) again(x *changes[K, V]) {
	for ch := range x.each {
		b.mark(b.keep(ch.entry))
	}
}

// keep returns the entry of c's place: c itself, restored if it was removed while its change was in flight, or its successor.
func (b *entryTable[K, V]) keep(c *entry[K, V]) *entry[K, V] {
	if now := b.places.in(c.hash, c.key); now != nil {
		return now
	}
	b.places.add(c)
	return c
}
