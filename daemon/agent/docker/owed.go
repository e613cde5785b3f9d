// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"context"
	"sync"
	"time"
)

// owed are the failed deletions of endpoints. An engine sends a deletion once and deletes the endpoint whatever the answer (package
// libnetwork, Endpoint.deleteEndpoint), so they are retried here. An agent that ends loses them too: remaining endpoints then count as gone
// once it is certain that the engine does not have them.
type owed struct {
	first, maxWait time.Duration // between attempts
	changed        chan struct{} // holds one after add

	mu        sync.Mutex
	endpoints map[string]struct{}
}

func newOwed() *owed {
	return &owed{first: 250 * time.Millisecond, maxWait: 2 * time.Second, changed: make(chan struct{}, 1), endpoints: map[string]struct{}{}}
}

func (o *owed) add(endpoint string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.endpoints[endpoint] = struct{}{}
	select {
	case o.changed <- struct{}{}:
	default:
	}
}

func (o *owed) done(endpoint string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.endpoints, endpoint)
}

// list returns the owed deletions.
func (o *owed) list() (out []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for endpoint := range o.endpoints {
		out = append(out, endpoint)
	}
	return out
}

// retryingLater wraps a deletion that is retried if it fails or takes long, also if the agent was not ready for it.
func (d *Driver) retryingLater(do func(context.Context, endpointRequest) (empty, error)) func(context.Context, endpointRequest) (empty, error) {
	return func(ctx context.Context, q endpointRequest) (empty, error) {
		ctx, cancel := context.WithTimeout(ctx, brief)
		defer cancel()
		var out empty
		err := d.outage.try(ctx, func(ctx context.Context) (err error) {
			out, err = do(ctx, q)
			return err
		})
		if err != nil && q.EndpointID != "" {
			d.owed.add(q.EndpointID)
		}
		return out, err
	}
}

// retryDeletions retries owed deletions until they succeed or ctx ends.
func (d *Driver) retryDeletions(ctx context.Context) {
	wait := d.owed.first
	for {
		var again <-chan time.Time
		if left := d.deleteOwed(ctx); left == 0 {
			wait = d.owed.first
		} else {
			again, wait = time.After(wait), min(2*wait, d.owed.maxWait)
		}
		select {
		case <-d.owed.changed:
		case <-again:
		case <-ctx.Done():
			return
		}
	}
}

// deleteOwed tries everything once, and returns the number left.
func (d *Driver) deleteOwed(ctx context.Context) (left int) {
	list := d.owed.list()
	if len(list) > 0 && len(d.Starting()) > 0 {
		return len(list)
	}
	for _, endpoint := range list {
		attempt, cancel := context.WithTimeout(ctx, callTimeout)
		_, unknown := d.Attacher.Find(attempt, endpoint, ifName)
		err := d.removeEndpoint(attempt, endpoint)
		cancel()
		if err != nil {
			left++
			d.outage.failed(err)
			d.Log.Debug("endpoint deleted by Docker not released yet", "endpoint", endpoint, "error", err)
			continue
		}
		d.owed.done(endpoint)
		if unknown == nil { // a netmaster has deleted it
			d.outage.over()
		}
		d.Log.Info("released an endpoint after a failed deletion by Docker", "endpoint", endpoint)
	}
	return left
}
