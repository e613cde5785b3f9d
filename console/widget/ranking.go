package widget

import (
	"context"
	"slices"
	"strings"
	"sync"
)

// entry is an item and the text that filters look at.
type entry[T comparable] struct {
	item T
	text string // by fold; of the book alone
	wide bool   // the text is of the wide row
}

// place is where an item stands, and by what; key is nil when the list is in its own order.
type place[T comparable] struct {
	*entry[T]
	key *sortKey
}

// ranking is a list as a wish wants it. It belongs to the drawing thread once it is made.
type ranking[T comparable] struct {
	wish   Wish
	all    []T // of which it is made
	list   []place[T]
	strays []place[T] // of list: they changed while the order was held, and stand by the key they had
	late   []place[T] // came while the order was held: shown behind list
}

func (k *ranking[T]) settled() bool { return len(k.strays)+len(k.late) == 0 }

// compare is the order of the list.
func (k *ranking[T]) compare(items *Items[T], a, b place[T]) int {
	if k.wish.Descending {
		a, b = b, a
	}
	if k.wish.Column > 0 {
		if c := a.key.compare(*b.key); c != 0 {
			return c
		}
	}
	return items.Compare(a.item, b.item)
}

// place is where an item belongs.
func (k *ranking[T]) place(items *Items[T], e *entry[T]) place[T] {
	p := place[T]{entry: e}
	if k.wish.Column > 0 {
		key := newSortKey(cell(items.Row(e.item, k.wish.Wide), k.wish.Column-1))
		p.key = &key
	}
	return p
}

// keeps tells whether an item is listed.
func (k *ranking[T]) keeps(items *Items[T], item T) bool {
	return (items.Keep == nil || items.Keep(item)) && (k.wish.Filter == nil || k.wish.Filter.Keeps(items.Row(item, k.wish.Wide).Cells))
}

// follow makes it the ranking of all. It tells whether so little changed that it could.
func (k *ranking[T]) follow(items *Items[T], all []T, held bool) bool {
	if !held && !k.settled() {
		k.settle(items)
	}
	changes, ok := differences(k.all, all, items.Compare, fewItems)
	if !ok {
		return false
	}
	for _, c := range changes {
		k.change(items, c, held)
	}
	k.all = all
	return true
}

// change carries out one difference.
func (k *ranking[T]) change(items *Items[T], c difference[T], held bool) {
	var none T
	comes := c.now != none && k.keeps(items, c.now)
	at, from := -1, &k.list
	if c.was != none {
		if at = slices.IndexFunc(k.late, func(p place[T]) bool { return p.item == c.was }); at >= 0 {
			from = &k.late
		} else {
			at = k.find(items, c.was)
		}
	}
	switch {
	case at >= 0 && comes && (held || from == &k.late): // it stays where it is
		e := &entry[T]{item: c.now}
		if from == &k.list {
			k.strays = slices.DeleteFunc(k.strays, func(p place[T]) bool { return p.entry == (*from)[at].entry })
			k.strays = append(k.strays, place[T]{e, (*from)[at].key})
		}
		(*from)[at].entry = e
		return
	case at >= 0:
		gone := (*from)[at].entry
		k.strays = slices.DeleteFunc(k.strays, func(p place[T]) bool { return p.entry == gone })
		*from = slices.Delete(*from, at, at+1)
	}
	if comes {
		p := k.place(items, &entry[T]{item: c.now})
		if held && k.wish.Column > 0 {
			k.late = append(k.late, p)
			return
		}
		k.insert(items, p)
	}
}

func (k *ranking[T]) insert(items *Items[T], p place[T]) {
	at, _ := slices.BinarySearchFunc(k.list, p, func(a, b place[T]) int { return k.compare(items, a, b) })
	k.list = slices.Insert(k.list, at, p)
}

// find is where an item stands in list; negative when it does not.
func (k *ranking[T]) find(items *Items[T], item T) int {
	p := place[T]{entry: &entry[T]{item: item}}
	if i := slices.IndexFunc(k.strays, func(p place[T]) bool { return p.item == item }); i >= 0 {
		p = k.strays[i]
	} else {
		p = k.place(items, p.entry)
	}
	at, ok := slices.BinarySearchFunc(k.list, p, func(a, b place[T]) int { return k.compare(items, a, b) })
	if !ok || k.list[at].item != item {
		return -1
	}
	return at
}

// settle puts what stayed behind where it belongs.
func (k *ranking[T]) settle(items *Items[T]) {
	moving := k.late
	for _, p := range k.strays {
		if at := k.find(items, p.item); at >= 0 {
			k.list = slices.Delete(k.list, at, at+1)
			moving = append(moving, p)
		}
	}
	k.late, k.strays = nil, nil
	for _, p := range moving {
		k.insert(items, k.place(items, p.entry))
	}
}

