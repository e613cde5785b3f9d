// SPDX-License-Identifier: Apache-2.0

package table

import "testing"

// Keys whose hashes have all bits in common, or most of them, are kept apart.
func TestSameHash(t *testing.T) {
	for _, test := range []struct {
		name   string
		hashes []uint64
	}{
		{"all bits", []uint64{7, 7, 7, 7}},
		{"all but the last", []uint64{7, 7 | 1<<63, 7 | 1<<62, 7}},
		{"the first level", []uint64{7, 7 | 1<<5, 7 | 1<<10, 7 | 1<<10}},
	} {
		t.Run(test.name, func(t *testing.T) {
			by := new(token)
			var all trie[int, string]
			var rows []*row[int, string]
			for key, hash := range test.hashes {
				rows = append(rows, &row[int, string]{hash: hash, key: key})
				all.put(by, rows[key])
			}
			for key, hash := range test.hashes {
				if all.find(hash, key) != rows[key] || all.find(hash, 99) != nil {
					t.Errorf("row %d is not found, or another one is", key)
				}
			}
			less := all
			less.drop(new(token), rows[1])
			if all.find(test.hashes[1], 1) == nil || less.find(test.hashes[1], 1) != nil || less.find(test.hashes[0], 0) == nil {
				t.Error("a row was dropped from the wrong one")
			}
			var gone []int
			differ(all.place, less.place, 0, func(a, b *row[int, string]) bool {
				if b != nil {
					t.Errorf("row %d came", b.key)
				}
				gone = append(gone, a.key)
				return true
			})
			if len(gone) != 1 || gone[0] != 1 {
				t.Errorf("gone are %v, want the second row", gone)
			}
		})
	}
}
