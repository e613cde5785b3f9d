// SPDX-License-Identifier: Apache-2.0

package table_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/contiv/contiv/table"
)

type endpoint struct {
	network, group string
	labels         []string
	bytes          uint64
}

var (
	byNetwork = table.By[string](func(e *endpoint) string { return e.network })
	byLabel   = table.ByEach[string](func(e *endpoint, to []string) []string { return append(to, e.labels...) })
	inOrder   = table.Sorted[string](func(a, b *endpoint) int {
		return cmp.Or(strings.Compare(a.group, b.group), cmp.Compare(a.bytes, b.bytes))
	})
	inNetworks = table.Extracted[string](func(e *endpoint) (part, bool) { return part{e.group, e.bytes}, e.network != "" }, func(a, b part) int {
		return cmp.Or(strings.Compare(a.group, b.group), cmp.Compare(a.bytes, b.bytes))
	})
	bytesOf = table.Sum[string](func(e *endpoint) (string, uint64) { return e.group, e.bytes })
)

type part struct {
	group string
	bytes uint64
}

func newEndpoints() *table.Table[string, *endpoint] {
	return table.New(byNetwork, byLabel, inOrder, inNetworks, bytesOf)
}

// check compares a table with a map that has had the same changes.
func check(t *rapid.T, have *table.Table[string, *endpoint], want map[string]*endpoint) {
	if have.Len() != len(want) || !maps.Equal(maps.Collect(have.All()), want) {
		t.Fatalf("%d rows, want %d", have.Len(), len(want))
	}
	for key, e := range want {
		if have.Get(key) != e || byNetwork.In(have, e.network).Has(key) != (e.network != "") {
			t.Fatalf("row %s: %+v", key, have.Get(key))
		}
	}
	totals := map[string]int{}
	for _, x := range names {
		has := func(e *endpoint) bool { return e.network == x }
		sameRows(t, "network "+x, byNetwork.In(have, x), want, has)
		sameRows(t, "label "+x, byLabel.In(have, x), want, func(e *endpoint) bool { return slices.Contains(e.labels, x) })
		n, sum := 0, uint64(0)
		for _, e := range want {
			if e.group == x {
				n, sum = n+1, sum+e.bytes
			}
		}
		if gotN, got := bytesOf.In(have, x); gotN != n || got != sum {
			t.Fatalf("group %s: %d rows, %d bytes; want %d, %d", x, gotN, got, n, sum)
		}
		if n > 0 {
			totals[x] = n
		}
	}
	if got := maps.Collect(bytesOf.Each(have)); !maps.Equal(got, totals) {
		t.Fatalf("groups with rows are %v, want %v", got, totals)
	}
	sameOrder(t, have, want)
	groups := 0
	for x, rows := range byNetwork.Each(have) {
		if groups++; rows.Len() == 0 || x == "" {
			t.Fatalf("network %q has %d rows", x, rows.Len())
		}
	}
}

func sameRows(t *rapid.T, what string, rows table.Rows[string, *endpoint], all map[string]*endpoint, has func(*endpoint) bool) {
	want := map[string]*endpoint{}
	for key, e := range all {
		if has(e) {
			want[key] = e
		}
	}
	if rows.Len() != len(want) || !maps.Equal(maps.Collect(rows.All()), want) {
		t.Fatalf("%s: %d rows, want %d", what, rows.Len(), len(want))
	}
}

// sameOrder compares the orders of a table, as a whole and from each value on, with sorted values.
func sameOrder(t *rapid.T, have *table.Table[string, *endpoint], all map[string]*endpoint) {
	want := slices.SortedFunc(maps.Values(all), func(a, b *endpoint) int {
		return cmp.Or(strings.Compare(a.group, b.group), cmp.Compare(a.bytes, b.bytes))
	})
	if got := slices.Collect(inOrder.All(have)); !slices.Equal(got, want) {
		t.Fatalf("in order are %v, want %v", got, want)
	}
	var parts []part
	for _, e := range want {
		if e.network != "" {
			parts = append(parts, part{e.group, e.bytes})
		}
	}
	if got := slices.Collect(inNetworks.All(have)); !slices.Equal(got, parts) {
		t.Fatalf("in networks are %v, want %v", got, parts)
	}
	for i, e := range want {
		if got := slices.Collect(inOrder.From(have, e)); !slices.Equal(got, want[i:]) {
			t.Fatalf("from %v are %v, want %v", e, got, want[i:])
		}
		got := slices.Collect(inOrder.Back(have, &endpoint{group: e.group, bytes: e.bytes}))
		if slices.Reverse(got); !slices.Equal(got, want[:i+1]) {
			t.Fatalf("up to %v are %v, want %v", e, got, want[:i+1])
		}
	}
}

