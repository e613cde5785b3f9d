// SPDX-License-Identifier: Apache-2.0

package health

import "iter"

// grouped yields the parts of a list that have one name, in the order in which the names come first.
func grouped[V any](list []V, name func(*V) string) iter.Seq2[string, []*V] {
	var order []string
	by := map[string][]*V{}
	for i := range list {
		n := name(&list[i])
		if by[n] == nil {
			order = append(order, n)
		}
		by[n] = append(by[n], &list[i])
	}
	return func(yield func(string, []*V) bool) {
		for _, n := range order {
			if !yield(n, by[n]) {
				return
			}
		}
	}
}
