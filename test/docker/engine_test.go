// SPDX-License-Identifier: Apache-2.0

package docker_test

import (
	"context"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/agent/desired"
	"github.com/contiv/contiv/daemon/agent/dockerd"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/lab"
)

// segments are the networks and groups that an agent knows of.
type segments struct {
	mu      sync.Mutex
	known   desired.Segments
	changed chan struct{}
}

func (c *segments) Segments() desired.Segments {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known
}

func (c *segments) DockerNetworks() []record.DockerNetwork { return nil }

func (c *segments) Changed() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}

func (c *segments) set(s desired.Segments) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = s
	close(c.changed)
	c.changed = make(chan struct{})
}

// eventually waits until is says that it is so.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !is(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after 30 s: want %s", what)
		}
	}
}

func netOf(tenant, name, subnet, gateway string) record.Network {
	n := record.Network{ID: identity.Network{Tenant: tenant, Name: name}, Kind: record.DataNetwork, Encap: record.VXLAN, PktTag: 1, ExtPktTag: 10001,
		Subnet: netip.MustParsePrefix(subnet)}
	if gateway != "" {
		n.Gateway = netip.MustParseAddr(gateway)
	}
	return n
}

// The agent's knowledge of a real engine, and its networks there, with a driver that does nothing else.
func TestEngineSide(t *testing.T) {
	l := up(t, lab.Plan{Name: "dkside", Hosts: 1, Bare: true, DockerFlags: []string{"--live-restore"}})
	serveStub(t, l, "h1", "netplugin")
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	socket := inside(t, l, "h1", "/run/docker.sock")
	w := dockerd.NewWatcher(func() (dockerd.Engine, error) { return dockerd.Dial(socket) }, log)
	six := netOf("blue", "six", "10.6.0.0/24", "")
	six.Subnet6, six.Gateway6 = netip.MustParsePrefix("fd06::/64"), netip.MustParseAddr("fd06::1")
	all := desired.Segments{Networks: []record.Network{netOf("default", "net", "10.5.0.0/24", "10.5.0.254"), six},
		Groups: []record.Group{{ID: identity.Group{Tenant: "default", Name: "web"}, Network: identity.Network{Tenant: "default", Name: "net"}}}}
	c := &segments{known: all, changed: make(chan struct{})}
	k := dockerd.NewNetworkSyncer(w, c, "netplugin", log)
	ctx, end := context.WithCancel(context.Background())
	var tasks sync.WaitGroup
	for _, run := range []func(context.Context) error{w.Run, k.Run} {
		tasks.Go(func() { _ = run(ctx) })
	}
	t.Cleanup(func() { end(); tasks.Wait() })
	networks := func() []string {
		return strings.Fields(docker(t, l, "h1", "network", "ls", "--filter", "driver=netplugin", "--format", "{{.Name}}"))
	}
	have := func(names ...string) func() bool {
		return func() bool { got := networks(); slices.Sort(got); return slices.Equal(got, names) }
	}
	eventually(t, "the cluster's networks", have("net", "six/blue", "web"))
	if got := docker(t, l, "h1", "network", "inspect", "-f", "{{json .IPAM.Options}} {{.Options.encap}} {{index .Options \"pkt-tag\"}} {{json .Labels}} {{json .IPAM.Config}}", "web"); got !=
		`{"group":"web","network":"net","tenant":"default"} vxlan 10001 {"io.contiv.managed":"true"} [{"Subnet":"10.5.0.0/24","Gateway":"10.5.0.254"}]` {
		t.Errorf("network web: %s", got)
	}
	docker(t, l, "h1", "run", "-d", "--name", "web1", "--network", "net", "--network-alias", "api", "--label", "app=web", lab.Image)
	id := docker(t, l, "h1", "inspect", "-f", "{{.Id}}", "web1")
	knows := func(name string) func() bool {
		return func() bool {
			s := w.State()
			c := s.Containers[id]
			return s.Complete && c.Name == name && c.Labels["app"] == "web" && len(c.Interfaces) == 1 && slices.Contains(c.Interfaces[0].Aliases, "api")
		}
	}
	eventually(t, "the container with its label and alias", knows("web1"))
	docker(t, l, "h1", "rename", "web1", "web2")
	eventually(t, "its new name", knows("web2"))
	docker(t, l, "h1", "network", "connect", "six/blue", "web2")
	eventually(t, "a second interface", func() bool { return len(w.State().Containers[id].Interfaces) == 2 })
	docker(t, l, "h1", "network", "disconnect", "six/blue", "web2")
	eventually(t, "one interface", knows("web2"))
	endpoint := w.State().Containers[id].Interfaces[0].Endpoint

	if err := l.Kill("h1", lab.PartDocker); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the engine away, and the container as it was", func() bool {
		s := w.State()
		return !s.Here && s.Why != "" && len(s.Containers) == 1 && dockerd.Status(w, k).Containers == nil
	})
	if err := l.Start(t.Context(), "h1", lab.PartDocker); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the engine and its container again", knows("web2"))
	e, _ := w.Engine()
	if got, err := e.Endpoints(t.Context(), "netplugin"); err != nil || len(got) != 1 {
		t.Errorf("endpoints: want %s, got %v, %v", endpoint, got, err)
	} else if _, ok := got[endpoint]; !ok {
		t.Errorf("endpoints: want %s, got %v", endpoint, got)
	}

	changed := all
	changed.Networks = []record.Network{netOf("default", "net", "10.5.0.0/24", "10.5.0.253"), six}
	changed.Groups = nil
	c.set(changed)
	eventually(t, "the group's network gone", have("net", "six/blue"))
	eventually(t, "the network with a container reported", func() bool {
		p := dockerd.Status(w, k).Problems
		return len(p) == 1 && p[0].Network == "net" && strings.Contains(p[0].Problem, "10.5.0.253")
	})
	docker(t, l, "h1", "rm", "-f", "web2")
	eventually(t, "the network recreated", func() bool {
		got := docker(t, l, "h1", "network", "ls", "-q", "--filter", "name=net", "--filter", "driver=netplugin")
		return got != "" && len(dockerd.Status(w, k).Problems) == 0 &&
			docker(t, l, "h1", "network", "inspect", "-f", "{{(index .IPAM.Config 0).Gateway}}", "net") == "10.5.0.253"
	})
	eventually(t, "no container", func() bool { s := w.State(); return s.Complete && len(s.Containers) == 0 })
	c.set(desired.Segments{})
	eventually(t, "no network", have())
}
