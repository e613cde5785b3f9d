// SPDX-License-Identifier: Apache-2.0

package widget

import (
	"slices"
	"testing"
	"time"
)

// A text that changes constantly is not marked; the text before it is.
func TestVolatile(t *testing.T) {
	now := time.Unix(100, 0)
	h := highlights{Volatile: 3}
	row := func(state, left string) []string { return []string{"a", state, left, left} }
	h.see("a", row("free", "9 s"), now)
	if fresh := h.see("a", row("free", "8 s"), now); fresh != nil {
		t.Errorf("a lease that runs: want no change, got %v", fresh)
	}
	if fresh := h.see("a", row("held", "7 s"), now); !slices.Equal(fresh, []bool{false, true, false, false}) {
		t.Errorf("a state that changed: want only it marked, got %v", fresh)
	}
}
