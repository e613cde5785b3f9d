// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"strings"
	"testing"
)

// Taken reports that the peer of an interface is in a container's namespace, as for all interfaces with a peer.
func (w *world) Taken(name string) (bool, error) {
	defer w.mu.Unlock()
	err := w.enter("taken")
	return w.links[name].Netns != "", err
}

// Occupied reports that no process runs in the namespace of an interface, and fails for one interface.
func (w *world) Occupied(string) (bool, error) {
	defer w.mu.Unlock()
	return false, w.enter("occupied")
}

// Forsake removes an endpoint that the runtime does not know, unless a container may use it or a request is using it.
func TestForsake(t *testing.T) {
	w := newWorld()
	e := w.engine()
	res, err := e.Attach(t.Context(), request(t))
	if err != nil {
		t.Fatal(err)
	}
	const why = "two lists without it"
	stays := func(what string, failed bool) {
		t.Helper()
		if done, err := e.Forsake(t.Context(), "c1", "eth0", why, false); done || (err != nil) != failed || len(w.endpoints) != 1 || len(w.ports) != 1 {
			t.Errorf("%s: want it left, got %v, %v, %s", what, done, err, w)
		}
	}
	stays("interface in a container's namespace", false)
	w.fail["occupied"] = errBroken
	if done, err := e.Forsake(t.Context(), "c1", "eth0", why, true); done || err == nil || len(w.ports) != 1 {
		t.Errorf("processes that cannot be examined: want it left, got %v, %v", done, err)
	}
	delete(w.fail, "occupied")
	pair := w.links[res.HostName]
	pair.Netns = ""
	w.links[res.HostName] = pair
	unlock, _ := e.locks.tryLock("c1")
	stays("request in progress", false)
	unlock()
	done := e.locks.work(res.HostName)
	stays("interface being made", false)
	done()
	w.fail["taken"] = errBroken
	stays("kernel that does not say", true)
	delete(w.fail, "taken")
	w.fail["delete "+why] = errBroken
	if _, err := e.Forsake(t.Context(), "c1", "eth0", why, false); err == nil || len(w.ports) != 1 {
		t.Errorf("no master: want an error and the port left, got %v, %s", err, w)
	}
	delete(w.fail, "delete "+why)
	for range 2 {
		if done, err := e.Forsake(t.Context(), "c1", "eth0", why, false); err != nil || !done {
			t.Errorf("want it gone, got %v, %v", done, err)
		}
	}
	if _, err := e.Attach(t.Context(), request(t)); err != nil {
		t.Fatal(err)
	}
	if done, err := e.Forsake(t.Context(), "c1", "eth0", why, true); err != nil || !done {
		t.Errorf("a namespace that no process is in: want it gone, got %v, %v", done, err)
	}
	if got := w.String(); got != nothing || !strings.Contains(strings.Join(w.calls, ","), "delete "+why) {
		t.Errorf("want %s and the reason reported, got %s, %q", nothing, got, w.calls)
	}
}

// An endpoint without a port, as a crash may leave it, is found in the store and also removed, unless its interface may be in use.
func TestForsakePortless(t *testing.T) {
	w := newWorld()
	e := w.engine()
	res, err := e.Attach(t.Context(), request(t))
	if err != nil {
		t.Fatal(err)
	}
	if list := e.Portless(); len(list) != 0 {
		t.Errorf("want none, since it has a port, got %v", list)
	}
	w.mu.Lock()
	delete(w.ports, res.HostName)
	w.mu.Unlock()
	if list := e.Portless(); len(list) != 1 || list[0].ContainerID != "c1" {
		t.Errorf("want c1, got %v", list)
	}
	if done, err := e.Forsake(t.Context(), "c1", "eth0", "x", false); done || err != nil || len(w.endpoints) != 1 {
		t.Errorf("interface in a container's namespace: want it left, got %v, %v, %s", done, err, w)
	}
	w.mu.Lock()
	delete(w.links, res.HostName)
	w.mu.Unlock()
	if done, err := e.Forsake(t.Context(), "c1", "eth0", "x", false); !done || err != nil || w.String() != nothing {
		t.Errorf("no interface: want it gone, got %v, %v, %s", done, err, w)
	}
}
