// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"context"
	"slices"
	"time"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/record"
)

// Expire deletes expired holds and quarantines, until ctx ends. It checks every half minute, and only while this master leads.
func (s *Service) Expire(ctx context.Context) {
	ticker := time.NewTicker(30 * time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if !s.commit.Active() {
			continue
		}
		if err := s.ExpireNow(ctx); err != nil {
			s.log.Warn("expiring held addresses failed", "error", err)
		}
	}
}

// ExpireNow deletes holds that have expired or whose cause is gone, in transactions of limited size.
func (s *Service) ExpireNow(ctx context.Context) error {
	const most = 60
	for {
		n := 0
		_, err := s.commit.Do(commit.Own(ctx, history.WhyExpired), func(tx *commit.Tx) error {
			n = 0
			for key, h := range tx.Holds() {
				if !h.Over(s.now()) && !abandoned(tx.View, h) {
					continue
				}
				if h.Quarantine == "" {
					s.log.Info("a held address was never used", "network", h.Network, "address", h.Address)
				}
				tx.Delete(key)
				if n++; n == most {
					break
				}
			}
			return nil
		})
		if err != nil || n < most {
			return err
		}
	}
}

// abandoned reports whether a hold without expiry belongs to a swarm that no longer exists: no Docker network of a swarm is on the network,
// or the manager's host was forgotten, and no other manager has requested the address since.
func abandoned(v *catalog.View, h catalog.Hold) bool {
	if !h.Swarm || !h.Expires.IsZero() {
		return false
	}
	swarm := slices.ContainsFunc(v.DockerNetworksOf(h.Network), func(d *record.DockerNetwork) bool { return d.Host == "" })
	return !swarm || v.Host(h.By) == nil
}
