// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"testing"
	"time"
)

// TestMissed: a lost ping has the time of the answer before it and of the interval.
func TestMissed(t *testing.T) {
	at := missed(map[int]string{1: "100.000000", 4: "100.030000"}, 4)
	if len(at) != 2 || !at[0].Equal(time.UnixMilli(100010)) || !at[1].Equal(time.UnixMilli(100020)) {
		t.Errorf("missed: got %v, want 100.010 and 100.020", at)
	}
}

// TestExplained: each change of ports explains one lost ping, which was sent meanwhile.
func TestExplained(t *testing.T) {
	second := func(n int64) time.Time { return time.Unix(n, 0) }
	changes := []portChange{{second(10), second(11)}, {second(20), second(21)}}
	for _, c := range []struct {
		lost []time.Time
		want int
	}{
		{nil, 0},
		{[]time.Time{second(9), second(12)}, 0},
		{[]time.Time{second(10), second(11)}, 1},
		{[]time.Time{second(10), second(21)}, 2},
	} {
		if got := explained(changes, c.lost); got != c.want {
			t.Errorf("explained(%v): got %d, want %d", c.lost, got, c.want)
		}
	}
}
