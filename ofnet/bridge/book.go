package bridge

import "slices"

// cell is one place in the switch: what should be there, and what is.
type cell[V comparable] struct {
	want   V
	have   V
	owner  *account // who wants it; nil when nobody does
	wanted bool
	there  bool
	seen   bool // of the comparison in progress
	rivals []rival[V]
}

// rival is an owner that wants the same place and does not have it.
type rival[V comparable] struct {
	owner *account
	want  V
}

// book holds the places of one sort: flows, groups or meters.
type book[K, V comparable] struct {
	cells map[K]*cell[V]
	dirty map[K]struct{} // places to compare
}

func newBook[K, V comparable]() book[K, V] {
	return book[K, V]{map[K]*cell[V]{}, map[K]struct{}{}}
}

func (b *book[K, V]) at(k K) *cell[V] {
	c := b.cells[k]
	if c == nil {
		c = &cell[V]{}
		b.cells[k] = c
	}
	return c
}

// claim gives the place to a, or makes a its rival when a smaller owner has it.
func (b *book[K, V]) claim(a *account, k K, v V) {
	c := b.at(k)
	c.dropRival(a)
	if c.wanted && c.owner != a {
		loser := rival[V]{a, v}
		if less(a, c.owner) {
			loser = rival[V]{c.owner, c.want}
		}
		c.rivals = append(c.rivals, loser)
		loser.owner.rivalry++
		if loser.owner == a {
			return
		}
	}
	c.owner, c.want, c.wanted = a, v, true
	b.settle(k, c)
}

// release takes the claim of a away; the smallest rival follows.
func (b *book[K, V]) release(a *account, k K) {
	c := b.cells[k]
	if c == nil {
		return
	}
	if c.owner != a {
		c.dropRival(a)
		return
	}
	var none V
	c.owner, c.want, c.wanted = nil, none, false
	if len(c.rivals) > 0 {
		best := 0
		for n := range c.rivals {
			if less(c.rivals[n].owner, c.rivals[best].owner) {
				best = n
			}
		}
		next := c.rivals[best]
		c.rivals = slices.Delete(c.rivals, best, best+1)
		next.owner.rivalry--
		c.owner, c.want, c.wanted = next.owner, next.want, true
	}
	b.settle(k, c)
}

func (c *cell[V]) dropRival(a *account) {
	before := len(c.rivals)
	c.rivals = slices.DeleteFunc(c.rivals, func(r rival[V]) bool { return r.owner == a })
	a.rivalry -= before - len(c.rivals)
}

// settle marks the place when it is not as it should be, and forgets it when there is nothing to know about it.
func (b *book[K, V]) settle(k K, c *cell[V]) {
	switch {
	case c.wanted != c.there || c.wanted && c.want != c.have:
		b.dirty[k] = struct{}{}
	case !c.wanted:
		delete(b.cells, k)
		delete(b.dirty, k)
	default:
		delete(b.dirty, k)
	}
}

// observe takes what the switch has over the whole book, and counts the places where that is news.
func observe[T any, K, V comparable](b *book[K, V], list []T, entry func(*T) (K, V)) (news int) {
	for i := range list {
		k, v := entry(&list[i])
		c := b.at(k)
		c.seen = true
		if !c.there || c.have != v {
			news++
			c.have, c.there = v, true
			b.settle(k, c)
		}
	}
	for k, c := range b.cells {
		if c.there && !c.seen {
			news++
			var none V
			c.have, c.there = none, false
			b.settle(k, c)
		}
		c.seen = false
	}
	return news
}

// take hands the dirty places that only admits to each and clears their marks. Those of failed owners it passes
// over; their marks go too, and wake brings them back.
func (b *book[K, V]) take(only func(*account) bool, each func(K, *cell[V])) []K {
	var taken []K
	for k := range b.dirty {
		c := b.cells[k]
		if c == nil {
			delete(b.dirty, k)
			continue
		}
		if !only(c.owner) {
			continue
		}
		delete(b.dirty, k)
		if c.owner != nil && c.owner.phase == Failed {
			continue
		}
		taken = append(taken, k)
		each(k, c)
	}
	return taken
}

// is writes down what the switch has at k.
func (b *book[K, V]) is(k K, v V) {
	c := b.at(k)
	c.have, c.there = v, true
	b.settle(k, c)
}

// gone writes down that the switch has nothing at k.
func (b *book[K, V]) gone(k K) {
	if c := b.cells[k]; c != nil {
		var none V
		c.have, c.there = none, false
		b.settle(k, c)
	}
}
