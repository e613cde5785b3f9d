// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"errors"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

func handed() Request {
	return Request{ContainerID: "c1", IfName: "eth0", Handed: true, Tenant: "default", Network: "net", Owner: "docker/n1"}
}

// The container's end of a pair that a runtime takes stays on the host, and is the runtime's to configure. No failure leaves anything, and
// a repeat completes what an agent that died has left.
func TestHanded(t *testing.T) {
	for _, step := range []string{"create", "veth", "addport", "waitport", "flows"} {
		t.Run(step, func(t *testing.T) {
			w := newWorld()
			e := w.engine()
			w.fail["configure"], w.fail["check"] = errBroken, errBroken // no one calls these
			w.fail[step] = errBroken
			if _, err := e.Attach(t.Context(), handed()); !errors.Is(err, errBroken) || w.String() != nothing {
				t.Fatalf("want the failure of %s and %s, got %v and %s", step, nothing, err, w)
			}
			delete(w.fail, step)
			for range 2 {
				res, err := e.Attach(t.Context(), handed())
				if name := link.Name("default:net:c1", 0); err != nil || res.FarName != link.FarName(name) || w.links[name].IfName != res.FarName || !w.links[name].Stays {
					t.Fatalf("got %+v, %v of %+v", res, err, w.links)
				}
				e = w.engine() // the agent has died
			}
			found, err := e.Find(t.Context(), "c1", "eth0")
			if err != nil || found.FarName != link.FarName(found.HostName) || found.Owner != "docker/n1" {
				t.Errorf("found: %+v, %v", found, err)
			}
			if err := e.Detach(t.Context(), "c1", "eth0"); err != nil || w.String() != nothing {
				t.Errorf("after the detach: want %s, got %v and %s", nothing, err, w)
			}
			if _, err := e.Find(t.Context(), "c1", "eth0"); !errors.Is(err, ErrUnknown) {
				t.Errorf("found what is gone: %v", err)
			}
		})
	}
}

// Nothing on the host shows whether a container lives whose end a runtime has moved: the list has the time of its attachment for the code
// that talks to the runtime.
func TestSweepLeavesHanded(t *testing.T) {
	w := newWorld()
	e := w.engine()
	res, err := e.Attach(t.Context(), handed())
	if err != nil {
		t.Fatal(err)
	}
	listed := e.List()
	if len(listed) != 1 || listed[0].Owner != "docker/n1" || listed[0].Netns != "" || time.Since(listed[0].Since) > time.Minute {
		t.Errorf("listed: %+v", listed)
	}
	p := w.ports[res.HostName]
	p.ExternalIDs[ovsdb.IDSince] = "2030-01-02T03:04:05Z"
	if _, err := e.Attach(t.Context(), handed()); err != nil || e.List()[0].Since.Year() != 2030 {
		t.Errorf("attached again: %v, %+v", err, e.List())
	}
	w.ScheduleDelete(res.HostName) // as when the container's namespace has ended
	if err := e.Sweep(t.Context()); err != nil || len(e.List()) != 1 {
		t.Errorf("after a sweep: %v, %+v", err, e.List())
	}
	if got, err := e.CutOff().Differences(); err != nil || len(got) != 1 {
		t.Errorf("reported a port without an interface: %v, %v", got, err)
	}
}

// The port of such a container comes back with whose it is.
func TestLostHanded(t *testing.T) {
	w := newWorld()
	e := w.engine()
	res, err := e.Attach(t.Context(), handed())
	if err != nil {
		t.Fatal(err)
	}
	delete(w.ports, res.HostName)
	_, l := later(w)
	if got := whats(t, l); len(got) != 1 {
		t.Errorf("differences: %q", got)
	}
	if err := l.Repair(t.Context(), "default:net:c1"); err != nil || len(e.List()) != 1 || e.List()[0].Owner != "docker/n1" || e.List()[0].Since.IsZero() {
		t.Errorf("repaired: %v, %+v", err, e.List())
	}
}