// book is what jobs know of the items: it saves them making the text of each anew.
type book[T comparable] struct {
	mu      sync.Mutex
	all     []T
	entries []*entry[T]
}

// sometimes is after how many items a job looks whether it is still wanted.
const sometimes = 512

// rank makes a ranking: of from, when that is given, else of all. It returns nil when ctx ends.
func (b *book[T]) rank(ctx context.Context, items *Items[T], from *ranking[T], all []T, w Wish) *ranking[T] {
	out := &ranking[T]{wish: w, all: all}
	ordered := false
	if from != nil {
		out.all, ordered = from.all, from.wish.Column == w.Column && from.wish.Descending == w.Descending
		out.list = from.list[:0]
		for i, p := range from.list {
			if i%sometimes == 0 && ctx.Err() != nil {
				return nil
			}
			if p.keeps(items, w) {
				out.list = append(out.list, p)
			}
		}
	} else {
		b.follow(items, all)
		for i, e := range b.entries {
			if i%sometimes == 0 && ctx.Err() != nil {
				return nil
			}
			if p := (place[T]{entry: e}); (items.Keep == nil || items.Keep(e.item)) && p.keeps(items, w) {
				out.list = append(out.list, p)
			}
		}
		ordered = w.Column == 0 && !w.Descending
	}
	if !ordered && !out.sort(ctx, items) {
		return nil
	}
	return out
}

// sort gives each place its key, and sorts. It tells whether it came to the end.
func (k *ranking[T]) sort(ctx context.Context, items *Items[T]) bool {
	if k.wish.Column > 0 {
		keys := make([]sortKey, len(k.list))
		for i := range k.list {
			if i%sometimes == 0 && ctx.Err() != nil {
				return false
			}
			keys[i] = newSortKey(cell(items.Row(k.list[i].item, k.wish.Wide), k.wish.Column-1))
			k.list[i].key = &keys[i]
		}
	}
	slices.SortFunc(k.list, func(a, b place[T]) int { return k.compare(items, a, b) })
	return ctx.Err() == nil
}

// keeps tells whether a filter keeps an item. Only jobs use it: it notes the item's text.
func (p place[T]) keeps(items *Items[T], w Wish) bool {
	if w.Filter == nil {
		return true
	}
	if p.text == "" || p.wide != w.Wide {
		r := items.Row(p.item, w.Wide)
		p.text, p.wide = fold(r.Cells), w.Wide
		if p.text == "" { // not ASCII
			return w.Filter.Keeps(r.Cells)
		}
	}
	return w.Filter.keepsText(p.text)
}

// follow brings the book up to date.
func (b *book[T]) follow(items *Items[T], all []T) {
	if len(b.all) == len(all) && (len(all) == 0 || &b.all[0] == &all[0]) {
		return
	}
	entries := make([]*entry[T], 0, len(all))
	was, old := b.entries, b.all
	for i := 0; i < len(all); {
		for len(old) > 0 && old[0] != all[i] && items.Compare(old[0], all[i]) <= 0 {
			was, old = was[1:], old[1:]
		}
		n := 0
		for n < len(old) && i+n < len(all) && old[n] == all[i+n] {
			n++
		}
		if n > 0 {
			entries = append(entries, was[:n]...)
			was, old, i = was[n:], old[n:], i+n
			continue
		}
		entries = append(entries, &entry[T]{item: all[i]})
		i++
	}
	b.all, b.entries = all, entries
}

// fold is what a quick filter looks at: the cells in lower case, one a line; "" when they are not ASCII, or more lines.
func fold(cells []string) string {
	if text := strings.Join(cells, "\n"); isASCII(text) && strings.Count(text, "\n") == len(cells)-1 {
		return strings.ToLower(text)
	}
	return ""
}

// difference is what became of one item; the zero T: it was not there, or is gone.
type difference[T comparable] struct{ was, now T }

// differences compares two lists in the same order; ok is false when there are more than limit.
func differences[T comparable](old, all []T, compare func(a, b T) int, limit int) (out []difference[T], ok bool) {
	if len(old) == len(all) && (len(all) == 0 || &old[0] == &all[0]) {
		return nil, true
	}
	for len(old)+len(all) > 0 {
		n := 0
		for n < len(old) && n < len(all) && old[n] == all[n] {
			n++
		}
		old, all = old[n:], all[n:]
		if len(old)+len(all) == 0 {
			break
		}
		if len(out) == limit {
			return nil, false
		}
		order := 0
		switch {
		case len(old) == 0:
			order = 1
		case len(all) == 0:
			order = -1
		default:
			order = compare(old[0], all[0])
		}
		var d difference[T]
		if order <= 0 {
			d.was, old = old[0], old[1:]
		}
		if order >= 0 {
			d.now, all = all[0], all[1:]
		}
		out = append(out, d)
	}
	return out, true
}
