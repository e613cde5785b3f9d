// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"slices"
	"testing"

	"github.com/contiv/contiv/ofnet/flow"
)

// Wherever a list is divided, its pieces together are the list.
func TestPiecesOfReceivers(t *testing.T) {
	r := &receivers{plain: []flow.Port{1, 2, 3}, limited: []flow.Port{4, 5}, judged: []listener{{port: 6, group: 60}, {port: 7, group: 70, class: 5}}}
	all := slices.Collect(r.buckets(0, r.len()).All)
	if len(all) != 7 {
		t.Fatalf("want 7 buckets, got %v", all)
	}
	for n, b := range all {
		if one := slices.Collect(r.buckets(n, n+1).All); !slices.Equal(one, all[n:n+1]) {
			t.Errorf("bucket %d: want %v, got %v", n, b, one)
		}
		for _, m := range all[:n] {
			if m == b {
				t.Errorf("two receivers have bucket %v", b)
			}
		}
	}
	for from := range all {
		for to := from; to <= len(all); to++ {
			if got := slices.Collect(r.buckets(from, to).All); !slices.Equal(got, all[from:to]) {
				t.Errorf("%d to %d: want %v, got %v", from, to, all[from:to], got)
			}
		}
	}
}
