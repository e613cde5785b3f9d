// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/sanitize"
)

// longestReason is the maximum length of an API server's text about a kind, in bytes.
const longestReason = 300

// unread records which kinds cannot be read, and why. Objects read before stay.
type unread struct {
	mu    sync.Mutex
	why   map[Kind]string
	since time.Time // of the last change; zero: none
}

// add records why a kind cannot be read, "" if it can, and reports whether that is new.
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

// text names the unreadable kinds, with the reasons; "" if there are none.
func (u *unread) text() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	var out []string
	for _, k := range slices.Sorted(maps.Keys(u.why)) {
		out = append(out, string(k)+": "+u.why[k])
	}
	return strings.Join(out, "; ")
}

// changed is the time of the last change; zero: none.
func (u *unread) changed() time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.since
}
