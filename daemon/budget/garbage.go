package budget

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	room    = 64 << 20 // bytes that are used between two collections, at least
	usual   = 100      // percent of what is in use, the runtime's own value
	most    = 800
	lookFor = 5 * time.Second
)

// Garbage has the runtime collect garbage less often while little memory is in use: a daemon that knows a few thousand things
// would collect several times a second when many of them change, and each collection delays some dozen changes. It costs
// at most 64 MiB. told are the variables GOGC and GOMEMLIMIT; if one is set nothing is changed. Garbage blocks until ctx ends.
func Garbage(ctx context.Context, told ...string) {
	for _, t := range told {
		if t != "" {
			<-ctx.Done()
			return
		}
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	look := time.NewTicker(lookFor)
	defer look.Stop()
	for now := 0; ; {
		metrics.Read(live)
		if want := percent(live[0].Value.Uint64()); want != now {
			debug.SetGCPercent(want)
			now = want
		}
		select {
		case <-ctx.Done():
			debug.SetGCPercent(usual)
			return
		case <-look.C:
		}
	}
}

// percent is how many percent of live may be used again before the next collection.
func percent(live uint64) int {
	return int(min(max(room*100/max(live, 1), usual), most))
}
