// SPDX-License-Identifier: Apache-2.0

package widget

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// thing is what the tests list: a name, which stays, and a number, which changes.
type thing struct {
	name   string
	number int
}

func (x *thing) cells(wide bool) []string {
	cells := []string{x.name, fmt.Sprint(x.number)}
	if wide {
		cells = append(cells, "wide-"+x.name)
	}
	return cells
}

// things is a table of things.
type things struct {
	Table[*thing]
	version int
	keep    func(*thing) bool
}

// wish is how the things are to be shown.
type wish struct {
	filter     *Filter
	column     int
	descending bool
	wide       bool
}

// show has the table show all as w wants it.
func (x *things) show(all []*thing, w wish, held bool, b *Background) (working string) {
	now := time.Unix(1000, 0)
	x.column, x.descending, x.heldUntil = w.column, w.descending, now
	if held {
		x.heldUntil = now.Add(time.Second)
	}
	x.version++
	return x.Show(Source[*thing]{Version: x.version, Size: len(all), Load: func() Content[*thing] {
		c := Content[*thing]{Items: all, ID: func(x *thing) string { return x.name }, Row: func(x *thing) Row { return Row{Cells: x.cells(w.wide)} }, Fixed: w.wide}
		if x.keep != nil {
			c.Items = slices.DeleteFunc(slices.Clone(all), func(y *thing) bool { return !x.keep(y) })
		}
		return c
	}}, w.filter, now, b)
}

// rows are the cells that are listed.
func (x *things) rows() (out []string) {
	for _, item := range x.shown.Items {
		out = append(out, strings.Join(x.shown.Row(item).Cells, " "))
	}
	return out
}

// arrangedOf is what a table should show when nothing is held.
func arrangedOf(all []*thing, w wish, keep func(*thing) bool) []string {
	var kept []*thing
	for _, x := range all {
		if (keep == nil || keep(x)) && w.filter.Keeps(x.cells(w.wide)...) {
			kept = append(kept, x)
		}
	}
	slices.SortFunc(kept, func(a, b *thing) int {
		if w.descending {
			a, b = b, a
		}
		c := 0
		if w.column == 2 {
			c = cmp.Compare(a.number, b.number)
		}
		return cmp.Or(c, cmp.Compare(a.name, b.name))
	})
	var out []string
	for _, x := range kept {
		out = append(out, strings.Join(x.cells(w.wide), " "))
	}
	return out
}

// alter is a list after a few things came, changed or went.
func alter(rnd *rand.Rand, all []*thing, steps int) []*thing {
	all = slices.Clone(all)
	for range steps {
		x := &thing{fmt.Sprintf("n%03d", rnd.IntN(300)), rnd.IntN(40)}
		at, there := slices.BinarySearchFunc(all, x, func(a, b *thing) int { return strings.Compare(a.name, b.name) })
		switch {
		case !there:
			all = slices.Insert(all, at, x)
		case rnd.IntN(3) == 0:
			all = slices.Delete(all, at, at+1)
		default:
			all[at] = x
		}
	}
	return all
}

