// SPDX-License-Identifier: Apache-2.0

package widget

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/sortkey"
)

// manyItems is the number of items from which a list is filtered and sorted in the background.
const manyItems = 2000

// Row is one line of a table.
type Row struct {
	Cells []string
	Role  theme.Role
}

// Content is what a table lists. It is not changed later.
type Content[T comparable] struct {
	Items []T // in the list's own order
	// ID names an item: it stays the same when the item's cells change.
	ID  func(T) string
	Row func(T) Row
	// Fixed is not nil when the row of an item never changes as long as Fixed is the same: the text of rows is then
	// remembered from one content to the next.
	Fixed any
}

// Source is where a table's content comes from.
type Source[T comparable] struct {
	Version any // comparable; the content of the same version is the same
	Size    int // how many items there are to look at
	Slow    bool
	Load    func() Content[T] // is called by other goroutines when there are many items and it is Slow, or they are to be arranged
}

// order is how the user wants the items of a version.
type order struct {
	version    any
	filter     *Filter
	column     int // from 1; 0: the list's own order
	descending bool
	held       bool // items stay where they are, and new ones come last
}

// differs reports whether the difference to the previous state is more than new content.
func (o order) differs(was order) bool {
	return o.filter != was.filter || o.column != was.column || o.descending != was.descending
}

// arranged is a content in the form that is shown.
type arranged[T comparable] struct {
	order
	Content[T]
	cursor string // ID of the item that was selected when this was begun, and
	at     int    // where it is now; -1: it is not known where
	total  int    // number of items, with those that the filter hides
}

// Show shows a source in the table, filtered, and sorted as the user wants it. Long work is done in the background, and the old content
// stays until it is done. Show returns the pending work, such as "filtering", or "".
func (t *Table[T]) Show(src Source[T], f *Filter, now time.Time, b *Background) (working string) {
	o := order{version: src.Version, filter: f, column: t.column, descending: t.descending, held: t.shown != nil && t.column > 0 && now.Before(t.heldUntil)}
	if plain := f == nil && o.column == 0 && !src.Slow; plain || src.Size <= manyItems || t.shown == nil {
		b = nil
	}
	was, texts, cursor := t.shown, &t.texts, t.cursor
	t.shown = t.latest.Update(o, o.differs, b, func(ctx context.Context) *arranged[T] {
		out := texts.arrange(ctx, src.Load(), o, was)
		if b != nil {
			out.look(cursor)
		}
		return out
	})
	if t.shown != was && t.shown.cursor == t.cursor && t.shown.at >= 0 {
		t.place = t.shown.at
	}
	switch {
	case !o.differs(t.shown.order):
		return ""
	case o.filter == t.shown.filter && o.column > 0:
		return "sorting"
	}
	return "filtering"
}

// look finds the selected item, so that drawing need not search all of them. nil has none.
func (a *arranged[T]) look(cursor string) {
	if a != nil && cursor != "" {
		a.cursor, a.at = cursor, slices.IndexFunc(a.Items, func(item T) bool { return a.ID(item) == cursor })
	}
}

// texts remembers the cells of items, one a line.
type texts[T comparable] struct {
	mu    sync.Mutex // held by the one job that is at work
	fixed any
	of    map[T]string
}

// checkInterval is the number of items after which a job checks whether it is still needed.
const checkInterval = 512

// arrange filters and sorts. It returns nil when ctx ends.
func (x *texts[T]) arrange(ctx context.Context, c Content[T], o order, was *arranged[T]) *arranged[T] {
	out := &arranged[T]{order: o, Content: c, at: -1, total: len(c.Items)}
	if o.filter == nil && o.column == 0 {
		return out
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.fixed != c.Fixed || len(x.of) > 2*len(c.Items)+manyItems {
		x.fixed, x.of = c.Fixed, map[T]string{}
	}
	type keyed struct {
		item T
		key  sortkey.Key
		at   int // in the list's own order, or where it was shown
	}
	var places map[string]int
	if o.held {
		places = make(map[string]int, len(was.Items))
		for i, item := range was.Items {
			places[was.ID(item)] = i
		}
	}
	kept := make([]keyed, 0, len(c.Items))
	for i, item := range c.Items {
		if i%checkInterval == 0 && ctx.Err() != nil {
			return nil
		}
		text, cells := x.row(&c, item)
		if !o.filter.keepsRow(text, cells) {
			continue
		}
		k := keyed{item: item, at: i}
		if o.held {
			if place, known := places[c.ID(item)]; known {
				k.at = place - len(was.Items)
			}
		} else if o.column > 0 {
			if cells == nil {
				cells = strings.Split(text, "\n")
			}
			k.key = sortkey.Of(cell(cells, o.column-1))
		}
		kept = append(kept, k)
	}
	if o.column > 0 {
		slices.SortFunc(kept, func(a, b keyed) int {
			if o.descending && !o.held {
				a, b = b, a
			}
			return cmp.Or(a.key.Compare(b.key), cmp.Compare(a.at, b.at))
		})
	}
	if ctx.Err() != nil {
		return nil
	}
	out.Items = make([]T, len(kept))
	for i := range kept {
		out.Items[i] = kept[i].item
	}
	return out
}

// row returns the cells of an item: the remembered text, or the current cells.
func (x *texts[T]) row(c *Content[T], item T) (text string, cells []string) {
	if x.fixed == nil {
		return "", c.Row(item).Cells
	}
	text, known := x.of[item]
	if known {
		return text, nil
	}
	cells = c.Row(item).Cells
	if text = strings.Join(cells, "\n"); strings.Count(text, "\n") == len(cells)-1 {
		x.of[item] = text
	}
	return "", cells
}

func cell(cells []string, i int) string {
	if i < len(cells) {
		return cells[i]
	}
	return ""
}
