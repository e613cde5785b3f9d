package widget

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
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

func things() Items[*thing] {
	return Items[*thing]{
		Compare: func(a, b *thing) int { return strings.Compare(a.name, b.name) },
		Row:     func(x *thing, wide bool) Row { return Row{ID: x.name, Cells: x.cells(wide)} },
		Locate:  func(x *thing, id string) int { return strings.Compare(x.name, id) },
	}
}

// arrangedOf is what a Roll shall show when nothing is held.
func arrangedOf(all []*thing, w Wish, keep func(*thing) bool) []string {
	var kept []*thing
	for _, x := range all {
		if (keep == nil || keep(x)) && w.Filter.Keeps(x.cells(w.Wide)) {
			kept = append(kept, x)
		}
	}
	slices.SortFunc(kept, func(a, b *thing) int {
		if w.Descending {
			a, b = b, a
		}
		c := 0
		if w.Column == 2 {
			c = cmp.Compare(a.number, b.number)
		}
		return cmp.Or(c, cmp.Compare(a.name, b.name))
	})
	var out []string
	for _, x := range kept {
		out = append(out, strings.Join(x.cells(w.Wide), " "))
	}
	return out
}

func shownBy(r *Roll[*thing]) []string {
	var out []string
	for i := range r.Len() {
		out = append(out, strings.Join(r.At(i).Cells, " "))
	}
	return out
}

// alter is a list after a few things came, changed or went.
func alter(rnd *rand.Rand, all []*thing, steps int) []*thing {
	all = slices.Clone(all)
	for range steps {
		x := &thing{fmt.Sprintf("n%03d", rnd.IntN(300)), rnd.IntN(40)}
		at, there := slices.BinarySearchFunc(all, x, things().Compare)
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

// Whatever happens in whatever order, what is shown is what filtering and sorting everything anew would show; and while
// the order is held, no row changes places.
func TestRollFollows(t *testing.T) {
	filters := []*Filter{nil, mustFilter(t, "1"), mustFilter(t, "12"), mustFilter(t, "n.*3"), mustFilter(t, "n.*3."), mustFilter(t, "!7"), mustFilter(t, "E-N1")}
	for seed := range uint64(12) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		items := things()
		if seed%3 == 0 {
			items.Keep = func(x *thing) bool { return x.number%4 != 0 }
		}
		r, all, w := NewRoll(items), alter(rnd, nil, 200), Wish{}
		for step := range 40 {
			switch rnd.IntN(6) {
			case 0:
				w.Filter = filters[rnd.IntN(len(filters))]
			case 1:
				w.Column, w.Descending = rnd.IntN(3), rnd.IntN(2) == 0
				w.Descending = w.Descending && w.Column > 0
			case 2:
				w.Wide = !w.Wide
			case 3:
				all = alter(rnd, all, 1+rnd.IntN(5))
			case 4: // the order is held for a few changes
				r.Arrange(all, w, true, nil)
				for range rnd.IntN(4) {
					before := shownBy(r)
					all = alter(rnd, all, 1+rnd.IntN(4))
					r.Arrange(all, w, true, nil)
					for i := range r.Len() {
						if got := r.Find(r.At(i).ID); got != i {
							t.Fatalf("seed %d step %d: held: row %d is found at %d", seed, step, i, got)
						}
					}
					if now, want := shownBy(r), arrangedOf(all, w, items.Keep); !slices.Equal(slices.Sorted(slices.Values(now)), slices.Sorted(slices.Values(want))) {
						t.Fatalf("seed %d step %d: held %+v: want the rows\n%v\ngot\n%v", seed, step, w, want, now)
					} else if w.Column > 0 && !keptPlaces(before, now) {
						t.Fatalf("seed %d step %d: held %+v: rows changed places:\n%v\n%v", seed, step, w, before, now)
					}
				}
			case 5:
				all = alter(rnd, all, 700) // too much for one by one
			}
			if working := r.Arrange(all, w, false, nil); working != "" {
				t.Fatalf("without a desk: still %s", working)
			}
			if got, want := shownBy(r), arrangedOf(all, w, items.Keep); !slices.Equal(got, want) {
				t.Fatalf("seed %d step %d: %+v: want\n%v\ngot\n%v", seed, step, w, want, got)
			}
			if r.Len() > 0 {
				at := rnd.IntN(r.Len())
				if got := r.Find(r.At(at).ID); got != at {
					t.Fatalf("row %d is found at %d", at, got)
				}
				if got := r.Find("nobody"); got >= 0 {
					t.Fatalf("nobody is found at %d", got)
				}
			}
		}
	}
}

// keptPlaces tells whether the names that are in both lists come in the same order.
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

// At a desk, what was shown stays until the new filter is ready, and one that was typed over never shows.
func TestRollWorksAtTheDesk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all []*thing
		for i := range 3 * shortList {
			all = append(all, &thing{fmt.Sprintf("n%05d", i), i % 7})
		}
		ready := make(chan struct{}, 100)
		desk, r := &Desk{Ready: func() { ready <- struct{}{} }}, NewRoll(things())
		if working := r.Arrange(all, Wish{}, false, desk); working != "" || r.Len() != len(all) {
			t.Fatalf("without wishes: want everything at once, got %d, %q", r.Len(), working)
		}
		var w Wish
		for _, text := range []string{"4", "44", "44|45", "n0444"} {
			w = Wish{Filter: mustFilter(t, text)}
			if working := r.Arrange(all, w, false, desk); working != "filtering" || r.Len() != len(all) {
				t.Fatalf("%s: want the old rows while it is filtered, got %d, %q", text, r.Len(), working)
			}
		}
		<-ready
		synctest.Wait()
		all = slices.Clone(all)
		all[4441] = &thing{all[4441].name, 99}
		if working := r.Arrange(all, w, false, desk); working != "" || !slices.Equal(shownBy(r), arrangedOf(all, w, nil)) {
			t.Fatalf("want %v, got %v, %q", arrangedOf(all, w, nil), shownBy(r), working)
		}
		sorted := Wish{Filter: w.Filter, Column: 2, Descending: true}
		if working := r.Arrange(all, sorted, false, desk); working != "sorting" {
			t.Fatalf("want it to be sorted, got %q", working)
		}
		<-ready
		synctest.Wait()
		if r.Arrange(all, sorted, false, desk); !slices.Equal(shownBy(r), arrangedOf(all, sorted, nil)) {
			t.Fatalf("want %v, got %v", arrangedOf(all, sorted, nil), shownBy(r))
		}
		if r.Arrange(all, Wish{}, false, desk); r.Len() != len(all) {
			t.Fatalf("the filter ended: want %d rows, got %d", len(all), r.Len())
		}
	})
}

