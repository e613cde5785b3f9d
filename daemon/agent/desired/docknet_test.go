// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"errors"
	"testing"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// An agent knows the Docker networks of its host and of the swarm, at once, and not those of other hosts.
func TestDockerNetworks(t *testing.T) {
	blue := identity.Network{Tenant: "default", Name: "blue"}
	w := start(t, record.DockerNetwork{ID: "own", Network: blue, Host: "h1"}, record.DockerNetwork{ID: "other", Network: blue, Host: "h2"})
	w.put(record.DockerNetwork{ID: "swarm", Network: blue, Group: "web"}) // the watch reports it later, the store at once
	for id, known := range map[string]bool{"own": true, "swarm": true, "other": false, "none": false} {
		d, err := w.e.DockerNetwork(t.Context(), id)
		if known && (err != nil || d.ID != id || d.Network != blue) || !known && !errors.Is(err, ErrNoDockerNetwork) {
			t.Errorf("%s: want it known %v, got %+v, %v", id, known, d, err)
		}
	}
	for ids := ""; ids != "own swarm "; {
		changed := w.e.Changed()
		ids = ""
		for _, d := range w.e.DockerNetworks() {
			ids += d.ID + " "
		}
		if ids == "own swarm " {
			break
		}
		select {
		case <-changed:
		case <-w.ctx.Done():
			t.Fatalf("known are %s", ids)
		}
	}
}

// A segment is what containers can be attached to: a network for them, or a group on it.
func TestSegment(t *testing.T) {
	blue, hosts := network("blue", "default", 100), network("hosts", "default", 200)
	hosts.Kind = record.InfraNetwork
	web, out := group("web", "default", 1), group("out", "default", 2)
	web.Network, out.Network = blue.ID, hosts.ID
	w := start(t, blue, hosts, web, out)
	for _, row := range []struct {
		network, group string
		want           bool
	}{
		{"blue", "", true}, {"blue", "web", true}, {"blue", "out", false}, {"blue", "none", false}, {"hosts", "", false}, {"hosts", "out", false}, {"none", "", false}, {"", "", false},
	} {
		n, is := w.e.Segment(identity.Network{Tenant: "default", Name: row.network}, row.group)
		if is != row.want || is && n.ID.Name != row.network {
			t.Errorf("%s, group %q: want %v, got %v, %+v", row.network, row.group, row.want, is, n.ID)
		}
	}
}