var names = []string{"a", "b", "c"}

// A table, its clones and their differences agree with maps.
func TestAsMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type pair struct {
			have *table.Table[string, *endpoint]
			want map[string]*endpoint
		}
		all := []pair{{newEndpoints(), map[string]*endpoint{}}}
		some := rapid.SampledFrom(append([]string{""}, names...))
		steps := rapid.IntRange(1, 200).Draw(t, "steps")
		for i := range steps {
			p := all[rapid.IntRange(0, len(all)-1).Draw(t, "table")]
			key := fmt.Sprint(rapid.IntRange(0, 60).Draw(t, "key"))
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				all = append(all, pair{p.have.Clone(), maps.Clone(p.want)})
			case 1, 2, 3:
				before, had := p.have.Delete(key)
				if want, ok := p.want[key]; before != want || had != ok {
					t.Fatalf("delete of %s: %v, %v", key, before, had)
				}
				delete(p.want, key)
			default:
				e := &endpoint{some.Draw(t, "network"), some.Draw(t, "group"), rapid.SliceOfN(some, 0, 3).Draw(t, "labels"), uint64(i)}
				before, had := p.have.Set(key, e)
				if want, ok := p.want[key]; before != want || had != ok {
					t.Fatalf("set of %s: %v, %v", key, before, had)
				}
				p.want[key] = e
			}
		}
		for _, p := range all {
			check(t, p.have, p.want)
		}
		a, b := all[0], all[len(all)-1]
		patched := maps.Clone(a.want)
		for c := range table.Changes(a.have, b.have) {
			if was, had := a.want[c.Key]; was != c.Before || had != c.Had || c.Before == c.After {
				t.Fatalf("change %+v, but it was %v", c, was)
			}
			if c.Has {
				patched[c.Key] = c.After
			} else {
				delete(patched, c.Key)
			}
		}
		if !maps.Equal(patched, b.want) {
			t.Fatalf("the changes make %v of the rows, want %v", patched, b.want)
		}
	})
}

func TestDeletedToTheLast(t *testing.T) {
	tab := table.New[int, int]()
	for i := range 100000 {
		tab.Set(i, i)
	}
	kept := tab.Clone()
	for i := range 100000 {
		if v, ok := tab.Delete(i); v != i || !ok {
			t.Fatalf("deleted %d: %d, %v", i, v, ok)
		}
	}
	if tab.Len() != 0 || kept.Len() != 100000 || kept.Get(99999) != 99999 {
		t.Errorf("%d rows left, %d in the clone", tab.Len(), kept.Len())
	}
	for c := range table.Changes(table.New[int, int](), tab) {
		t.Errorf("an emptied table differs from a new one: %+v", c)
	}
}

// Clones are changed beside one another: the race detector must report nothing, and each has only its own changes.
func TestClonesBesideOneAnother(t *testing.T) {
	for name, tab := range map[string]*table.Table[string, *endpoint]{"in order": newEndpoints(), "without an order": table.New(byNetwork, bytesOf)} {
		for i := range 100 {
			tab.Set(fmt.Sprint(i), &endpoint{network: "a", group: "g", bytes: uint64(i)})
		}
		var work sync.WaitGroup
		for n := range 4 {
			own := tab.Clone()
			work.Go(func() {
				for i := range 100 {
					own.Set(fmt.Sprint(i), &endpoint{network: fmt.Sprint("b", n), group: "g", bytes: uint64(i)})
				}
				if got := byNetwork.In(own, fmt.Sprint("b", n)).Len(); got != 100 {
					t.Errorf("%s: want 100 rows of its own, got %d", name, got)
				}
			})
		}
		work.Wait()
		if got := byNetwork.In(tab, "a").Len(); got != 100 {
			t.Errorf("%s: want the rows that it had, got %d", name, got)
		}
	}
}
