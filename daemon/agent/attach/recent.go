// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"sync"
	"time"
)

// recent remembers recently removed endpoints, because the store's watch reports their removal later.
type recent struct {
	mu sync.Mutex
	at map[string]time.Time
}

// memory is how long it remembers them.
const memory = 10 * time.Second

func newRecent() *recent { return &recent{at: map[string]time.Time{}} }

func (r *recent) add(id string) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	for old, at := range r.at {
		if now.Sub(at) > memory {
			delete(r.at, old)
		}
	}
	r.at[id] = now
}

func (r *recent) has(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, ok := r.at[id]
	return ok && time.Since(at) <= memory
}
