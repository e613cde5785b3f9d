// SPDX-License-Identifier: Apache-2.0

package bgp

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"
)

// A change of announcements while a session comes up may be lost: the library reads the existing routes, and only a moment later adds the
// peer to those that receive changes. Changes at about that time are repeated once the session is stable: withdrawn, and announced again.
// The library's own functions do not serve: it does not send unchanged routes again, and a route refresh includes address families that the
// peer does not support, which ends the session.

const (
	stableAfter = time.Second            // after which a session counts as stable
	doubt       = 250 * time.Millisecond // before and after the start of the session, when a change may be lost
)

// changes records recently announced or withdrawn prefixes.
type changes struct {
	mu sync.Mutex
	at map[netip.Prefix]time.Time
}

// add records a change, and deletes old ones.
func (c *changes) add(p netip.Prefix, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at == nil {
		c.at = map[netip.Prefix]time.Time{}
	}
	for old, at := range c.at {
		if now.Sub(at) > 2*stableAfter {
			delete(c.at, old)
		}
	}
	c.at[p] = now
}

// near lists the prefixes changed at about a time.
func (c *changes) near(then time.Time) (out []netip.Prefix) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for p, at := range c.at {
		if at.Sub(then).Abs() <= doubt {
			out = append(out, p)
		}
	}
	return out
}

// affirm repeats changes that may have been lost on a new session, once it is stable. It does not block.
func (s *Speaker) affirm(ctx context.Context, problem func(error)) {
	up := time.Now()
	timer := time.AfterFunc(stableAfter, func() {
		if err := s.repeat(up); err != nil && ctx.Err() == nil {
			problem(err)
		}
	})
	context.AfterFunc(ctx, func() { timer.Stop() })
}

// repeat makes the changes of about that time once more.
func (s *Speaker) repeat(then time.Time) error {
	s.change.Lock()
	defer s.change.Unlock()
	for _, p := range s.changes.near(then) {
		steps := []func(netip.Prefix) error{s.put, s.remove}
		if _, there := s.announced[p]; there {
			steps = []func(netip.Prefix) error{s.remove, s.put}
		}
		if err := errors.Join(steps[0](p), steps[1](p)); err != nil {
			return err
		}
	}
	return nil
}
