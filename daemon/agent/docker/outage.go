// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
)

// brief is the time limit of a request whose outcome the engine does not need, or that is likely to fail: an engine that starts or stops
// waits for all of them.
const brief = 2 * time.Second

// outageMemory is how long netmasters count as away after a request that none answered.
const outageMemory = 30 * time.Second

// outage records that netmasters were away a moment ago. The first request waits while the cluster elects a leader. Of later requests one
// at a time is tried, briefly, and the others fail with the same error; otherwise a starting engine would wait for each of its containers.
type outage struct {
	now func() time.Time

	mu   sync.Mutex
	last time.Time // of the failures
	why  error     // of the last failure
	next time.Time // of the next attempt
}

// lasts reports whether netmasters count as away.
func (o *outage) lasts() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.now().Sub(o.last) < outageMemory
}

// try calls do, which may need a netmaster, unless it is known to fail.
func (o *outage) try(ctx context.Context, do func(context.Context) error) error {
	if o.lasts() {
		if err := o.refusal(); err != nil {
			return err
		}
		limited, cancel := context.WithTimeout(ctx, brief)
		defer cancel()
		ctx = limited
	}
	err := do(ctx)
	o.failed(err)
	return err
}

// over records that a netmaster has answered.
func (o *outage) over() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last, o.next = time.Time{}, time.Time{}
}

// refusal returns why the last request failed, nil for the one to be tried.
func (o *outage) refusal() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if now := o.now(); !now.Before(o.next) {
		o.next = now.Add(2 * brief)
		return nil
	}
	return fmt.Errorf("not tried, since a request at %s failed: %w", o.last.Format(time.TimeOnly), o.why)
}

// failed records the result of a request.
func (o *outage) failed(err error) {
	var e *model.Error
	o.mu.Lock()
	defer o.mu.Unlock()
	if !errors.As(err, &e) || e.Code != model.CodeUnavailable {
		o.next = time.Time{} // it may be a netmaster's answer
		return
	}
	o.last, o.why = o.now(), err
	o.next = o.last.Add(brief)
}

// asking wraps a request that cannot succeed without a netmaster.
func asking[Q, A any](d *Driver, do func(context.Context, Q) (A, error)) func(context.Context, Q) (A, error) {
	return func(ctx context.Context, q Q) (out A, err error) {
		err = d.outage.try(ctx, func(ctx context.Context) error {
			out, err = do(ctx, q)
			return err
		})
		if err == nil {
			d.outage.over()
		}
		return out, err
	}
}
