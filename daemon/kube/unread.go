package kube

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/sanitize"
)

// longestReason is how much of an API server's text about a kind is kept, in bytes.
const longestReason = 300

// unread notes which kinds cannot be read, and why. What was read of them before stays.
type unread struct {
	mu    sync.Mutex
	why   map[Kind]string
	since time.Time // when that changed last; zero: it never did
}

// add says why a kind cannot be read, "" when it can, and reports whether that is new.
func (u *unread) add(k Kind, why string) bool {
	why = sanitize.Line(why, longestReason)
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.why[k] == why {
		return false
	}
	if why == "" {
		delete(u.why, k)
	} else {
		if u.why == nil {
			u.why = map[Kind]string{}
		}
		u.why[k] = why
	}
	u.since = time.Now()
	return true
}

// text names the kinds that cannot be read, with the reasons; "" of none.
func (u *unread) text() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	var out []string
	for _, k := range slices.Sorted(maps.Keys(u.why)) {
		out = append(out, string(k)+": "+u.why[k])
	}
	return strings.Join(out, "; ")
}

// changed is when that changed last; zero: it never did.
func (u *unread) changed() time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.since
}
