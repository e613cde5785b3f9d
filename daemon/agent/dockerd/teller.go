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
)

// Master is told whose endpoints are.
type Master interface {
	UpdateEndpoint(ctx context.Context, r model.UpdateEndpointRequest) error
}

// Records is what the agent knows of the store.
type Records interface {
	// Local returns the endpoints whose homing host is this one.
	Local() []record.Endpoint
	// Selectors are those of the services of a tenant.
	Selectors(tenant string) []map[string]string
	// Changed is closed when records have changed after the call.
	Changed() <-chan struct{}
}

// Teller keeps the records of endpoints equal to what the engine says of their containers: id, name, aliases, labels. By its
// labels a container provides services while it runs.
type Teller struct {
	watcher *Watcher
	master  Master
	records Records
	log     *slog.Logger
	limit   time.Duration // of a request to the master
	settle  time.Duration // changes are gathered
	lag     time.Duration // what was told may be on its way for so long
	first   time.Duration // until what failed is tried again
	most    time.Duration // the same, after many attempts

	mu   sync.Mutex
	told map[string]telling // by the text of the endpoint's identity
}

// telling is what the master was told last of an endpoint.
type telling struct {
	request model.UpdateEndpointRequest
	at      time.Time
}

// NewTeller returns a Teller of what w knows; Run makes it live.
func NewTeller(w *Watcher, m Master, r Records, log *slog.Logger) *Teller {
	return &Teller{watcher: w, master: m, records: r, log: log, limit: 15 * time.Second, settle: 50 * time.Millisecond,
		lag: 5 * time.Second, first: time.Second, most: 30 * time.Second, told: map[string]telling{}}
}

// Run tells until ctx ends; then it returns nil.
func (t *Teller) Run(ctx context.Context) error {
	wait, reported := t.first, false
	for ctx.Err() == nil {
		docker, records := t.watcher.Changed(), t.records.Changed()
		later, err := t.tell(ctx)
		var again <-chan time.Time
		switch {
		case err != nil && ctx.Err() == nil:
			if !reported {
				t.log.Warn("netmaster was not told of a container; tried again", "error", err)
			}
			reported = true
			again, wait = time.After(wait), min(2*wait, t.most)
		case later:
			again, wait, reported = time.After(t.lag), t.first, false
		default:
			wait, reported = t.first, false
		}
		select {
		case <-docker:
			pause(ctx, t.settle)
		case <-records:
			pause(ctx, t.settle)
		case <-again:
		case <-ctx.Done():
		}
	}
	return nil
}

// tell tells of all endpoints whose record is not what the engine says. later says that a record does not show yet what was told.
func (t *Teller) tell(ctx context.Context) (later bool, err error) {
	state := t.watcher.State()
	owners := state.Owners()
	known := map[string]telling{}
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
		key := ep.ID.String()
		was, ok := t.told[key]
		if ok && sameRequest(was.request, request) && time.Since(was.at) < t.lag {
			known[key] = was
			continue
		}
		due = append(due, request)
	}
	t.told = known
	var group errgroup.Group
	group.SetLimit(together)
	for _, request := range due {
		group.Go(func() error { return t.update(ctx, request) })
	}
	return later, group.Wait()
}

func (t *Teller) update(ctx context.Context, request model.UpdateEndpointRequest) error {
	ctx, cancel := context.WithTimeout(ctx, t.limit)
	defer cancel()
	err := t.master.UpdateEndpoint(ctx, request)
	if err != nil && !client.IsCode(err, model.CodeNotFound) { // one that is gone has a record no longer than the watch takes
		return fmt.Errorf("container %s (%s): %w", request.EPCommonName, request.ContainerID, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.told[request.Tenant+":"+request.Network+":"+request.EndpointID] = telling{request, time.Now()}
	return nil
}

// updateOf says what the master is to be told of an endpoint. Labels of an endpoint that no running container has are withdrawn,
// if complete says that there is no other; all else stays until the endpoint goes.
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
