package docker

import (
	"context"
	"sync"
	"time"
)

// owed are the deletions of endpoints that have failed. An engine asks once and forgets the endpoint whatever it hears (package libnetwork,
// Endpoint.deleteEndpoint), so they are repeated here. An agent that ends forgets them too: what is left then is taken for gone once the
// engine is proved not to have it.
type owed struct {
	first, most time.Duration // between attempts
	changed     chan struct{} // holds one after add

	mu        sync.Mutex
	endpoints map[string]struct{}
}

func newOwed() *owed {
	return &owed{first: 250 * time.Millisecond, most: 2 * time.Second, changed: make(chan struct{}, 1), endpoints: map[string]struct{}{}}
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

// list is what is owed.
func (o *owed) list() (out []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for endpoint := range o.endpoints {
		out = append(out, endpoint)
	}
	return out
}

// remembering is a deletion that is owed when it fails or takes long, also when the agent was not ready for it.
func (d *Driver) remembering(do func(context.Context, endpointRequest) (empty, error)) func(context.Context, endpointRequest) (empty, error) {
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

// settle repeats what is owed until it succeeds or ctx ends.
func (d *Driver) settle(ctx context.Context) {
	wait := d.owed.first
	for {
		var again <-chan time.Time
		if left := d.repay(ctx); left == 0 {
			wait = d.owed.first
		} else {
			again, wait = time.After(wait), min(2*wait, d.owed.most)
		}
		select {
		case <-d.owed.changed:
		case <-again:
		case <-ctx.Done():
			return
		}
	}
}

// repay tries everything once, and tells how much is left.
func (d *Driver) repay(ctx context.Context) (left int) {
	list := d.owed.list()
	if len(list) > 0 && len(d.Starting()) > 0 {
		return len(list)
	}
	for _, endpoint := range list {
		attempt, cancel := context.WithTimeout(ctx, callLimit)
		_, unknown := d.Attacher.Find(attempt, endpoint, ifName)
		err := d.take(attempt, endpoint)
		cancel()
		if err != nil {
			left++
			d.outage.failed(err)
			d.Log.Debug("an endpoint that Docker has deleted is not released yet", "endpoint", endpoint, "error", err)
			continue
		}
		d.owed.done(endpoint)
		if unknown == nil { // a netmaster has deleted it
			d.outage.over()
		}
		d.Log.Info("released an endpoint whose deletion by Docker had failed", "endpoint", endpoint)
	}
	return left
}
