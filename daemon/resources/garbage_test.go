// SPDX-License-Identifier: Apache-2.0

package resources

import (
	"context"
	"runtime"
	"runtime/debug"
	"testing"
)

func TestPercent(t *testing.T) {
	for _, tt := range []struct {
		live, space uint64
		want        int
	}{{0, room, 800}, {1 << 20, room, 800}, {16 << 20, room, 400}, {64 << 20, room, 100}, {100 << 20, room, 64}, {128 << 20, room, 50}, {1 << 40, room, 50},
		{16 << 20, roomy, 800}, {320 << 20, roomy, 100}, {1 << 40, roomy, 50}} {
		if got := percent(tt.live, tt.space); got != tt.want {
			t.Errorf("%d bytes in use: want %d %%, got %d", tt.live, tt.want, got)
		}
	}
}

// Pace reports each change between hurry and calm.
func TestRoom(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	p := NewPace("")
	is := func(when string, want uint64, moved bool) {
		t.Helper()
		notified := false
		select {
		case <-p.moves():
			notified = true
		default:
		}
		if got := p.room(); got != want || notified != moved {
			t.Errorf("%s: want %d bytes, got %v; got %d, %v", when, want, moved, got, notified)
		}
	}
	is("at rest", room, false)
	one, two := p.Hurry(), p.Hurry()
	is("while two hurry", roomy, true)
	one()
	is("while one does", roomy, false)
	two()
	is("at rest again", room, true)
	p = nil
	is("without a pace", room, false)
}

// GOGC and GOMEMLIMIT take precedence, and Garbage restores the runtime's settings at its end.
func TestGarbage(t *testing.T) {
	before := debug.SetGCPercent(77)
	defer debug.SetGCPercent(before)
	for _, tt := range []struct {
		env  string
		want int
	}{{"77", 77}, {"", usual}} {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		Garbage(ctx, nil, "", tt.env)
		if got := debug.SetGCPercent(77); got != tt.want {
			t.Errorf("env %q: want %d %%, got %d", tt.env, tt.want, got)
		}
	}
}
