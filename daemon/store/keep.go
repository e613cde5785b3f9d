// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// KeepAlive implements a Lease's KeepAlive with refresh, which refreshes it once. It refreshes three times a TTL, and more often while the
// store is away, until ctx ends (nil), the store's client is closed (ErrClosed), or refresh returns another error. A lease that was not
// refreshed for its TTL is lost (ErrLeaseLost).
func KeepAlive(ctx context.Context, l Lease, closed <-chan struct{}, refresh func(context.Context) error) error {
	usual := max(l.TTL()/3, time.Millisecond)
	var away Backoff
	for deadline := time.Now().Add(l.TTL()); ; {
		pause, asked := usual, time.Now()
		err := refresh(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			away.Reached()
			deadline = asked.Add(l.TTL())
		case !errors.Is(err, ErrUnavailable):
			return err
		case time.Now().After(deadline):
			return fmt.Errorf("lease %s was not refreshed for %s: %w", l.ID(), l.TTL(), ErrLeaseLost)
		default:
			away.Failed(away.Round())
			pause = min(away.Pause(), usual)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-closed:
			return fmt.Errorf("keep lease %s: %w", l.ID(), ErrClosed)
		case <-time.After(pause):
		}
	}
}
