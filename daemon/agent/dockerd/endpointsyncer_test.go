// SPDX-License-Identifier: Apache-2.0

package dockerd

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/desired"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// cluster is the store, and the master that writes to it: its records have the reported state of endpoints.
type cluster struct {
	mu        sync.Mutex
	changed   chan struct{}
	endpoints map[string]record.Endpoint
	segments  desired.Segments
	selectors []map[string]string // of all tenants
	down      error
	told      []model.UpdateEndpointRequest
	docknets  []record.DockerNetwork
	named     []model.DockerNetworkName
	refuses   error // to name networks
}

func (c *cluster) DockerNetworks() []record.DockerNetwork {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.docknets)
}

func (c *cluster) NameDockerNetwork(_ context.Context, q model.DockerNetworkName) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.named = append(c.named, q)
	for i := range c.docknets {
		if d := &c.docknets[i]; d.ID == q.ID && c.refuses == nil {
			d.Network.Name = record.DockerNetworkName(q.Name)
		}
	}
	return c.refuses
}

func newCluster() *cluster {
	return &cluster{changed: make(chan struct{}), endpoints: map[string]record.Endpoint{}}
}

func (c *cluster) Changed() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}

func (c *cluster) change(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *cluster) Segments() desired.Segments {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.segments
}

func (c *cluster) Local() []record.Endpoint {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Values(c.endpoints))
}

func (c *cluster) Selectors(string) []map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.selectors
}

func (c *cluster) endpoint(id string) record.Endpoint {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.endpoints[id]
}

// attach creates the record of an endpoint, as the driver does before the container starts.
func (c *cluster) attach(tenant, network, endpoint string) string {
	e := record.Endpoint{ID: identity.Endpoint{Network: identity.Network{Tenant: tenant, Name: network}, Endpoint: endpoint}, ContainerID: endpoint}
	c.change(func() { c.endpoints[e.ID.String()] = e })
	return e.ID.String()
}

func (c *cluster) UpdateEndpoint(_ context.Context, r model.UpdateEndpointRequest) error {
	c.mu.Lock()
	if c.told = append(c.told, r); c.down != nil {
		defer c.mu.Unlock()
		return c.down
	}
	c.mu.Unlock()
	id := identity.Endpoint{Network: identity.Network{Tenant: r.Tenant, Name: r.Network}, Endpoint: r.EndpointID}.String()
	c.change(func() {
		e := c.endpoints[id]
		if r.Event == "die" {
			e.Labels = nil
		} else {
			e.RuntimeID, e.CommonName, e.Labels, e.Aliases = r.ContainerID, r.EPCommonName, r.Labels, r.Aliases
		}
		c.endpoints[id] = e
	})
	return nil
}

func (c *cluster) calls() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.told)
}

// Each container is reported to the master once per network, and again after its name changed or another master lost it.
func TestTeller(t *testing.T) {
	f, c := newFake(t), newCluster()
	w := f.watch()
	teller := NewEndpointSyncer(w, c, c, slog.New(slog.DiscardHandler))
	teller.debounce, teller.lag, teller.first, teller.maxWait = time.Millisecond, 200*time.Millisecond, 5*time.Millisecond, 10*time.Millisecond
	f.background(teller.Run)
	f.run("c1", "web", map[string]string{"app": "web"}, "net", "net2/blue")
	one, two := c.attach("default", "net", f.endpointOf("c1", "net")), c.attach("blue", "net2", f.endpointOf("c1", "net2/blue"))
	other := c.attach("default", "net", "pod")
	is := func(id, name string) func() bool {
		return func() bool {
			e := c.endpoint(id)
			return e.RuntimeID == "c1" && e.CommonName == name && e.Labels["app"] == "web" && slices.Equal(e.Aliases, []string{"c1", "web-alias"}) && e.ContainerID == e.ID.Endpoint
		}
	}
	until(t, "the record in the first network", is(one, "web"))
	until(t, "the record in the second", is(two, "web"))
	if got := c.calls(); got != 2 {
		t.Errorf("want two reports to the master, got %d times", got)
	}
	f.change(containerEvent("rename", "c1"), func() { f.boxes["c1"].name = "shop" })
	renamed := func(id string) func() bool {
		return func() bool { return c.endpoint(id).CommonName == "shop" }
	}
	until(t, "the new name", renamed(one))
	until(t, "the new name in the second network", renamed(two))

	c.change(func() { c.down = errors.New("no leader") })
	c.change(func() {
		e := c.endpoints[one]
		e.Labels = nil
		c.endpoints[one] = e
	})
	before := c.calls()
	until(t, "attempts", func() bool { return c.calls() > before+1 })
	c.change(func() { c.down = nil })
	until(t, "the labels again", func() bool { return c.endpoint(one).Labels["app"] == "web" })
	if e := c.endpoint(other); e.RuntimeID != "" || e.CommonName != "" {
		t.Errorf("an endpoint that Docker does not have: want it as it was, got %+v", e)
	}
}

// The labels of a stopped container are withdrawn, even if its endpoint stays; while the engine is down, they stay.
func TestTellerWithdrawsLabels(t *testing.T) {
	f, c := newFake(t), newCluster()
	w := f.watch()
	teller := NewEndpointSyncer(w, c, c, slog.New(slog.DiscardHandler))
	teller.debounce = time.Millisecond
	f.background(teller.Run)
	f.run("c1", "web", map[string]string{"app": "web"}, "net")
	id := c.attach("default", "net", f.endpointOf("c1", "net"))
	until(t, "the labels", func() bool { return c.endpoint(id).Labels["app"] == "web" })
	f.stop()
	until(t, "the engine away", func() bool { return !w.State().Here })
	f.change("", func() { f.boxes["c1"].running = false })
	another := NewEndpointSyncer(w, c, c, slog.New(slog.DiscardHandler))
	if _, err := another.sync(t.Context()); err != nil || c.endpoint(id).Labels == nil {
		t.Errorf("an engine that is away: want the labels left, got %v, %v", c.endpoint(id), err)
	}
	f.start()
	until(t, "the labels withdrawn", func() bool { return c.endpoint(id).Labels == nil })
	if e := c.endpoint(id); e.CommonName != "web" {
		t.Errorf("want its name left, got %+v", e)
	}
}
