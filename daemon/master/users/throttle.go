package users

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
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
	questionsOfOne    = 30 // to the OpenID provider, from an address: a device's person is waited for by one every five seconds
	pauseOfQuestions  = time.Second
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
	now, address := t.now(), site(address)
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

// asked counts a question to the OpenID provider, where no password could be guessed, and refuses one too many. Errors are *model.Error.
func (t *throttle) asked(address string) error {
	if !t.counter("questions "+site(address), questionsOfOne, pauseOfQuestions).AllowN(t.now(), 1) {
		return model.Errorf(model.CodeBusy, "", "too many questions to the OpenID provider from %s", address).Try("wait: each %s one more is permitted", pauseOfQuestions)
	}
	return nil
}

// site is what counts as one address: with IPv6 a subnet, since a machine there has as many addresses as it wants (RFC 8981).
func site(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil || a.Unmap().Is4() {
		return address
	}
	subnet, err := a.Prefix(64)
	if err != nil {
		return address
	}
	return subnet.String()
}

// succeeded forgets the attempts of who has logged in after all.
func (t *throttle) succeeded(user, address string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.counters, "user "+user)
	delete(t.counters, "address "+site(address))
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

// makeRoom forgets those who have tried least of late, a tenth of all at a time: who tries under many names does not so begin again under one.
func (t *throttle) makeRoom() {
	if len(t.counters) < mostCounted {
		return
	}
	now := t.now()
	left := make(map[string]float64, len(t.counters)) // of what may follow at once, as a share
	for key, c := range t.counters {
		left[key] = c.TokensAt(now) / float64(c.Burst())
	}
	keys := slices.SortedFunc(maps.Keys(left), func(a, b string) int { return cmp.Compare(left[b], left[a]) })
	for _, key := range keys[:mostCounted/10] {
		delete(t.counters, key)
	}
}
