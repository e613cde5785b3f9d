// SPDX-License-Identifier: Apache-2.0

package model

import "slices"

// Alike returns those of names that are spelled similarly to word, the nearest first, three at most. It is for questions of the kind "did
// you mean"; it tolerates at most one edit in three letters.
func Alike(word string, names []string) []string {
	type near struct {
		name string
		far  int
	}
	var list []near
	for _, name := range names {
		most := max(1, min(len(word), len(name))/3)
		if name == "" || max(len(word), len(name))-min(len(word), len(name)) > most {
			continue
		}
		if far := edits(word, name); far <= most {
			list = append(list, near{name, far})
		}
	}
	slices.SortStableFunc(list, func(a, b near) int { return a.far - b.far })
	var out []string
	for _, n := range list[:min(len(list), 3)] {
		out = append(out, n.name)
	}
	return out
}

// edits counts the letters to insert, to delete, to replace, or to swap with their neighbours, that make b of a.
func edits(a, b string) int {
	const most = 64 // compared letters of a name
	a, b = a[:min(len(a), most)], b[:min(len(b), most)]
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(above[j+1]+1, row[j]+1, above[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
