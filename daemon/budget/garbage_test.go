package budget

import (
	"context"
	"runtime/debug"
	"testing"
)

func TestPercent(t *testing.T) {
	for _, tt := range []struct {
		live uint64
		want int
	}{{0, 800}, {1 << 20, 800}, {16 << 20, 400}, {64 << 20, 100}, {100 << 20, 64}, {128 << 20, 50}, {1 << 40, 50}} {
		if got := percent(tt.live); got != tt.want {
			t.Errorf("%d bytes in use: want %d %%, got %d", tt.live, tt.want, got)
		}
	}
}

// What the environment says stays; and what Garbage sets does not outlast it.
func TestGarbage(t *testing.T) {
	before := debug.SetGCPercent(77)
	defer debug.SetGCPercent(before)
	for _, tt := range []struct {
		told string
		want int
	}{{"77", 77}, {"", usual}} {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		Garbage(ctx, "", tt.told)
		if got := debug.SetGCPercent(77); got != tt.want {
			t.Errorf("told %q: want %d %%, got %d", tt.told, tt.want, got)
		}
	}
}
