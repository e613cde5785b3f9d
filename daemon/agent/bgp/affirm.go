package bgp

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"
)

// A change of what is announced while a session comes up may be lost: the library reads what there is to tell, and only a moment
// later counts the peer among those that hear of changes. What was changed at about that time is changed once more when the
// session has settled: taken back, and made again. The library's own ways do not serve: it does not tell again what has not
// changed, and asked to, it speaks of kinds of routes that the peer does not know, which ends the session.

const (
	settled = time.Second            // after which a session counts as settled
	doubt   = 250 * time.Millisecond // how far from the session's beginning a change may have been lost
)

// changes remembers which prefixes were announced or withdrawn of late.
type changes struct {
	mu sync.Mutex
	at map[netip.Prefix]time.Time
}

// add notes a change, and forgets those that no session will ask about any more.
func (c *changes) add(p netip.Prefix, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at == nil {
		c.at = map[netip.Prefix]time.Time{}
	}
	for old, at := range c.at {
		if now.Sub(at) > 2*settled {
			delete(c.at, old)
		}
	}
	c.at[p] = now
}

// near lists what was changed about then.
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

// affirm repeats what may have been lost on a session that has just come up, when it has settled. It does not block.
func (s *Speaker) affirm(ctx context.Context, problem func(error)) {
	up := time.Now()
	timer := time.AfterFunc(settled, func() {
		if err := s.repeat(up); err != nil && ctx.Err() == nil {
			problem(err)
		}
	})
	context.AfterFunc(ctx, func() { timer.Stop() })
}

// repeat makes the changes about then once more.
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
