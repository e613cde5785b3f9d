package bridge

import (
	"slices"

	"github.com/contiv/contiv/ofnet/flow"
)

// cell is one place in the switch: what should be there, and what is.
type cell[K, V comparable] struct {
	key    K
	want   V
	have   V
	owner  *account // who wants it; nil when nobody does
	wanted bool
	there  bool
	dirty  bool // want and have are to be compared
	listed bool // it is in the book's list of dirty cells
	seen   bool // of the comparison in progress
}

// differs says that the switch does not have what it should.
func (c *cell[K, V]) differs() bool { return c.wanted != c.there || c.wanted && c.want != c.have }

// rival is an owner that wants a place and does not have it.
type rival[V comparable] struct {
	owner *account
	want  V
}

// book holds the places of one sort: flows, groups or meters.
type book[K, V comparable] struct {
	cells  map[K]*cell[K, V]
	rivals map[K][]rival[V]
	dirty  []*cell[K, V]
	slab   []cell[K, V] // cells not yet used: they are made many at a time

	cookie func(V) flow.Cookie  // of what is in a place; nil: there is none, and all is one share
	there  [flow.MostShares]int // how many places of each of the smallest shares are believed to be filled
}

func newBook[K, V comparable](cookie func(V) flow.Cookie) book[K, V] {
	return book[K, V]{cells: map[K]*cell[K, V]{}, rivals: map[K][]rival[V]{}, cookie: cookie}
}

// believe writes down what the switch has in a place.
func (b *book[K, V]) believe(c *cell[K, V], v V, there bool) {
	if c.there {
		b.there[b.share(c.have)]--
	}
	if c.have, c.there = v, there; there {
		b.there[b.share(v)]++
	}
}

// share is the smallest share that a value is in.
func (b *book[K, V]) share(v V) uint64 {
	if b.cookie == nil {
		return 0
	}
	return uint64(b.cookie(v)) & (flow.MostShares - 1)
}

// filled counts the places of a share that are believed to be filled.
func (b *book[K, V]) filled(s flow.Share) (n int) {
	for at := s.At; at < flow.MostShares; at += s.Mask() + 1 {
		n += b.there[at]
	}
	return n
}

// expect makes room for n places, when the book is empty: a map that grows costs as much again.
func (b *book[K, V]) expect(n int) {
	if len(b.cells) == 0 {
		b.cells = make(map[K]*cell[K, V], n)
		b.slab = make([]cell[K, V], n)
	}
}

func (b *book[K, V]) at(k K) *cell[K, V] {
	c := b.cells[k]
	if c == nil {
		if len(b.slab) == 0 {
			b.slab = make([]cell[K, V], 64)
		}
		c, b.slab = &b.slab[0], b.slab[1:]
		c.key = k
		b.cells[k] = c
	}
	return c
}

// mark makes sure that the next take looks at c.
func (b *book[K, V]) mark(c *cell[K, V]) {
	c.dirty = true
	if !c.listed {
		c.listed = true
		b.dirty = append(b.dirty, c)
	}
}

// markKey is mark for the place k, when the book knows it.
func (b *book[K, V]) markKey(k K) {
	if c := b.cells[k]; c != nil {
		b.mark(c)
	}
}

// settle marks the place when it is not as it should be, and forgets it when there is nothing to know about it.
func (b *book[K, V]) settle(c *cell[K, V]) {
	if c.differs() {
		b.mark(c)
		return
	}
	c.dirty = false
	if !c.wanted {
		delete(b.cells, c.key)
	}
}

// clean says that no place is dirty.
func (b *book[K, V]) clean() bool {
	return !slices.ContainsFunc(b.dirty, func(c *cell[K, V]) bool { return c.dirty })
}

// claim gives the place to a, or makes a its rival when a smaller owner has it.
func (b *book[K, V]) claim(a *account, k K, v V) {
	c := b.at(k)
	b.dropRival(a, k)
	if c.wanted && c.owner != a {
		loser := rival[V]{a, v}
		if less(a, c.owner) {
			loser = rival[V]{c.owner, c.want}
		}
		b.rivals[k] = append(b.rivals[k], loser)
		loser.owner.rivalry++
		if loser.owner == a {
			return
		}
	}
	c.owner, c.want, c.wanted = a, v, true
	b.settle(c)
}

