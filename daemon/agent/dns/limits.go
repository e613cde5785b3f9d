// SPDX-License-Identifier: Apache-2.0

package dns

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// manyLimits is the number of limits above which full ones are deleted: they have no effect.
const manyLimits = 1024

// limits are equal rate limits for many keys. Its methods are safe for concurrent use.
type limits[K comparable] struct {
	rate  rate.Limit // per second
	burst int

	mu sync.Mutex
	of map[K]*rate.Limiter
}

func newLimits[K comparable](r rate.Limit, burst int) *limits[K] {
	return &limits[K]{rate: r, burst: burst, of: map[K]*rate.Limiter{}}
}

// allow reports whether k is within its limit.
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
