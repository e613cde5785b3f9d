// SPDX-License-Identifier: Apache-2.0

package resources

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	room       = 64 << 20  // bytes that are used between two collections
	roomy      = 320 << 20 // the same while something is hurried
	maxPercent = 800       // percent of what is in use
	least      = 50
	usual      = 100 // the runtime's own
)

// Intervals between two readings of the memory in use: while it grows, as in a daemon that starts, and otherwise.
const (
	soon = 20 * time.Millisecond
	late = 5 * time.Second
)

// Garbage has the runtime collect garbage less often while little memory is in use: a daemon that knows a few thousand things would
// collect several times a second when many of them change, and each collection delays some dozen changes. It costs at most 64 MiB, and
// 320 MiB while pace is hurried: a daemon that takes in much would collect again and again what is about to be used. Where much is in use
// it collects more often than the runtime would by itself, so that garbage is no half of a large daemon. Some seconds after a burst, such
// as the daemon's start, it returns the memory to the machine. set are the variables GOGC and GOMEMLIMIT; if one is set, nothing changes.
// A nil pace is never hurried. Garbage blocks until ctx ends.
func Garbage(ctx context.Context, pace *Pace, set ...string) {
	for _, t := range set {
		if t != "" {
			<-ctx.Done()
			return
		}
	}
	heap := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/allocs:bytes"}}
	look := time.NewTimer(0)
	defer look.Stop()
	var made burst
	for now, wait := 0, soon; ; {
		metrics.Read(heap)
		if wait >= late && made.over(heap[1].Value.Uint64()) {
			debug.FreeOSMemory()
		}
		wait = min(2*wait, late)
		if want := percent(heap[0].Value.Uint64(), pace.room()); want != now {
			debug.SetGCPercent(want)
			now, wait = want, soon
		}
		look.Reset(wait)
		select {
		case <-ctx.Done():
			debug.SetGCPercent(usual)
			return
		case <-pace.moves():
			wait = soon
		case <-look.C:
		}
	}
}

// percent returns the growth in percent of live until the next collection, given the free space in bytes.
func percent(live, space uint64) int {
	return int(min(max(space*100/max(live, 1), least), maxPercent))
}
