// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"context"
	"time"

	"github.com/contiv/contiv/daemon/store"
)

var _ store.Observer = (*Store)(nil)

// Members implements store.Observer: the only member is this process.
func (s *Store) Members(ctx context.Context) ([]store.Member, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.data.mu.Unlock()
	m := store.Member{Name: "memory", Leader: true}
	for _, e := range s.data.items {
		m.Bytes += int64(len(e.Key) + len(e.Value))
	}
	return []store.Member{m}, nil
}

// Leases implements store.Observer.
func (s *Store) Leases(ctx context.Context, prefix string) ([]store.KeyLease, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.data.mu.Unlock()
	var out []store.KeyLease
	for _, i := range s.data.list(prefix) {
		if l := s.data.items[i.Key].lease; l != nil {
			out = append(out, store.KeyLease{Key: i.Key, Granted: l.ttl, Left: max(0, time.Until(l.end))})
		}
	}
	return out, nil
}
