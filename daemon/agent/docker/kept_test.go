// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/dockerd"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// counter is a netmaster that counts requests about Docker networks. It does not answer where away is set.
type counter struct {
	Master
	asked []string
	away  error
}

func (c *counter) note(what string) error {
	c.asked = append(c.asked, what)
	return c.away
}

func (c *counter) DockerPool(ctx context.Context, q model.DockerPoolRequest) (out model.DockerPoolResponse, err error) {
	if err := c.note("pool"); err != nil {
		return out, err
	}
	return c.Master.DockerPool(ctx, q)
}

func (c *counter) CreateDockerNetwork(ctx context.Context, q model.DockerNetworkRequest) (out record.DockerNetwork, err error) {
	if err := c.note("create"); err != nil {
		return out, err
	}
	return c.Master.CreateDockerNetwork(ctx, q)
}

func (c *counter) DeleteDockerNetwork(ctx context.Context, q model.DockerNetworkRemoval) error {
	if err := c.note("delete"); err != nil {
		return err
	}
	return c.Master.DeleteDockerNetwork(ctx, q)
}

func (a agent) Segment(id identity.Network, group string) (out record.Network, is bool) {
	a.Catalog.View(func(v *catalog.View) {
		n, g := v.Network(id), v.Group(identity.Group{Tenant: id.Tenant, Name: group})
		if is = n != nil && (group == "" || g != nil && g.Network == id); is {
			out = *n.Record
		}
	})
	return out, is
}

// keeper is the driver of a host whose agent keeps the engine's networks, and has just started.
func (w *world) keeper(host, file string) (*Driver, *counter, *dockerd.Kept) {
	d, c := w.driver(host), &counter{Master: w}
	kept := dockerd.NewKept(dockerd.NewWatcher(nil, slog.New(slog.DiscardHandler)), DefaultName, host, dockerd.KeptFile(file), slog.New(slog.DiscardHandler))
	d.Master, d.Kept, d.Segments = c, kept, agent{w, host}
	return d, c, kept
}

// ended ends an agent: what it knows is saved.
func ended(tb testing.TB, k *dockerd.Kept) {
	tb.Helper()
	ctx, end := context.WithCancel(tb.Context())
	end()
	if err := k.Run(ctx); err != nil {
		tb.Fatal(err)
	}
}

// keeps makes the network of the engine that the agent keeps for a network, or for a group on it.
func keeps(tb testing.TB, d *Driver, docker, subnet, gateway, network, group string, more ...string) error {
	tb.Helper()
	ipam := map[string]string{"tenant": "default", "network": network}
	said := map[string]any{"tenant": "default", "network": network, "encap": "vxlan", "pkt-tag": "7", "io.contiv.managed": "true"}
	if group != "" {
		ipam["group"], said["group"] = group, group
	}
	for _, m := range more {
		name, value, _ := strings.Cut(m, "=")
		said[name] = value
	}
	var p requestPoolResponse
	if err := call(tb, d, "IpamDriver.RequestPool", requestPoolRequest{AddressSpace: addressSpace, Pool: subnet, Options: ipam}, &p); err != nil {
		return err
	}
	var a requestAddressResponse
	if err := call(tb, d, "IpamDriver.RequestAddress", requestAddressRequest{PoolID: p.PoolID, Address: gateway, Options: map[string]string{keyAddressType: typeGateway}}, &a); err != nil {
		return err
	}
	return call(tb, d, "NetworkDriver.CreateNetwork", networkRequest{NetworkID: docker, Options: map[string]any{keyGeneric: said},
		IPv4Data: []ipamData{{AddressSpace: addressSpace, Pool: p.Pool, Gateway: a.Address}}}, &empty{})
}

// starts has a container on a network of the engine.
func starts(tb testing.TB, d *Driver, docker, endpoint, pool string) error {
	tb.Helper()
	var a requestAddressResponse
	if err := call(tb, d, "IpamDriver.RequestAddress", requestAddressRequest{PoolID: pool}, &a); err != nil {
		return err
	}
	q := endpointRequest{NetworkID: docker, EndpointID: endpoint, Interface: &endpointInterface{Address: a.Address}}
	if err := call(tb, d, "NetworkDriver.CreateEndpoint", q, &createEndpointResponse{}); err != nil {
		return err
	}
	return call(tb, d, "NetworkDriver.Join", q, &joinResponse{})
}

