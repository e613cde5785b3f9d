// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"time"

	"github.com/contiv/contiv/daemon/kube"
)

// runReporter writes the addresses of services, and the parts of policies that are not in force, to their statuses in Kubernetes, until ctx
// ends. It writes only what the store has: a former leader can no longer write to the store, so it reports nothing new.
func (e *Engine) runReporter(ctx context.Context) {
	problem := ""
	for {
		var again <-chan time.Time
		switch err := errors.Join(e.reportBalancers(ctx), e.statePolicies(ctx)); {
		case ctx.Err() != nil:
			return
		case err != nil:
			again = time.After(e.Pause)
			if text := err.Error(); text != problem {
				problem = text
				e.Log.Warn("cannot write the status of a service or policy; retrying", "retry", e.Pause, "error", err)
			}
		default:
			problem = ""
		}
		select {
		case <-ctx.Done():
			return
		case <-again:
		case <-e.statusDue:
		}
	}
}

// reportBalancers writes the outdated statuses of services. Failed ones are retried later.
func (e *Engine) reportBalancers(ctx context.Context) error {
	var failed []error
	for _, key := range e.popUnreported() {
		s, want, differs := e.status(key)
		if !differs {
			continue
		}
		err := e.Source.ReportBalancer(ctx, s, want)
		if err == nil || errors.Is(err, kube.ErrStale) { // the watch delivers the newer object
			continue
		}
		e.mu.Lock()
		e.known.unreported[key] = struct{}{}
		e.mu.Unlock()
		failed = append(failed, err)
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(failed...)
}
