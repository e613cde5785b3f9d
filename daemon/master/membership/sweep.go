// SPDX-License-Identifier: Apache-2.0

package membership

import (
	"context"
	"time"

	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// Times of the sweep.
const (
	sweepInterval = 10 * time.Minute
	keepToken     = 24 * time.Hour // after its end, so that its holder learns that it has expired
	// after its end, for clocks that are late; trust.Grace for certificates with which an agent may renew itself, or may not
	keepCert = time.Hour
	maxSwept = 200 // records in one transaction
)

// Run removes expired records, until ctx ends. It is a duty of the leader's.
func (e *Enroller) Run(ctx context.Context) {
	tick := time.NewTicker(sweepInterval)
	defer tick.Stop()
	for {
		for more := true; more && ctx.Err() == nil; {
			swept, err := e.Sweep(ctx)
			if err != nil && ctx.Err() == nil {
				e.Log.Debug("expired tokens and certificates were not removed; it is tried again", "retry", sweepInterval, "error", err)
			}
			more = err == nil && swept > 0
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Sweep removes expired tokens and certificates, few enough not to delay other requests, and returns their number. It blocks until the
// store has it.
func (e *Enroller) Sweep(ctx context.Context) (swept int, err error) {
	_, err = e.Commit.Join(commit.Own(ctx, "it has expired"), func(tx *commit.Tx) error {
		swept = 0
		for _, key := range e.expired(tx) {
			tx.Delete(key)
			swept++
		}
		return nil
	})
	return swept, err
}

// expired returns the keys of expired records, at most maxSwept.
func (e *Enroller) expired(tx *commit.Tx) (keys []string) {
	most, now := min(maxSwept, tx.Room()), e.now()
	for _, t := range tx.JoinTokens() {
		if len(keys) < most && now.After(t.Expires.Add(keepToken)) {
			keys = append(keys, record.JoinTokens+t.ID)
		}
	}
	for _, c := range tx.Certificates() {
		keep := keepCert
		if agents(c) && (!c.Revoked.IsZero() || newest(tx.View, c)) {
			keep = trust.Grace
		}
		if len(keys) < most && now.After(c.Until.Add(keep)) {
			keys = append(keys, record.Certificates+c.Serial)
		}
	}
	return keys
}
