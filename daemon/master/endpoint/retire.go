// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"context"

	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// Retire removes a host that has neither a node nor pods in Kubernetes: the endpoints of its pods, in as many transactions as necessary,
// and with the last of them the host's record. Each transaction calls over, and stops if it returns false. Endpoints of other containers
// keep their addresses until netctl node forget releases them. It blocks until the store has all of it.
func (s *Service) Retire(ctx context.Context, host string, over func(tx *commit.Tx) bool) error {
	for {
		more, done := false, false // they may still be written when the term ends and Do returns
		_, err := s.commit.Do(ctx, func(tx *commit.Tx) error {
			more, done = false, false
			if err := s.held(tx.View); err != nil {
				return err
			}
			if !over(tx) {
				return nil
			}
			for _, e := range podsAt(tx, host) {
				if tx.Room() < roomOfOne {
					more = true
					return nil
				}
				if err := s.remove(tx, e); err != nil {
					return err
				}
			}
			tx.Delete(record.Hosts + host)
			done = true
			return nil
		})
		if err != nil {
			return err
		}
		if done {
			s.log.Info("host forgotten, with the endpoints of its pods", "host", host)
		}
		if !more {
			return nil
		}
	}
}

// podsAt returns the endpoints of pods on a host.
func podsAt(tx *commit.Tx, host string) (out []*record.Endpoint) {
	for m := range tx.Members {
		if m.Host == host && m.Pod.ID != (identity.Pod{}) {
			out = append(out, m.Endpoint)
		}
	}
	return out
}
