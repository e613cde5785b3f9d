package widget

import (
	"slices"
	"testing"
	"time"
)

// What changes all the time is no news; what stands before it still is.
func TestRestless(t *testing.T) {
	now := time.Unix(100, 0)
	row := func(state, left string) Row { return Row{ID: "a", Cells: []string{"a", state, left, left}} }
	table := Table{Restless: 3}
	table.look(row("free", "9 s"), now)
	if fresh := table.look(row("free", "8 s"), now); fresh != nil {
		t.Errorf("a lease that runs: want no news, got %v", fresh)
	}
	if fresh := table.look(row("held", "7 s"), now); !slices.Equal(fresh, []bool{false, true, false, false}) {
		t.Errorf("a state that changed: want it to glow alone, got %v", fresh)
	}
}
