package endpoint

import (
	"context"
	"time"

	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/history"
)

// Expire deletes holds that no one used and quarantines that are over, until ctx ends. It looks every
// half minute, and only while this master leads.
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
			s.log.Warn("expire held addresses", "error", err)
		}
	}
}

// ExpireNow deletes the holds whose time is up, a transaction's worth at a time.
func (s *Service) ExpireNow(ctx context.Context) error {
	const most = 60
	for {
		n := 0
		_, err := s.commit.Do(commit.Own(ctx, history.WhyExpired), func(tx *commit.Tx) error {
			n = 0
			for key, h := range tx.Holds() {
				if !h.Over(s.now()) {
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
