package kube

import (
	"context"
	"errors"
	"time"

	"github.com/contiv/contiv/daemon/kube"
)

// runReporter has Kubernetes say which addresses services have, and what of policies is not in force, until ctx ends. What the store has comes first: a leader that is none any more gets
// nothing into the store, so it says nothing new.
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
				e.Log.Warn("the status of a service or policy is not written; it is tried again", "retry", e.Pause, "error", err)
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

// reportBalancers writes the statuses that are not as they are to be. What fails is left for the next time.
func (e *Engine) reportBalancers(ctx context.Context) error {
	var failed []error
	for _, key := range e.popUnreported() {
		s, want, differs := e.status(key)
		if !differs {
			continue
		}
		err := e.Source.ReportBalancer(ctx, s, want)
		if err == nil || errors.Is(err, kube.ErrStale) { // the watch brings what there is now
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
