// SPDX-License-Identifier: Apache-2.0

package resources

import "testing"

// Garbage is returned once after each burst, when the burst is over.
func TestBurst(t *testing.T) {
	const mb = 1 << 20
	var b burst
	for i, look := range []struct {
		allocated uint64
		over      bool
	}{
		{1 * mb, false},    // little is allocated
		{500 * mb, false},  // a start
		{900 * mb, false},  // it continues
		{901 * mb, true},   // and has ended
		{902 * mb, false},  // nothing since
		{930 * mb, false},  // a little burst
		{931 * mb, false},  // is not worth a collection
		{934 * mb, false},  // nor are single changes
		{964 * mb, false},  // but
		{966 * mb, true},   // many small bursts make a large one
		{1200 * mb, false}, // another
		{1201 * mb, true},
	} {
		if got := b.over(look.allocated); got != look.over {
			t.Errorf("look %d, %d MB allocated: want %v, got %v", i, look.allocated/mb, look.over, got)
		}
	}
}