// release takes the claim of a away; the smallest rival follows.
func (b *book[K, V]) release(a *account, k K) {
	c := b.cells[k]
	if c == nil {
		return
	}
	if c.owner != a {
		b.dropRival(a, k)
		return
	}
	var none V
	c.owner, c.want, c.wanted = nil, none, false
	if list := b.rivals[k]; len(list) > 0 {
		next := slices.MinFunc(list, func(x, y rival[V]) int {
			if less(x.owner, y.owner) {
				return -1
			}
			return 1
		})
		b.dropRival(next.owner, k)
		c.owner, c.want, c.wanted = next.owner, next.want, true
	}
	b.settle(c)
}

func (b *book[K, V]) dropRival(a *account, k K) {
	if len(b.rivals) == 0 {
		return
	}
	list := b.rivals[k]
	rest := slices.DeleteFunc(list, func(r rival[V]) bool { return r.owner == a })
	a.rivalry -= len(list) - len(rest)
	if len(rest) == 0 {
		delete(b.rivals, k)
		return
	}
	b.rivals[k] = rest
}

// observe takes what the switch has of a share over into the book, counts the places where that is news, and lets note see
// each of them.
func observe[T any, K, V comparable](b *book[K, V], list []T, share flow.Share, entry func(*T) (K, V), note func(*cell[K, V])) (news int) {
	seen := make([]*cell[K, V], len(list))
	for i := range list {
		k, v := entry(&list[i])
		c := b.at(k)
		c.seen, seen[i] = true, c
		if !c.there || c.have != v {
			news++
			b.believe(c, v, true)
			b.settle(c)
			note(c)
		}
	}
	if b.filled(share) > len(list) { // something is gone
		for _, c := range b.cells {
			if c.there && !c.seen && (b.cookie == nil || share.Has(b.cookie(c.have))) {
				news++
				var none V
				b.believe(c, none, false)
				b.settle(c)
				note(c)
			}
		}
	}
	for _, c := range seen {
		c.seen = false
	}
	return news
}

// change is one place in a batch: what the switch will have there.
type change[K, V comparable] struct {
	cell *cell[K, V]
	to   V
	gone bool
}

// changes are the places of a batch.
type changes[K, V comparable] struct {
	add, mod, del []change[K, V]
}

// merge appends those of o.
func (x *changes[K, V]) merge(o *changes[K, V]) {
	x.add, x.mod, x.del = append(x.add, o.add...), append(x.mod, o.mod...), append(x.del, o.del...)
}

// len counts the places.
func (x *changes[K, V]) len() int { return len(x.add) + len(x.mod) + len(x.del) }

// take lists the dirty places that only admits, and clears their marks. Those of failed owners it passes over; their
// marks go too, and wake brings them back.
func (b *book[K, V]) take(only func(*account) bool) (out changes[K, V]) {
	rest := b.dirty[:0]
	for _, c := range b.dirty {
		switch {
		case !c.dirty:
		case !only(c.owner):
			rest = append(rest, c)
			continue
		case c.owner.aside():
			c.dirty = false
		default:
			c.dirty = false
			x := change[K, V]{c, c.want, !c.wanted}
			switch {
			case !c.differs():
			case !c.wanted:
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

// done writes down that the switch has carried out x.
func (b *book[K, V]) done(x *changes[K, V]) {
	for ch := range x.each {
		c := b.keep(ch.cell)
		if ch.gone {
			var none V
			b.believe(c, none, false)
		} else {
			b.believe(c, ch.to, true)
		}
		b.settle(c)
	}
}

// again marks the places of x: the switch has not carried it out.
func (b *book[K, V]) again(x *changes[K, V]) {
	for ch := range x.each {
		b.mark(b.keep(ch.cell))
	}
}

// keep returns the cell of c's place: c, which it puts back if it was forgotten while its change was on the way, or
// the one that has followed it.
func (b *book[K, V]) keep(c *cell[K, V]) *cell[K, V] {
	if now := b.cells[c.key]; now != nil {
		return now
	}
	b.cells[c.key] = c
	return c
}
