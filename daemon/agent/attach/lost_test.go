// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/agent/registration"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// later returns an agent that starts in the world of a previous one.
func later(w *world) (*Engine, *lost) {
	e := w.engine()
	l := e.LostPorts().(*lost)
	l.grace = 0
	return e, l
}

func whats(t *testing.T, l *lost) (out []string) {
	t.Helper()
	list, err := l.Differences()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		out = append(out, d.Owner+" "+d.Text())
	}
	return out
}

// A port that was removed while no agent ran is recreated as before; so is a port that lost its external ids.
func TestLostPortsComeBack(t *testing.T) {
	for _, ifname := range []string{"eth0", "net1"} {
		for what, damage := range map[string]func(w *world, name string){
			"port": func(w *world, name string) { delete(w.ports, name) },
			"external ids": func(w *world, name string) {
				w.ports[name] = ovsdb.Port{Name: name, OFPort: 1, Requested: 1}
			},
		} {
			t.Run(what+" of "+ifname, func(t *testing.T) {
				w := newWorld()
				r := request(t)
				r.IfName = ifname
				res, err := w.engine().Attach(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				was := maps.Clone(w.ports[res.HostName].ExternalIDs)
				damage(w, res.HostName)
				w.flows = map[string]uint32{}
				e, l := later(w)
				if err := e.Sweep(t.Context()); err != nil {
					t.Fatal(err)
				}
				if len(w.links) != 1 {
					t.Fatal("the sweep has taken the container's interface")
				}
				id := res.Endpoint.ID.String()
				if got, want := whats(t, l), []string{"endpoint/" + id + " removed: port " + res.HostName}; !slices.Equal(got, want) {
					t.Errorf("differences: want %q, got %q", want, got)
				}
				if err := l.Repair(t.Context(), id); err != nil {
					t.Fatal(err)
				}
				if got := w.ports[res.HostName]; !maps.Equal(got.ExternalIDs, was) || w.flows[id] != got.OFPort || got.OFPort == 0 {
					t.Errorf("port: want external ids %v and flows for it, got %+v, flows %v", was, got, w.flows)
				}
				if got := whats(t, l); len(got) != 0 {
					t.Errorf("after the repair: want no difference, got %q", got)
				}
				if err := e.Detach(t.Context(), r.ContainerID, ifname); err != nil {
					t.Fatal(err)
				}
				if got := w.String(); got != nothing {
					t.Errorf("detached: want %s, got %s", nothing, got)
				}
			})
		}
	}
}

// An ADD that is repeated while the bridge is missing fails and leaves the container attached: with its endpoint, its interface, and its
// port as soon as there is a bridge.
func TestRepeatedWithoutBridge(t *testing.T) {
	for _, step := range []string{"create", "addport", "configure", "flows"} {
		t.Run(step, func(t *testing.T) {
			w := newWorld()
			e, l := later(w)
			r := request(t)
			res, err := e.Attach(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			delete(w.ports, res.HostName)
			w.fail[step] = errBroken
			if _, err := e.Attach(t.Context(), r); !errors.Is(err, errBroken) {
				t.Fatalf("want the failure of %s, got %v", step, err)
			}
			if len(w.endpoints) != 1 || len(w.links) != 1 {
				t.Fatalf("want endpoint and interface as they were, got %s", w)
			}
			delete(w.fail, step)
			if err := l.Repair(t.Context(), res.Endpoint.ID.String()); err != nil {
				t.Fatal(err)
			}
			if got := w.String(); got != complete {
				t.Errorf("with a bridge: want %s, got %s", complete, got)
			}
		})
	}
}

// An endpoint without a port and an interface on this host is released with the reason; an endpoint whose interface cannot be read is left.
func TestLostEndpoints(t *testing.T) {
	w := newWorld()
	first := w.engine()
	res, err := first.Attach(t.Context(), request(t))
	if err != nil {
		t.Fatal(err)
	}
	id, name := res.Endpoint.ID.String(), res.HostName
	delete(w.ports, name)
	pair := w.links[name]
	w.links[name] = link.Pair{Host: name}
	e, l := later(w)
	if got := whats(t, l); len(got) != 1 || !strings.Contains(got[0], "have the runtime detach and attach") {
		t.Errorf("an interface without a tag: want what to do, got %q", got)
	}
	if err := l.Repair(t.Context(), id); err != nil || len(w.ports) != 0 || len(w.endpoints) != 1 {
		t.Errorf("an interface without a tag: want nothing done, got %v, %s", err, w)
	}
	delete(w.links, pair.Host)
	l.grace = runtimeTimeout
	if got := whats(t, l); len(got) != 0 {
		t.Errorf("at once: want the runtime left to its work, got %q", got)
	}
	l.grace = 0
	if got := whats(t, l); len(got) != 1 || !strings.Contains(got[0], "the endpoint is released") {
		t.Errorf("nothing is left: want it reported, got %q", got)
	}
	done := e.locks.work(name)
	if got := whats(t, l); len(got) != 0 {
		t.Errorf("while it is being attached: want nothing reported, got %q", got)
	}
	if err := l.Repair(t.Context(), id); err != nil || len(w.endpoints) != 1 {
		t.Errorf("while it is being attached: want it left, got %v, %s", err, w)
	}
	done()
	if got := whats(t, l); len(got) != 1 {
		t.Errorf("nothing is left, and no one is at work: want it reported, got %q", got)
	}
	w.fail["delete "+l.why()] = errBroken
	if err := l.Repair(t.Context(), id); err == nil {
		t.Error("no master: want an error")
	}
	delete(w.fail, "delete "+l.why())
	for range 2 {
		if err := l.Repair(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.String(); got != nothing || w.calls[len(w.calls)-1] != "delete "+l.why() {
		t.Errorf("released: want %s and the reason reported, got %s, %q", nothing, got, w.calls[len(w.calls)-1])
	}
}

// vanished returns an agent that starts on a host where an endpoint has neither port nor interface.
func vanished(t *testing.T) (*world, *Engine, *lost, record.Endpoint) {
	t.Helper()
	w := newWorld()
	res, err := w.engine().Attach(t.Context(), request(t))
	if err != nil {
		t.Fatal(err)
	}
	clear(w.ports)
	clear(w.links)
	e, l := later(w)
	return w, e, l, res.Endpoint
}

// An endpoint of another machine - a clone of this one, or one that had the host's label before - is reported and left. So are all endpoints
// while another machine has the label. Nothing is reported before a netmaster has decided about the label.
func TestLostEndpointsOfOthers(t *testing.T) {
	w, e, l, ep := vanished(t)
	var standing registration.State
	e.Machine, e.Registration = "m2", func() registration.State { return standing }
	id := ep.ID.String()
	for _, row := range []struct {
		machine  string
		standing registration.State
		want     string // the reported reason, "" for nothing
		left     int
	}{
		{"m1", registration.Granted, "another machine has attached it as host h1", 1},
		{"m1", registration.Unknown, "another machine has attached it as host h1", 1},
		{"m2", registration.Refused, "host h1 is another machine's now", 1},
		{"m2", registration.Unknown, "", 1},
		{"m2", registration.Granted, "endpoint is released", 0},
	} {
		ep := w.endpoints[id]
		ep.Machine, standing = row.machine, row.standing
		w.endpoints[id] = ep
		if got := whats(t, l); len(got) > 1 || !strings.Contains(strings.Join(got, ""), row.want) || row.want == "" && len(got) > 0 {
			t.Errorf("of %s, standing %d: want %q reported, got %q", row.machine, row.standing, row.want, got)
		}
		if err := l.Repair(t.Context(), id); err != nil || len(w.endpoints) != row.left {
			t.Errorf("of %s, standing %d: want %d endpoints left, got %v, %s", row.machine, row.standing, row.left, err, w)
		}
	}
	if got := w.calls[len(w.calls)-1]; !strings.Contains(got, "host h1, says machine m2") {
		t.Errorf("the reason: want who says so, got %q", got)
	}
}

// An endpoint whose label is granted between a check and the repair is released only after it has been reported and left to the runtime for
// a while.
func TestReleasedIsTold(t *testing.T) {
	w, e, l, ep := vanished(t)
	standing := registration.Refused
	e.Machine, e.Registration = ep.Machine, func() registration.State { return standing }
	id := ep.ID.String()
	if got := whats(t, l); len(got) != 1 || strings.Contains(got[0], "released") {
		t.Fatalf("refused: want it reported as another's, got %q", got)
	}
	standing = registration.Granted
	if err := l.Repair(t.Context(), id); err != nil || len(w.endpoints) != 1 {
		t.Errorf("granted after the look: want it left, got %v, %s", err, w)
	}
	if got := whats(t, l); len(got) != 1 || !strings.Contains(got[0], "released") {
		t.Errorf("granted: want it reported, got %q", got)
	}
	if err := l.Repair(t.Context(), id); err != nil || len(w.endpoints) != 0 {
		t.Errorf("after the report: want it released, got %v, %s", err, w)
	}
}

// An endpoint that this process has removed may stay in the store's records for a while, and is not reported as lost.
func TestDetachedIsNotLost(t *testing.T) {
	w := newWorld()
	e, l := later(w)
	res, err := e.Attach(t.Context(), request(t))
	if err != nil {
		t.Fatal(err)
	}
	ep := res.Endpoint
	if err := e.Detach(t.Context(), "c1", "eth0"); err != nil {
		t.Fatal(err)
	}
	w.endpoints[ep.ID.String()] = ep // the watch is behind
	if got := whats(t, l); len(got) != 0 {
		t.Errorf("just detached: want nothing, got %q", got)
	}
	// The host's own endpoint in an infra network belongs to no container.
	host := ep
	host.ID, host.ContainerID = identity.Endpoint{Network: identity.Network{Tenant: "default", Name: "contivh1"}, Endpoint: "h1"}, ""
	w.endpoints = map[string]record.Endpoint{host.ID.String(): host}
	if got := whats(t, l); len(got) != 0 {
		t.Errorf("an infra network's: want nothing, got %q", got)
	}
}

func FuzzReadTag(f *testing.F) {
	for _, s := range []string{"", "contiv netns=/n owner=cni/x", "contiv netns= owner=", "contiv netns= owner=docker/x", "contiv netns=/a owner=b owner=c", "eth0 of another program"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := readTag(s)
		if ok && got == (tag{}) {
			t.Errorf("%q: want a namespace or an owner, got %+v", s, got)
		}
		if text := got.String(); ok && text != s && text != "" {
			t.Errorf("%q: want the same written, got %q", s, text)
		}
	})
}
