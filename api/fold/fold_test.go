// SPDX-License-Identifier: Apache-2.0

package fold

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Unfolding gives the matrix back: each cell is the one of the folds that its row and its column are in, and no two folds are equal.
func TestUnfoldingGivesTheMatrixBack(t *testing.T) {
	words := []string{"all", "none", "tcp 80", "?", ""}
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		n, kinds, alphabet := 1+rnd.IntN(30), 1+rnd.IntN(6), 1+rnd.IntN(len(words))
		kind, known := make([]int, n), rnd.IntN(2) == 0
		var alike []Fold
		seen := map[int]int{}
		for i := range kind {
			kind[i] = rnd.IntN(kinds)
			if k, ok := seen[kind[i]]; ok && known {
				alike[k] = append(alike[k], i)
				continue
			}
			seen[kind[i]] = len(alike)
			alike = append(alike, Fold{i})
		}
		of := map[[2]int]string{}
		for a := range kinds {
			for b := range kinds {
				of[[2]int{a, b}] = words[rnd.IntN(alphabet)]
			}
		}
		cell := func(i, j int) string { return of[[2]int{kind[i], kind[j]}] }
		m := Of(alike, cell)
		in := func(folds []Fold, i int) Fold {
			t.Helper()
			var out Fold
			for _, f := range folds {
				if slices.Contains(f, i) {
					if out != nil {
						t.Fatalf("seed %d: %d is in two folds: %v", seed, i, folds)
					}
					out = f
				}
			}
			if out == nil {
				t.Fatalf("seed %d: %d is in no fold: %v", seed, i, folds)
			}
			return out
		}
		for i := range n {
			for j := range n {
				if got := cell(in(m.Rows, i)[0], in(m.Cols, j)[0]); got != cell(i, j) {
					t.Fatalf("seed %d: the cell %d, %d: want %q, got %q", seed, i, j, cell(i, j), got)
				}
			}
		}
		for a := range m.Rows {
			for b := range a {
				if same := !slices.ContainsFunc(m.Cols, func(c Fold) bool { return cell(m.Rows[a][0], c[0]) != cell(m.Rows[b][0], c[0]) }); same {
					t.Errorf("seed %d: the folds %v and %v have equal rows", seed, m.Rows[a], m.Rows[b])
				}
			}
		}
	}
}

func TestNames(t *testing.T) {
	names := []string{"app", "cache", "db", "search", "web", "a-group-with-a-long-name"}
	for _, row := range []struct {
		fold Fold
		want string
	}{
		{Fold{2}, "db"}, {Fold{0, 2}, "app, db"}, {Fold{0, 5}, "app +1"}, {Fold{0, 1, 2}, "app..db (3)"}, {Fold{0, 2, 4}, "app +2"},
	} {
		if got := row.fold.Name(func(i int) string { return names[i] }); got != row.want {
			t.Errorf("%v: want %q, got %q", row.fold, row.want, got)
		}
	}
	if got := Of(Each(300), func(int, int) string { return "all" }).Rows[0].Name(func(i int) string { return fmt.Sprintf("g%04d", i) }); got != "g0000..g0299 (300)" {
		t.Errorf("a range: got %q", got)
	}
}
