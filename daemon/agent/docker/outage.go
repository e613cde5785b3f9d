package docker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
)

// brief is how long a request may take that an engine does not need the outcome of, or that is likely to fail: an engine that starts or stops
// waits for all of them.
const brief = 2 * time.Second

// outageMemory is how long netmasters are taken to be away still, after a request that none answered.
const outageMemory = 30 * time.Second

// outage remembers that netmasters were away a moment ago. The first request waits while the cluster elects a leader. Of those after it one at
// a time is tried, briefly, and the others are refused as it was, or an engine that starts would wait for each of its containers.
type outage struct {
	now func() time.Time

	mu   sync.Mutex
	last time.Time // of the failures
	why  error     // that one
	next time.Time // for one to be tried
}

// lasts reports whether netmasters are taken to be away.
func (o *outage) lasts() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.now().Sub(o.last) < outageMemory
}

// try does what may need a netmaster, unless that is known to fail.
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

// over notes that a netmaster has answered.
func (o *outage) over() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last, o.next = time.Time{}, time.Time{}
}

// refusal is why the last request failed, nil for the one that is to be tried.
func (o *outage) refusal() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if now := o.now(); !now.Before(o.next) {
		o.next = now.Add(2 * brief)
		return nil
	}
	return fmt.Errorf("not tried, since a request at %s failed: %w", o.last.Format(time.TimeOnly), o.why)
}

// failed takes in why a request failed, nil when it did not.
func (o *outage) failed(err error) {
	var e *model.Error
	o.mu.Lock()
	defer o.mu.Unlock()
	if !errors.As(err, &e) || e.Code != model.CodeUnavailable {
		o.next = time.Time{} // perhaps a netmaster's answer
		return
	}
	o.last, o.why = o.now(), err
	o.next = o.last.Add(brief)
}

// asking is a request that does not succeed without a netmaster.
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
