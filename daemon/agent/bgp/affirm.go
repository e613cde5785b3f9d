package bgp

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/osrg/gobgp/v4/api"
)

// A change of what is announced while a session comes up may be lost: the library reads what there is to tell, and only later
// counts the peer among those that hear of changes. So every peer is told all of it once more when its session has settled:
// what is announced, and what was withdrawn of late, which it may have heard of and not of its end.

// settled is after how long a session counts as settled.
const settled = time.Second

// withdrawals remembers what was withdrawn of late.
type withdrawals struct {
	mu sync.Mutex
	at map[netip.Prefix]time.Time
}

// add notes a withdrawal, and forgets those that no session can have missed.
func (w *withdrawals) add(p netip.Prefix, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.at == nil {
		w.at = map[netip.Prefix]time.Time{}
	}
	for old, at := range w.at {
		if now.Sub(at) > 2*settled {
			delete(w.at, old)
		}
	}
	w.at[p] = now
}

// forget is for what is announced again.
func (w *withdrawals) forget(p netip.Prefix) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.at, p)
}

// since lists what was withdrawn since then and not announced again.
func (w *withdrawals) since(then time.Time) (out []netip.Prefix) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for p, at := range w.at {
		if at.After(then) {
			out = append(out, p)
		}
	}
	return out
}

// affirm tells a peer once more, when its session has settled. A speaker that has restarted waits until the library has told
// its routes by itself: before that, their end must not be told (RFC 4724, section 4.1).
func (s *Speaker) affirm(ctx context.Context, peer netip.Addr, problem func(error)) {
	wait := settled
	if s.config.Restarting {
		wait += deferTime * time.Second
	}
	up := time.Now()
	timer := time.AfterFunc(wait, func() {
		if err := s.again(ctx, peer, up); err != nil && ctx.Err() == nil {
			problem(err)
		}
	})
	context.AfterFunc(ctx, func() { timer.Stop() })
}

// again tells a peer everything again whose session came up at a time.
func (s *Speaker) again(ctx context.Context, peer netip.Addr, up time.Time) error {
	s.change.Lock() // nothing is announced between a withdrawal and its repetition
	defer s.change.Unlock()
	for _, p := range s.withdrawn.since(up.Add(-settled)) {
		if err := s.put(p); err != nil {
			return err
		}
		if err := s.remove(p); err != nil {
			return err
		}
	}
	err := s.server.ResetPeer(ctx, &api.ResetPeerRequest{Address: peer.String(), Soft: true, Direction: api.ResetPeerRequest_DIRECTION_OUT})
	if err != nil {
		return fmt.Errorf("tell BGP neighbour %s everything again: %w", peer, err)
	}
	return nil
}
