// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestLeastUsed: machines spread over the processors that the process may use.
func TestLeastUsed(t *testing.T) {
	var usable unix.CPUSet
	usable.Set(1)
	usable.Set(3)
	machines := map[int]int{}
	for _, want := range []int{1, 3, 1, 3} {
		got := leastUsed(usable, machines)
		if got != want {
			t.Fatalf("leastUsed with %v: got %d, want %d", machines, got, want)
		}
		machines[got]++
	}
}
