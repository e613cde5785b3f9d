package enrolling

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/contiv/contiv/api/model"
)

// Bounds of tokens that do not count.
const (
	wrongEvery = 10 * time.Second // one of an address is forgiven in this time
	wrongMost  = 10               // before others of the address are refused
	wrongFrom  = 4096             // addresses that are remembered
)

// throttle refuses addresses that send one wrong token after another. Its methods are safe for concurrent use.
type throttle struct {
	now func() time.Time

	mu sync.Mutex
	by map[string]*rate.Limiter
}

func newThrottle() *throttle { return &throttle{now: time.Now, by: map[string]*rate.Limiter{}} }

// check refuses an address that has been wrong too often. Errors are *model.Error.
func (t *throttle) check(address string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l := t.by[address]; l != nil && l.TokensAt(t.now()) < 1 {
		return model.Errorf(model.CodeBusy, "token", "%s has sent %d tokens that do not count", address, wrongMost).Try("wait for %s; contiv token create makes one that counts", wrongEvery)
	}
	return nil
}

// count notes that an address was wrong.
func (t *throttle) count(address string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	l := t.by[address]
	if l == nil {
		if len(t.by) >= wrongFrom {
			t.forget(now)
		}
		l = rate.NewLimiter(rate.Every(wrongEvery), wrongMost)
		t.by[address] = l
	}
	l.AllowN(now, 1)
}

// forget makes room: for the addresses that are forgiven, or else for any.
func (t *throttle) forget(now time.Time) {
	for address, l := range t.by {
		if l.TokensAt(now) >= wrongMost {
			delete(t.by, address)
		}
	}
	for address := range t.by {
		if len(t.by) < wrongFrom {
			return
		}
		delete(t.by, address)
	}
}
