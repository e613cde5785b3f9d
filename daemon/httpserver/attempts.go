// SPDX-License-Identifier: Apache-2.0

package httpserver

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// maxCounted is the maximum number of keys with counted attempts.
const maxCounted = 10000

// Attempts bounds how often something is tried, for each key: a number at once, and one more after each pause. Of more keys than it
// counts, those are forgotten first that have tried least of late, so that who tries under many keys does not begin again under one. Its
// methods are safe for concurrent use.
type Attempts struct {
	burst float64
	pause time.Duration
	now   func() time.Time

	mu sync.Mutex
	by map[string]*spent
}

// spent has the counted attempts of a key. Each pause removes one.
type spent struct {
	n  float64
	at time.Time
}

// NewAttempts returns a limit of burst attempts, and one more per pause, by a clock.
func NewAttempts(burst int, pause time.Duration, now func() time.Time) *Attempts {
	return &Attempts{burst: float64(burst), pause: pause, now: now, by: map[string]*spent{}}
}

// Admit counts an attempt, and returns the time that it must wait. It does not count an attempt that would have to wait longer than the
// limit: ok is false.
func (a *Attempts) Admit(key string, timeout time.Duration) (wait time.Duration, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.of(key)
	if wait = time.Duration((s.n + 1 - a.burst) * float64(a.pause)); wait > timeout {
		return wait, false
	}
	s.n++
	return max(wait, 0), true
}

// Back takes an attempt back, for instance after a successful login.
func (a *Attempts) Back(key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.of(key)
	s.n = max(s.n-1, 0)
}

// Forget takes all attempts of a key back.
func (a *Attempts) Forget(key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.by, key)
}

// Counted returns the number of keys with counted attempts.
func (a *Attempts) Counted() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.by)
}

// of returns the attempts that count for a key now.
func (a *Attempts) of(key string) *spent {
	now := a.now()
	s := a.by[key]
	if s == nil {
		a.makeRoom(now)
		s = &spent{at: now}
		a.by[key] = s
	}
	s.n, s.at = a.left(s, now), now
	return s
}

func (a *Attempts) left(s *spent, now time.Time) float64 {
	return max(s.n-float64(now.Sub(s.at))/float64(a.pause), 0)
}

// makeRoom forgets a tenth of all keys if there are too many.
func (a *Attempts) makeRoom(now time.Time) {
	if len(a.by) < maxCounted {
		return
	}
	keys := slices.SortedFunc(maps.Keys(a.by), func(x, y string) int { return cmp.Compare(a.left(a.by[x], now), a.left(a.by[y], now)) })
	for _, key := range keys[:maxCounted/10] {
		delete(a.by, key)
	}
}

// Site is what counts as one client: an address, of IPv6 the network of 64 bits, which is what one customer is given (RFC 8981: a machine
// there has as many addresses as it wants). A name is its own site.
func Site(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	a = a.Unmap().WithZone("")
	if a.Is4() || a.IsLinkLocalUnicast() || a.IsLoopback() {
		return a.String()
	}
	p, err := a.Prefix(64)
	if err != nil {
		return a.String()
	}
	return p.String()
}
