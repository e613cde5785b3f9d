package widget

import (
	"context"
	"slices"
	"time"
)

const (
	shortList = 2000 // items that are arranged at once
	fewItems  = 500  // changes that are carried out one by one
)

// Wish is how a list is to be arranged.
type Wish struct {
	Filter     *Filter
	Column     int // whose cells are the order, from 1; 0: the list's own order
	Descending bool
	Wide       bool // passed on to the function that makes rows
}

// Items tells a Roll about the things it lists. They do not change: a thing that is different is another.
type Items[T comparable] struct {
	// Compare is the order of lists. Two things are equal when the one is what has become of the other.
	Compare func(a, b T) int
	Row     func(item T, wide bool) Row
	// Locate is how an item stands to the one whose row has that ID, in the order of Compare; 0: it is that.
	Locate func(item T, id string) int
	// Keep leaves the others out; nil: keeps all.
	Keep func(item T) bool
}

// Roll is a long list that is filtered and sorted: the Rows of a table. A list that differs little from the one before
// costs what changed in it; what costs more is done at a Desk, and what was shown stays until then.
type Roll[T comparable] struct {
	items Items[T]
	wide  bool
	all   []T         // what is shown when rank is nil
	rank  *ranking[T] // what is shown
	job   *job[T]     // under way
	book  *book[T]    // of the jobs, which run one after the other
}

// NewRoll makes an empty list.
func NewRoll[T comparable](items Items[T]) *Roll[T] { return &Roll[T]{items: items, book: &book[T]{}} }

// job is a ranking that is being made; nil when it was cancelled.
type job[T comparable] struct {
	*Task[*ranking[T]]
	wish Wish
}

// Arrange makes the list that is shown. all is in the order of Compare, and neither it nor what is in it changes later.
// While held, rows stay where they are and new ones come last. working is what is still being done, "" when nothing is.
func (r *Roll[T]) Arrange(all []T, w Wish, held bool, desk *Desk) (working string) {
	r.wide = w.Wide
	if w.Filter == nil && w.Column == 0 && r.items.Keep == nil {
		r.stop()
		r.all, r.rank = all, nil
		return ""
	}
	r.fetch(w)
	if r.rank != nil && r.rank.wish == w && r.rank.follow(&r.items, all, held) {
		r.stop()
		return ""
	}
	if r.job == nil || r.job.wish != w {
		if len(all) <= shortList {
			desk = nil
		}
		if r.begin(all, w, desk); desk == nil {
			r.fetch(w)
		}
	}
	if r.job == nil {
		r.rank.follow(&r.items, all, held)
		return ""
	}
	if r.rank != nil && r.rank.wish.Filter == w.Filter && w.Column > 0 {
		return "sorting"
	}
	return "filtering"
}

// fetch takes what a job has made.
func (r *Roll[T]) fetch(w Wish) {
	if r.job == nil {
		return
	}
	if rank, done := r.job.Result(); done {
		if rank != nil && r.job.wish == w {
			r.rank = rank
		}
		r.job = nil
	}
}

func (r *Roll[T]) stop() {
	if r.job != nil {
		r.job.Cancel()
		r.job = nil
	}
}

// begin starts a job, which waits for the one before.
func (r *Roll[T]) begin(all []T, w Wish, desk *Desk) {
	r.stop()
	items, book, from := r.items, r.book, (*ranking[T])(nil)
	if was := r.rank; was != nil && was.wish.Wide == w.Wide && w.Filter.Narrows(was.wish.Filter) && was.settled() {
		// What the new filter keeps is among what the old one kept. The drawing thread goes on changing its list.
		from = &ranking[T]{all: was.all, wish: was.wish, list: slices.Clone(was.list)}
	}
	r.job = &job[T]{wish: w, Task: Do(desk, func(ctx context.Context) *ranking[T] {
		book.mu.Lock()
		defer book.mu.Unlock()
		return book.rank(ctx, &items, from, all, w)
	})}
}

// Len is the number of rows.
func (r *Roll[T]) Len() int {
	if r.rank != nil {
		return len(r.rank.list) + len(r.rank.late)
	}
	if r.items.Keep != nil {
		return 0
	}
	return len(r.all)
}

func (r *Roll[T]) item(i int) T {
	switch {
	case r.rank == nil:
		return r.all[i]
	case i < len(r.rank.list):
		return r.rank.list[i].item
	}
	return r.rank.late[i-len(r.rank.list)].item
}

// At makes row i.
func (r *Roll[T]) At(i int) Row { return r.items.Row(r.item(i), r.wide) }

// Find is the number of the row with that ID; negative when there is none. It does not look at all.
func (r *Roll[T]) Find(id string) int {
	all := r.all
	if r.rank != nil {
		all = r.rank.all
	}
	i, ok := slices.BinarySearchFunc(all, id, r.items.Locate)
	switch {
	case !ok:
		return -1
	case r.rank == nil && r.items.Keep != nil: // nothing is shown yet
		return -1
	case r.rank == nil:
		return i
	}
	if at := slices.IndexFunc(r.rank.late, func(p place[T]) bool { return p.item == all[i] }); at >= 0 {
		return len(r.rank.list) + at
	}
	return r.rank.find(&r.items, all[i])
}

// Order is how the user sorts the table, and whether rows keep their places now.
func (t *Table) Order(now time.Time) (column int, descending, held bool) {
	return t.sort, t.descending, now.Before(t.until)
}
