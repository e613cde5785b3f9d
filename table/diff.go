// SPDX-License-Identifier: Apache-2.0

package table

// differ calls yield with each row that differs between two places; nil stands for no row. It skips shared nodes, so it takes time in
// proportion to the differences. It reports whether yield always returned true.
func differ[K comparable, V any](a, b place[K, V], shift uint, yield func(a, b *row[K, V]) bool) bool {
	switch {
	case a == b:
		return true
	case a.node != nil || b.node != nil:
	case a.row != nil && b.row != nil && a.row.key == b.row.key:
		return yield(a.row, b.row)
	default:
		return (a.row == nil || yield(a.row, nil)) && (b.row == nil || yield(nil, b.row))
	}
	x, y := a.lift(nil, shift), b.lift(nil, shift)
	for places := x.leafs | x.forks | y.leafs | y.forks; places != 0; places &= places - 1 {
		b := places & -places
		if !differ(x.in(b), y.in(b), shift+width, yield) {
			return false
		}
	}
	return true
}