func (w *world) records() (out []string) {
	w.Catalog.View(func(v *catalog.View) {
		for _, d := range v.DockerNetworks() {
			out = append(out, d.ID)
		}
	})
	return out
}

// Networks that the agent keeps come and go without a netmaster, also while there is none. Containers run on them before and after the agent starts again, and hold the
// network of the cluster. An agent of an earlier build beside it has its records, which go with the network.
func TestKeptNetworks(t *testing.T) {
	w := newWorld(t, "network blue encap=vxlan subnet=10.1.1.0/24 gateway=10.1.1.254", "network bare encap=vxlan subnet=10.2.1.0/24", "group web networkName=blue")
	file := filepath.Join(t.TempDir(), "networks")
	d, master, kept := w.keeper("h1", file)
	for _, err := range []error{keeps(t, d, "n1", "10.1.1.0/24", "10.1.1.254", "blue", ""), keeps(t, d, "n2", "10.1.1.0/24", "10.1.1.254", "blue", "web"),
		starts(t, d, "n2", "e1", "default:blue:web|10.1.1.0/24")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if e := w.attached["e1"].Endpoint; e.Group.Name != "web" || e.DockerNetwork != "n2" {
		t.Errorf("want an endpoint of group web by Docker network n2, got %+v", e)
	}
	ended(t, kept)
	d, again, kept := w.keeper("h1", file)
	if err := starts(t, d, "n1", "e2", "default:blue:|10.1.1.0/24"); err != nil {
		t.Errorf("after a restart of the agent: %v", err)
	}
	if _, err := w.Do("rm network blue"); err == nil {
		t.Error("a network with containers was deleted")
	}
	again.away = model.Errorf(model.CodeUnavailable, "", "no netmaster answers")
	d.outage.failed(again.away)
	for _, err := range []error{keeps(t, d, "n3", "10.2.1.0/24", "", "bare", ""), call(t, d, "NetworkDriver.DeleteNetwork", networkID{"n3"}, &empty{})} {
		if err != nil {
			t.Errorf("without a netmaster: %v", err)
		}
	}
	if _, is := kept.Find("n3"); is || len(master.asked)+len(again.asked) != 0 || len(w.records()) != 0 {
		t.Errorf("want netmaster not asked, got %q, %q; records %q, n3 still there %v", master.asked, again.asked, w.records(), is)
	}

	d.outage.over()
	old := w.driver("h2") // of an earlier build
	if err := keeps(t, old, "n4", "10.1.1.0/24", "10.1.1.254", "blue", "web"); err != nil {
		t.Fatal(err)
	}
	if err := starts(t, old, "n4", "e3", "default:blue:web|10.1.1.0/24"); err != nil || len(w.records()) != 1 {
		t.Errorf("an agent of an earlier build: %v, records %q", err, w.records())
	}
	for _, on := range []struct {
		driver *Driver
		id     string
	}{{d, "e1"}, {d, "e2"}, {old, "e3"}} {
		if err := call(t, on.driver, "NetworkDriver.DeleteEndpoint", endpointRequest{EndpointID: on.id}, &empty{}); err != nil {
			t.Error(err)
		}
	}
	w.Must(t, "rm group web", "rm network blue")
	if left := w.records(); len(left) != 0 {
		t.Errorf("records that stand for nothing: %q", left)
	}
	if err := starts(t, d, "n1", "e4", "default:blue:|10.1.1.0/24"); err == nil {
		t.Error("a container started on a network that the cluster has not any more")
	}
}

// The option of the agent's networks gets its user nothing: what it names must be the cluster's, and the same as the pool. Networks of users go to netmaster.
func TestKeptClaims(t *testing.T) {
	w := newWorld(t, "network blue encap=vxlan subnet=10.1.1.0/24 gateway=10.1.1.254", "network bare encap=vxlan subnet=10.2.1.0/24", "group web networkName=blue")
	for _, row := range []struct {
		name, network, group string
		more                 []string
		want                 string
	}{
		{"as the agent", "blue", "", nil, ""},
		{"a network that is not there", "blue", "", []string{"network=none"}, "Options.io.contiv.managed: the agent does not keep a Docker network for network default:none (leave -o io.contiv.managed out"},
		{"a tenant that is not there", "blue", "", []string{"tenant=none"}, "for network none:blue"},
		{"no tenant", "blue", "", []string{"tenant="}, "leave -o io.contiv.managed out"},
		{"a group that is not there", "blue", "", []string{"group=none"}, "for group none on network default:blue"},
		{"a group that is elsewhere", "bare", "", []string{"group=web"}, "for group web on network default:bare"},
		{"a tag", "blue", "", []string{"contiv-tag=web.default"}, "leave -o io.contiv.managed out"},
		{"another network than the pool's", "blue", "", []string{"network=bare"}, "Pools: subnet 10.1.1.0/24 is not the one of network default:bare"},
		{"another group than the pool's", "blue", "web", []string{"group="}, "the options of the driver say pool default:blue:|10.1.1.0/24, those of IPAM default:blue:web|10.1.1.0/24"},
		{"a network of a user", "blue", "", []string{"io.contiv.managed=false"}, "netmaster"},
	} {
		t.Run(row.name, func(t *testing.T) {
			subnet, gateway := "10.1.1.0/24", "10.1.1.254"
			if row.network == "bare" {
				subnet, gateway = "10.2.1.0/24", ""
			}
			d, master, kept := w.keeper("h1", "")
			master.away = model.Errorf(model.CodeConflict, "", "netmaster was asked")
			err := keeps(t, d, "n1", subnet, gateway, row.network, row.group, row.more...)
			if _, is := kept.Find("n1"); (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) || is != (err == nil) {
				t.Errorf("want %q, got %v, kept %v", row.want, err, is)
			}
		})
	}
}

// The store hears nothing of the networks of the agents' engines, however many: docs/explanation/scale.md has the figures.
func TestKeptNetworksCost(t *testing.T) {
	const networks, groups = 30, 200
	var lines []string
	for i := range networks {
		lines = append(lines, fmt.Sprintf("network n%d encap=vxlan subnet=10.1.%d.0/24 gateway=10.1.%d.254", i, i, i))
	}
	for i := range groups {
		lines = append(lines, fmt.Sprintf("group g%d networkName=n%d", i, i%networks))
	}
	w := newWorld(t, lines...)
	for _, row := range []struct {
		name          string
		driver        func(host string) *Driver
		commits, keys uint64
	}{
		{"an earlier build", w.driver, 2 * (networks + groups), 2 * (networks + groups)},
		{"this one", func(host string) *Driver { d, _, _ := w.keeper(host, ""); return d }, 0, 0},
	} {
		w.now = w.now.Add(time.Hour) // pools of before are forgotten
		began, had := uint64(w.Catalog.Revision()), len(w.records())
		for _, host := range []string{"h1", "h2"} {
			d := row.driver(host)
			for i := range networks + groups {
				network, group := i, ""
				if i >= networks {
					network, group = (i-networks)%networks, fmt.Sprintf("g%d", i-networks)
				}
				subnet, gateway := fmt.Sprintf("10.1.%d.0/24", network), fmt.Sprintf("10.1.%d.254", network)
				if err := keeps(t, d, fmt.Sprint(row.name, host, i), subnet, gateway, fmt.Sprintf("n%d", network), group); err != nil {
					t.Fatal(err)
				}
			}
		}
		commits, keys := uint64(w.Catalog.Revision())-began, uint64(len(w.records())-had)
		t.Logf("%s: %d networks and groups of 2 hosts: %d commits, %d keys", row.name, networks+groups, commits, keys)
		if commits != row.commits || keys != row.keys {
			t.Errorf("%s: want %d commits and %d keys, got %d and %d", row.name, row.commits, row.keys, commits, keys)
		}
	}
}