func mustFilter(t testing.TB, text string) *Filter {
	t.Helper()
	f, err := NewFilter(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// After any changes in any order, the list equals a new filter and sort of all rows; while the order is held, no row moves.
func TestTableFollows(t *testing.T) {
	filters := []*Filter{nil, mustFilter(t, "1"), mustFilter(t, "12"), mustFilter(t, "n.*3"), mustFilter(t, "n.*3."), mustFilter(t, "!7"), mustFilter(t, "E-N1")}
	for seed := range uint64(12) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var x things
		if seed%3 == 0 {
			x.keep = func(x *thing) bool { return x.number%4 != 0 }
		}
		all, w := alter(rnd, nil, 200), wish{}
		for step := range 40 {
			switch rnd.IntN(6) {
			case 0:
				w.filter = filters[rnd.IntN(len(filters))]
			case 1:
				w.column = rnd.IntN(3)
				w.descending = w.column > 0 && rnd.IntN(2) == 0
			case 2:
				w.wide = !w.wide
			case 3:
				all = alter(rnd, all, 1+rnd.IntN(5))
			case 4: // the order is held for a few changes
				x.show(all, w, false, nil)
				for range rnd.IntN(4) {
					before := x.rows()
					all = alter(rnd, all, 1+rnd.IntN(4))
					x.show(all, w, true, nil)
					if now, want := x.rows(), arrangedOf(all, w, x.keep); !slices.Equal(slices.Sorted(slices.Values(now)), slices.Sorted(slices.Values(want))) {
						t.Fatalf("seed %d step %d: held %+v: want the rows\n%v\ngot\n%v", seed, step, w, want, now)
					} else if w.column > 0 && !keptPlaces(before, now) {
						t.Fatalf("seed %d step %d: held %+v: rows changed places:\n%v\n%v", seed, step, w, before, now)
					}
				}
			case 5:
				all = alter(rnd, all, 700)
			}
			if working := x.show(all, w, false, nil); working != "" {
				t.Fatalf("at once: still %s", working)
			}
			if got, want := x.rows(), arrangedOf(all, w, x.keep); !slices.Equal(got, want) {
				t.Fatalf("seed %d step %d: %+v: want\n%v\ngot\n%v", seed, step, w, want, got)
			}
			if n := x.Len(); n > 0 { // the cursor is found wherever its item is
				at := rnd.IntN(n)
				x.cursor = x.shown.Items[at].name
				if got := x.index(); got != at {
					t.Fatalf("item %d is found at %d", at, got)
				}
			}
		}
	}
}

// keptPlaces reports whether the names that are in both lists come in the same order.
func keptPlaces(before, now []string) bool {
	name := func(row string) string { return row[:strings.IndexByte(row, ' ')] }
	in := func(rows []string) map[string]bool {
		out := map[string]bool{}
		for _, row := range rows {
			out[name(row)] = true
		}
		return out
	}
	both := func(rows []string, of map[string]bool) (out []string) {
		for _, row := range rows {
			if of[name(row)] {
				out = append(out, name(row))
			}
		}
		return out
	}
	return slices.Equal(both(before, in(now)), both(now, in(before)))
}

// In the background, what was shown stays until the new filter is ready, and one that was typed over never shows.
func TestTableWorksInTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all []*thing
		for i := range 3 * manyItems {
			all = append(all, &thing{fmt.Sprintf("n%05d", i), i % 7})
		}
		ready := make(chan struct{}, 100)
		background := &Background{Ready: func() { ready <- struct{}{} }}
		var x things
		if working := x.show(all, wish{}, false, background); working != "" || x.Len() != len(all) {
			t.Fatalf("without wishes: want everything at once, got %d, %q", x.Len(), working)
		}
		settle := func(w wish) {
			for range 3 { // a job for another version is followed by one for the last
				synctest.Wait()
				x.show(all, w, false, background)
			}
		}
		var w wish
		for _, text := range []string{"4", "44", "44|45", "n0444"} {
			w = wish{filter: mustFilter(t, text)}
			if working := x.show(all, w, false, background); working != "filtering" || x.Len() != len(all) {
				t.Fatalf("%s: want the old rows while it is filtered, got %d, %q", text, x.Len(), working)
			}
		}
		<-ready
		settle(w)
		if !slices.Equal(x.rows(), arrangedOf(all, w, nil)) {
			t.Fatalf("want %v, got %v", arrangedOf(all, w, nil), x.rows())
		}
		all = slices.Clone(all)
		all[4441] = &thing{all[4441].name, 99}
		if working := x.show(all, w, false, background); working != "" || x.Len() == 0 {
			t.Fatalf("new content: want the rows to stay without a word, got %d, %q", x.Len(), working)
		}
		settle(w)
		if !slices.Equal(x.rows(), arrangedOf(all, w, nil)) {
			t.Fatalf("new content: want %v, got %v", arrangedOf(all, w, nil), x.rows())
		}
		sorted := wish{filter: w.filter, column: 2, descending: true}
		if working := x.show(all, sorted, false, background); working != "sorting" {
			t.Fatalf("want it to be sorted, got %q", working)
		}
		settle(sorted)
		if !slices.Equal(x.rows(), arrangedOf(all, sorted, nil)) {
			t.Fatalf("want %v, got %v", arrangedOf(all, sorted, nil), x.rows())
		}
		if x.show(all, wish{}, false, background); x.Len() != len(all) {
			t.Fatalf("the filter ended: want %d rows, got %d", len(all), x.Len())
		}
	})
}

// Where the selected item has gone is found in the background: who draws does not look through all items.
func TestCursorIsFoundInTheBackground(t *testing.T) {
	const n = 10 * manyItems
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	looked := 0
	src := Source[int]{Size: n, Load: func() Content[int] {
		return Content[int]{Items: all, Row: func(i int) Row { return Row{Cells: []string{fmt.Sprint(i)}} }, ID: func(i int) string {
			looked++ // by one at a time: the test waits for the other
			return fmt.Sprint(i)
		}}
	}}
	ready := make(chan struct{})
	b := &Background{Ready: func() { ready <- struct{}{} }}
	var x Table[int]
	x.Show(src, nil, time.Time{}, nil)
	x.cursor, x.place = "7", 7
	x.turn(0)
	x.turn(0) // descending
	x.Show(src, nil, time.Time{}, b)
	<-ready
	x.Show(src, nil, time.Time{}, b)
	looked = 0
	if item, ok := x.Selected(); !ok || item != 7 || x.place != n-8 || looked > 10 {
		t.Errorf("want item 7 at %d, found at once, got %d at %d after %d looks", n-8, item, x.place, looked)
	}
}
