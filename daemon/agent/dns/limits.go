package dns

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// manyLimits is how many limits are kept before those that are full are forgotten: they say nothing.
const manyLimits = 1024

// limits are equal limits of rate for many. Its methods are safe for concurrent use.
type limits[K comparable] struct {
	rate  rate.Limit // a second
	burst int

	mu sync.Mutex
	of map[K]*rate.Limiter
}

func newLimits[K comparable](r rate.Limit, burst int) *limits[K] {
	return &limits[K]{rate: r, burst: burst, of: map[K]*rate.Limiter{}}
}

// allow says whether k may do one more.
func (x *limits[K]) allow(k K) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	l := x.of[k]
	if l == nil {
		if len(x.of) >= manyLimits {
			x.tidy()
		}
		l = rate.NewLimiter(x.rate, x.burst)
		x.of[k] = l
	}
	return l.Allow()
}

func (x *limits[K]) tidy() {
	now := time.Now()
	for k, l := range x.of {
		if l.TokensAt(now) >= float64(x.burst) {
			delete(x.of, k)
		}
	}
}
