// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"testing"
	"time"
)

// TestCost: comparisons that had to wait for a processor do not count, and only the last ones do.
func TestCost(t *testing.T) {
	var s spent
	for _, c := range []struct {
		add  []time.Duration
		want time.Duration
	}{
		{nil, 0},
		{[]time.Duration{7}, 7},
		{[]time.Duration{90, 5, 80, 6, 70}, 6},
		{[]time.Duration{40, 40, 40, 40, 40, 40, 40, 40}, 40},
	} {
		for _, d := range c.add {
			s.add(d)
		}
		if got := s.cost(); got != c.want {
			t.Errorf("after %v: got %v, want %v", c.add, got, c.want)
		}
	}
}
