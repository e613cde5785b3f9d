// SPDX-License-Identifier: Apache-2.0

package dockerd

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// Master receives the containers of endpoints.
type Master interface {
	UpdateEndpoint(ctx context.Context, r model.UpdateEndpointRequest) error
}

// Records is the agent's view of the store.
type Records interface {
	// Local returns the endpoints whose homing host is this one.
	Local() []record.Endpoint
	// Selectors returns those of the services of a tenant.
	Selectors(tenant string) []map[string]string
	// Changed returns a channel that is closed when records have changed after the call.
	Changed() <-chan struct{}
}

// EndpointSyncer keeps the records of endpoints in sync with the engine's data of their containers: id, name, aliases, labels. By its
// labels a container provides services while it runs.
type EndpointSyncer struct {
	watcher  *Watcher
	master   Master
	records  Records
	log      *slog.Logger
	limit    time.Duration // of a request to the master
	debounce time.Duration // how long changes are collected
	lag      time.Duration // how long the record may lag behind an update
	first    time.Duration // before the first retry
	maxWait  time.Duration // before a retry, after many

	mu   sync.Mutex
	sent map[identity.Endpoint]sentUpdate
}

// sentUpdate is the last update of an endpoint that was sent to the master.
type sentUpdate struct {
	request model.UpdateEndpointRequest
	at      time.Time
}

// NewEndpointSyncer returns an EndpointSyncer for the containers of w; Run syncs.
func NewEndpointSyncer(w *Watcher, m Master, r Records, log *slog.Logger) *EndpointSyncer {
	return &EndpointSyncer{watcher: w, master: m, records: r, log: log, limit: 15 * time.Second, debounce: 50 * time.Millisecond,
		lag: 5 * time.Second, first: time.Second, maxWait: 30 * time.Second, sent: map[identity.Endpoint]sentUpdate{}}
}

// Run syncs until ctx ends; then it returns nil.
func (t *EndpointSyncer) Run(ctx context.Context) error {
	wait, reported := t.first, false
	for ctx.Err() == nil {
		docker, records := t.watcher.Changed(), t.records.Changed()
		later, err := t.sync(ctx)
		var again <-chan time.Time
		switch {
		case err != nil && ctx.Err() == nil:
			if !reported {
				t.log.Warn("container not reported to netmaster; retrying", "error", err)
			}
			reported = true
			again, wait = time.After(wait), min(2*wait, t.maxWait)
		case later:
			again, wait, reported = time.After(t.lag), t.first, false
		default:
			wait, reported = t.first, false
		}
		select {
		case <-docker:
			pause(ctx, t.debounce)
		case <-records:
			pause(ctx, t.debounce)
		case <-again:
		case <-ctx.Done():
		}
	}
	return nil
}

// sync sends updates of all endpoints whose record differs from the engine's data. later reports that a record does not show a sent update
// yet.
func (t *EndpointSyncer) sync(ctx context.Context) (later bool, err error) {
	state := t.watcher.State()
	owners := state.Owners()
	known := map[identity.Endpoint]sentUpdate{}
	var due []model.UpdateEndpointRequest
	selectors := map[string][]map[string]string{}
	for _, ep := range t.records.Local() {
		owner, has := owners[ep.ID.Endpoint]
		if _, asked := selectors[ep.ID.Tenant]; has && !asked {
			selectors[ep.ID.Tenant] = t.records.Selectors(ep.ID.Tenant)
		}
		owner.Container.Labels = concise(owner.Container.Labels, selectors[ep.ID.Tenant])
		request, differs := updateOf(&ep, &owner, has, state.Complete)
		if !differs {
			continue
		}
		later = true
		was, ok := t.sent[ep.ID]
		if ok && sameRequest(was.request, request) && time.Since(was.at) < t.lag {
			known[ep.ID] = was
			continue
		}
		due = append(due, request)
	}
	t.sent = known
	var group errgroup.Group
	group.SetLimit(together)
	for _, request := range due {
		group.Go(func() error { return t.update(ctx, request) })
	}
	return later, group.Wait()
}

func (t *EndpointSyncer) update(ctx context.Context, request model.UpdateEndpointRequest) error {
	ctx, cancel := context.WithTimeout(ctx, t.limit)
	defer cancel()
	err := t.master.UpdateEndpoint(ctx, request)
	if err != nil && !client.IsCode(err, model.CodeNotFound) { // the record of a deleted endpoint disappears with the watch
		return fmt.Errorf("container %s (%s): %w", request.EPCommonName, request.ContainerID, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	id := identity.Endpoint{Network: identity.Network{Tenant: request.Tenant, Name: request.Network}, Endpoint: request.EndpointID}
	t.sent[id] = sentUpdate{request, time.Now()}
	return nil
}

// updateOf returns the update of an endpoint for the master. Labels of an endpoint without a running container are withdrawn if complete is
// true, so that there is no other; all else stays until the endpoint is deleted.
func updateOf(ep *record.Endpoint, owner *Owner, has, complete bool) (r model.UpdateEndpointRequest, differs bool) {
	r = model.UpdateEndpointRequest{Tenant: ep.ID.Tenant, Network: ep.ID.Name, EndpointID: ep.ID.Endpoint, IPAddress: record.Text(ep.IP)}
	if !has {
		r.Event, r.ContainerID, r.EPCommonName = "die", ep.RuntimeID, ep.CommonName
		return r, complete && ep.RuntimeID != "" && len(ep.Labels) > 0
	}
	c := &owner.Container
	r.Event, r.ContainerID, r.EPCommonName, r.Labels, r.Aliases = "start", c.ID, c.Name, c.Labels, owner.Interface.Aliases
	return r, ep.RuntimeID != c.ID || ep.CommonName != c.Name || !maps.Equal(ep.Labels, c.Labels) || !slices.Equal(ep.Aliases, owner.Interface.Aliases)
}

func sameRequest(a, b model.UpdateEndpointRequest) bool {
	return a.Event == b.Event && a.ContainerID == b.ContainerID && a.EPCommonName == b.EPCommonName && maps.Equal(a.Labels, b.Labels) && slices.Equal(a.Aliases, b.Aliases)
}