func TestNarrows(t *testing.T) {
	tests := []struct {
		was, is string
		want    bool
	}{{"", "a", true}, {"web", "web-1", true}, {"eb", "WEB", true}, {"web-1", "web", false}, {"web", "web-1.*7", true}, {"web.*", "web.*7", true}, {"a|b", "a|bc", false},
		{"a", "a*", false}, {"a", "a?", false}, {"a", "a{0}", false}, {"ab", "ab*", false}, {"!a", "!ab", false}, {"a", "!a", false}, {"[ab]", "[ab]c", true}, {`a\.`, `a\.b`, true}}
	for _, tt := range tests {
		if got := mustFilter(t, tt.is).Narrows(mustFilter(t, tt.was)); got != tt.want {
			t.Errorf("%q after %q: want %v, got %v", tt.is, tt.was, tt.want, got)
		}
	}
}

// What a filter that narrows keeps, the one before keeps too.
func FuzzNarrows(f *testing.F) {
	for _, s := range [][3]string{{"we", "b", "web-1"}, {"a", "*", "b"}, {"a|b", "c", "bc"}, {"(a", ")", "a"}, {"^a", "$", "a"}, {`\b`, "x", "x"}, {"x?", "y", "y"}, {"a{2", "}", "aa"}} {
		f.Add(s[0], s[1], s[2])
	}
	f.Fuzz(func(t *testing.T, pattern, more, cell string) {
		was, err := NewFilter(pattern)
		if err != nil {
			return
		}
		is, err := NewFilter(pattern + more)
		if err != nil || !is.Narrows(was) {
			return
		}
		for _, c := range []string{cell, more + cell, pattern + cell + more, cell + "\n" + more} {
			if is.Keeps([]string{c}) && !was.Keeps([]string{c}) {
				t.Errorf("%q keeps %q, and %q does not", pattern+more, c, pattern)
			}
		}
	})
}
