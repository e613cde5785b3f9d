package users

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/contiv/contiv/api/model"
)

// Attempts that may follow each other at once, and how long each one more takes.
const (
	attemptsOfUser    = 10
	attemptsOfAddress = 20
	pauseOfUser       = 6 * time.Second
	pauseOfAddress    = 3 * time.Second
	mostCounted       = 10000 // users and addresses that are counted at a time
)

// throttle bounds how often someone tries to log in: as a user, and from an address. It is safe for concurrent use.
type throttle struct {
	now func() time.Time

	mu       sync.Mutex
	counters map[string]*rate.Limiter
}

func newThrottle(now func() time.Time) *throttle {
	return &throttle{now: now, counters: map[string]*rate.Limiter{}}
}

// enter counts an attempt, and refuses one too many. Errors are *model.Error.
func (t *throttle) enter(user, address string) error {
	now := t.now()
	for _, of := range []struct {
		key, what string
		most      int
		pause     time.Duration
	}{{"address " + address, "from " + address, attemptsOfAddress, pauseOfAddress}, {"user " + user, "as this user", attemptsOfUser, pauseOfUser}} {
		if !t.counter(of.key, of.most, of.pause).AllowN(now, 1) {
			return model.Errorf(model.CodeBusy, "", "too many attempts to log in %s", of.what).
				Try("wait: each %s one more is permitted", of.pause)
		}
	}
	return nil
}

// succeeded forgets the attempts of who has logged in after all.
func (t *throttle) succeeded(user, address string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.counters, "user "+user)
	delete(t.counters, "address "+address)
}

func (t *throttle) counter(key string, most int, pause time.Duration) *rate.Limiter {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.counters[key]
	if c == nil {
		t.makeRoom()
		c = rate.NewLimiter(rate.Every(pause), most)
		t.counters[key] = c
	}
	return c
}

// makeRoom forgets those who may try as often as if they never had, and when there are still too many, any.
func (t *throttle) makeRoom() {
	if len(t.counters) < mostCounted {
		return
	}
	now := t.now()
	for key, c := range t.counters {
		if c.TokensAt(now) >= float64(c.Burst()) {
			delete(t.counters, key)
		}
	}
	for key := range t.counters {
		if len(t.counters) < mostCounted {
			return
		}
		delete(t.counters, key)
	}
}
