// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
)

// withContainer returns the driver of a host with a container, and the engine's request to delete it.
func (w *world) withContainer(t *testing.T) (*Driver, endpointRequest) {
	t.Helper()
	d := w.driver("h1")
	if _, err := created(t, d, "n1", map[string]string{"network": "blue"}, false); err != nil {
		t.Fatal(err)
	}
	q := endpointRequest{NetworkID: "n1", EndpointID: "e1", Interface: &endpointInterface{}}
	if err := call(t, d, "NetworkDriver.CreateEndpoint", q, &empty{}); err != nil {
		t.Fatal(err)
	}
	return d, q
}

// An engine requests the deletion of an endpoint once. A failed deletion is repeated until it succeeds, both after an outage of netmaster and
// of the agent, and the release that follows does not affect another endpoint that has the address by then.
func TestDeletionsAreOwed(t *testing.T) {
	for _, row := range []struct {
		name       string
		fail, heal func(w *world, d *Driver)
	}{
		{"netmaster is away", func(w *world, _ *Driver) { w.away = errors.New("no netmaster answers") }, func(w *world, _ *Driver) { w.away = nil }},
		{"the agent begins", func(_ *world, d *Driver) { d.Starting = func() []string { return []string{"the store"} } },
			func(_ *world, d *Driver) { d.Starting = func() []string { return nil } }},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t, dual)
			d, q := w.withContainer(t)
			w.published["default:blue:e1"] = "tcp/0.0.0.0:8080=80"
			row.fail(w, d)
			if err := call(t, d, "NetworkDriver.DeleteEndpoint", q, &empty{}); err == nil {
				t.Error("a failed deletion is reported as done")
			}
			if left := d.deleteOwed(t.Context()); left != 1 || len(w.attached) != 1 {
				t.Errorf("left while it fails: %d, attached %v", left, w.attached)
			}
			row.heal(w, d)
			d.outage.failed(model.Errorf(model.CodeUnavailable, "", "no netmaster answers"))
			if left := d.deleteOwed(t.Context()); left != 0 || len(w.attached) != 0 || len(w.published) != 0 {
				t.Errorf("left once it can be done: %d, attached %v, published %v", left, w.attached, w.published)
			}
			if d.outage.lasts() {
				t.Error("netmaster has deleted an endpoint, and is taken to be away")
			}
			if left := d.deleteOwed(t.Context()); left != 0 {
				t.Errorf("left after that: %d", left)
			}
		})
	}
}

// When a host starts, its engine deletes the endpoints of ended containers and restarts containers while the agent starts. The requests wait
// for the agent, and a container with a fixed address gets it again.
func TestContainersWaitForTheAgent(t *testing.T) {
	w := newWorld(t, "network blue encap=vxlan subnet=10.1.1.0/24")
	d, q := w.withContainer(t)
	d.readyTimeout = 10 * time.Second
	var asked atomic.Int32
	d.Starting = func() []string {
		if asked.Add(1) < 5 {
			return []string{"admission to the cluster"}
		}
		return nil
	}
	if err := call(t, d, "NetworkDriver.DeleteEndpoint", q, &empty{}); err == nil || asked.Load() != 1 {
		t.Errorf("a deletion does not wait: got %v after %d looks", err, asked.Load())
	}
	var a requestAddressResponse
	if err := call(t, d, "IpamDriver.RequestAddress", requestAddressRequest{PoolID: "default:blue:|10.1.1.0/24", Address: "10.1.1.1"}, &a); err != nil || a.Address != "10.1.1.1/24" {
		t.Errorf("the address that the container had: %+v, %v", a, err)
	}
}

// The driver repeats deletions by itself.
func TestDeletionsAreRepeated(t *testing.T) {
	w := newWorld(t, dual)
	d, q := w.withContainer(t)
	d.owed.first = time.Millisecond
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { d.retryDeletions(ctx); close(ended) }()
	d.owed.add(q.EndpointID)
	for gone := false; !gone; time.Sleep(time.Millisecond) {
		w.mu.Lock()
		gone = len(w.attached) == 0
		w.mu.Unlock()
	}
	end()
	<-ended
	w.Catalog.View(func(v *catalog.View) {
		if v.CountEndpoints() != 0 {
			t.Errorf("netmaster's endpoints: %v", v.Endpoints())
		}
	})
}
