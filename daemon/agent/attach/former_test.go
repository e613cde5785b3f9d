// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"fmt"
	"maps"
	"os"
	"testing"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// Ports of an earlier build get the identities of their endpoints, and nothing else of them changes; ports of this build, the host's fixed
// ones and those of others stay.
func TestRename(t *testing.T) {
	w := newWorld()
	port := func(name, endpoint, tenant, network string, more ...string) {
		ids := map[string]string{}
		for i, key := range []string{ovsdb.IDEndpoint, ovsdb.IDTenant, ovsdb.IDNetwork} {
			if value := []string{endpoint, tenant, network}[i]; value != "" {
				ids[key] = value
			}
		}
		for i := 0; i < len(more); i += 2 {
			ids[more[i]] = more[i+1]
		}
		w.ports[name] = ovsdb.Port{Name: name, OFPort: uint32(1 + len(w.ports)), ExternalIDs: ids}
	}
	port("container", "n.t-c", "t", "n", ovsdb.IDContainer, "c", ovsdb.IDOwner, "cni/x", "mine", "yes")
	port("interface", "a.b.c-x-net1", "c", "a.b", ovsdb.IDContainer, "x", ovsdb.IDIfName, "net1")
	port("contivh1", "contivh1.default-h1", "default", "contivh1", ovsdb.IDOwner, "host")
	port("now", "t:n:d", "t", "n", ovsdb.IDContainer, "d")
	port("fixed", ovsdb.FixedPort, "", "")
	port("foreign", "n.t-c", "", "")
	port("another", "n.t-c", "other", "n")
	want := map[string]map[string]string{}
	for name, p := range w.ports {
		want[name] = maps.Clone(p.ExternalIDs)
	}
	want["container"][ovsdb.IDEndpoint] = "t:n:c"
	want["interface"][ovsdb.IDEndpoint] = "c:a.b:x-net1"
	want["contivh1"][ovsdb.IDEndpoint] = "default:contivh1:h1"
	e := w.engine()
	for range 2 { // again changes nothing
		if err := e.Rename(t.Context()); err != nil {
			t.Fatal(err)
		}
		for name, ids := range want {
			if got := w.ports[name].ExternalIDs; !maps.Equal(got, ids) {
				t.Errorf("%s: want %v, got %v", name, ids, got)
			}
		}
	}
	if e.Restore(); w.flows["t:n:c"] != w.ports["container"].OFPort || w.flows["n.t-c"] == w.ports["container"].OFPort {
		t.Errorf("flows: want only them for the endpoint by its new name, got %v", w.flows)
	}
	w.fail["relabel"] = errBroken
	if err := e.Rename(t.Context()); err == nil {
		t.Error("a switch that refuses: want its error")
	}
}

// former makes of what this build has attached what an earlier one would have left: the interface is named by another id, and so is the
// port.
func (w *world) former(r *record.Endpoint) (name string) {
	was, id := link.Name(r.ID.String(), 0), record.LegacyID(r.ID)
	name = link.Name(id, 0)
	pair, p := w.links[was], w.ports[was]
	delete(w.links, was)
	delete(w.ports, was)
	pair.Host, p.Name, p.ExternalIDs[ovsdb.IDEndpoint] = name, name, id
	w.links[name], w.ports[name] = pair, p
	w.flows = map[string]uint32{}
	return name
}

// What an earlier build has attached is attached: attaching it again finds it, and detaching it leaves nothing.
func TestFormerAttachment(t *testing.T) {
	w, r := newWorld(), request(t)
	res, err := w.engine().Attach(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	name := w.former(&res.Endpoint)
	e := w.engine()
	if err := e.Rename(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.Restore()
	again, err := e.Attach(t.Context(), r)
	if err != nil || again.HostName != name || w.String() != complete || again.OFPort != res.OFPort {
		t.Errorf("attached again: want the same at %s, got %+v, %v, %s", name, again, err, w)
	}
	if err := e.Detach(t.Context(), r.ContainerID, r.IfName); err != nil || w.String() != nothing {
		t.Errorf("detached: want %s, got %s, %v", nothing, w, err)
	}
}

// A container whose port is gone has its interface still, whichever build named that: the sweep leaves it, and the port is recreated.
func TestLostPortOfAFormerName(t *testing.T) {
	w, r := newWorld(), request(t)
	if err := os.WriteFile(r.Netns, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	res, err := w.engine().Attach(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	name := w.former(&res.Endpoint)
	delete(w.ports, name)
	e, l := later(w)
	if err := e.Sweep(t.Context()); err != nil || len(w.links) != 1 {
		t.Fatalf("sweep: want the container's interface left, got %v, %v", w.links, err)
	}
	id := res.Endpoint.ID.String()
	if got := whats(t, l); len(got) != 1 || got[0] != "endpoint/"+id+" removed: port "+name {
		t.Errorf("want port %s missed, got %q", name, got)
	}
	if err := l.Repair(t.Context(), id); err != nil || w.ports[name].ExternalIDs[ovsdb.IDEndpoint] != id || w.String() != complete {
		t.Errorf("repaired: want port %s of %s, got %v, %v, %s", name, id, w.ports, err, w)
	}
	w.endpoints = map[string]record.Endpoint{}
	delete(w.ports, name)
	if err := e.Sweep(t.Context()); err != nil || len(w.links) != 0 {
		t.Errorf("sweep of one whose endpoint is gone: want its interface gone, got %v, %v", w.links, err)
	}
}

// Endpoints that an earlier build could not distinguish are attached side by side, and found and removed individually.
func TestEndpointsThatReadAlike(t *testing.T) {
	type place struct{ tenant, network, container string }
	for name, both := range map[string][2]place{
		"networks":   {{"c", "a.b", "x"}, {"b.c", "a", "x"}},
		"containers": {{"t", "n", "x-y"}, {"t-x", "n", "y"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			e := w.engine()
			var ids [2]identity.Endpoint
			for i, p := range both {
				r := request(t)
				r.Tenant, r.Network, r.ContainerID = p.tenant, p.network, p.container
				ids[i] = r.identity()
				for range 2 { // again changes nothing
					res, err := e.Attach(t.Context(), r)
					if err != nil || res.Endpoint.ID != ids[i] {
						t.Fatalf("%s: want it attached, got %v, %v", ids[i], res.Endpoint.ID, err)
					}
				}
			}
			if record.LegacyID(ids[0]) != record.LegacyID(ids[1]) || ids[0] == ids[1] {
				t.Fatalf("want endpoints that read alike, got %s and %s", ids[0], ids[1])
			}
			const two = "endpoints 2, ports 2, links 2, flows 2"
			if got := w.String(); got != two || w.flows[ids[0].String()] == w.flows[ids[1].String()] {
				t.Errorf("want %s, each at its own port, got %s, %v", two, got, w.flows)
			}
			if err := e.Reclaim(t.Context(), ids[0].String()); err != nil || fmt.Sprint(len(w.ports), len(w.links), len(w.flows)) != "1 1 1" || w.flows[ids[1].String()] == 0 {
				t.Errorf("after one is reclaimed: want the other whole, got %s, %v, %v", w, w.flows, err)
			}
		})
	}
}
