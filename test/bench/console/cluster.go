// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
)

// sizes is how large the cluster is.
type sizes struct{ hosts, networks, endpoints, rules int }

const (
	tenants   = 20
	keepAlive = 5 * time.Second // netmaster's watch stream says something that often
)

// cluster is a made-up cluster behind the real routes. It takes no changes; endpoints change by themselves.
type cluster struct {
	size     sizes
	objects  map[string][]model.Object
	keys     map[string]model.Object // by kind and key
	churn    int
	revision atomic.Uint64
}

func newCluster(size sizes) *cluster {
	c := &cluster{size: size, objects: map[string][]model.Object{}, keys: map[string]model.Object{}}
	add := func(o model.Object) {
		c.objects[o.Kind().Name] = append(c.objects[o.Kind().Name], o)
		c.keys[o.Kind().Name+" "+o.ObjectKey()] = o
	}
	for i := range tenants {
		add(&model.Tenant{TenantName: tenant(i)})
		add(&model.Policy{TenantName: tenant(i), PolicyName: "in"})
		add(&model.Rule{TenantName: tenant(i), PolicyName: "in", RuleId: "base", Direction: "in", Action: "deny", Priority: 1})
		add(&model.Rule{TenantName: tenant(i), PolicyName: "in", RuleId: "web", Direction: "in", Protocol: "tcp", Port: 8080, Action: "allow", Priority: 10})
	}
	for i := range size.networks {
		add(&model.Network{TenantName: tenant(i), NetworkName: network(i), Encap: "vxlan", NwType: "data", Subnet: fmt.Sprintf("10.%d.%d.0/24", i/256, i%256)})
		add(&model.EndpointGroup{TenantName: tenant(i), NetworkName: network(i), GroupName: group(i), Policies: []string{"in"}})
	}
	for i := range size.rules {
		add(&model.Rule{TenantName: tenant(i), PolicyName: "in", RuleId: fmt.Sprintf("r-%05d", i), Direction: "in", Protocol: "tcp", Port: 1 + i%60000, Action: "allow", Priority: 20})
	}
	c.revision.Store(uint64(size.endpoints))
	return c
}

func tenant(i int) string  { return fmt.Sprintf("tenant-%02d", i%tenants) }
func network(i int) string { return fmt.Sprintf("net-%04d", i) }
func group(i int) string   { return fmt.Sprintf("group-%04d", i) }

// endpoint is the i-th endpoint, as it is in its n-th life.
func (c *cluster) endpoint(i, life int) *model.EndpointOper {
	at := i % c.size.networks
	id := fmt.Sprintf("web-%05d", i)
	host := (i + life) % c.size.hosts
	return &model.EndpointOper{Key: tenant(at) + ":" + network(at) + ":" + id, EndpointID: id, ContainerID: id, ContainerName: "web", Network: network(at) + "." + tenant(at),
		EndpointGroupKey: group(at) + ":" + tenant(at), HomingHost: fmt.Sprintf("host-%04d", host), IpAddress: []string{fmt.Sprintf("10.%d.%d.%d", at/256, at%256, i/c.size.networks+1), ""},
		MacAddress: fmt.Sprintf("02:02:0a:%02x:%02x:%02x", at/256, at%256, i/c.size.networks+1), VtepIP: fmt.Sprintf("192.0.%d.%d", host/256, host%256)}
}

// serve serves the cluster until the process is killed.
func (c *cluster) serve(out io.Writer, churn int) error {
	c.churn = churn
	r := rest.NewRouter(slog.New(slog.DiscardHandler))
	rest.Mount(r, c)
	started := time.Now()
	r.Read("/api/v1/nodes", func(*http.Request, httprouter.Params) (any, error) { return c.nodes(started), nil })
	r.GET("/api/v1/agents/:host/:what", func(w http.ResponseWriter, q *http.Request, p httprouter.Params) {
		if p.ByName("what") != "rules" {
			http.NotFound(w, q)
			return
		}
		r.Answer(w, q, c.rules(time.Since(started)), 0, nil)
	})
	l, err := listen(out)
	if err != nil {
		return err
	}
	return http.Serve(l, r)
}

// nodes is a leader and the agents, all well.
func (c *cluster) nodes(started time.Time) []model.Node {
	since := started.UTC().Format(time.RFC3339)
	out := []model.Node{{Name: "192.0.2.1", Address: "192.0.2.1:9999", Role: model.RoleLeader, Ready: true, Revision: c.revision.Load(), Since: since, Writes: c.revision.Load()}}
	for i := range c.size.hosts {
		out = append(out, model.Node{Name: fmt.Sprintf("host-%04d", i), Address: fmt.Sprintf("192.0.%d.%d:9090", i/256, i%256), Role: model.RoleAgent, Version: "bench", Ready: true,
			Revision: c.revision.Load(), Flows: 40 * c.size.endpoints / c.size.hosts, Ports: c.size.endpoints / c.size.hosts, VTEP: fmt.Sprintf("192.0.%d.%d", i/256, i%256), Since: since})
	}
	return out
}

// rules is how rules fare on every host: a tenth of them decide about more packets as time passes.
func (c *cluster) rules(up time.Duration) (out []model.RuleStatus) {
	for i, o := range c.objects[model.KindRule().Name] {
		r := model.RuleStatus{Rule: o.ObjectKey(), Record: o.ObjectKey(), Direction: "in", Phase: "done"}
		if i%10 == 0 {
			r.Packets = uint64(up.Milliseconds()) * uint64(i)
		}
		out = append(out, r)
	}
	return out
}

// List is all objects of a kind, whatever is asked: the console lists nothing.
func (c *cluster) List(_ context.Context, k *model.Kind, _ rest.Query) (p rest.Page, err error) {
	p.Items, err = c.items(k)
	return p, err
}

func (c *cluster) items(k *model.Kind) (out []json.RawMessage, err error) {
	add := func(v any) {
		text, failed := json.Marshal(v)
		if failed != nil {
			err = failed
		}
		out = append(out, text)
	}
	for _, o := range c.objects[k.Name] {
		add(o)
	}
	for i := 0; k == model.KindEndpoint() && i < c.size.endpoints; i++ {
		add(c.endpoint(i, 0))
	}
	return out, err
}

// Get is one object.
func (c *cluster) Get(_ context.Context, k *model.Kind, key string) (model.Object, error) {
	if o := c.keys[k.Name+" "+key]; o != nil {
		return o, nil
	}
	return nil, model.Errorf(model.CodeNotFound, "", "there is no %s %s", k.Name, key)
}

// MayChange permits everyone to try.
func (c *cluster) MayChange(context.Context, *model.Kind, string) error { return nil }

// Put refuses.
func (c *cluster) Put(context.Context, model.Object, bool) (model.Object, uint64, error) {
	return nil, 0, model.Errorf(model.CodeUnavailable, "", "the made-up cluster takes no changes")
}

// Delete refuses.
func (c *cluster) Delete(context.Context, *model.Kind, string, bool) (uint64, error) {
	return 0, model.Errorf(model.CodeUnavailable, "", "the made-up cluster takes no changes")
}

// Inspect returns the fill of networks.
func (c *cluster) Inspect(ctx context.Context, k *model.Kind, key string) (any, error) {
	o, err := c.Get(ctx, k, key)
	if err != nil {
		return nil, err
	}
	n, ok := o.(*model.Network)
	if !ok {
		return nil, model.Errorf(model.CodeNotFound, "", "the made-up cluster has no %s", k.Name)
	}
	used := c.size.endpoints / c.size.networks
	prefix := n.Subnet[:len(n.Subnet)-len("0/24")]
	return &model.NetworkInspect{Config: n, Oper: &model.NetworkOper{AllocatedAddressesCount: used,
		AllocatedIPAddresses: fmt.Sprintf("%s1-%s%d", prefix, prefix, used), AvailableIPAddresses: fmt.Sprintf("%s%d-%s254", prefix, used+1, prefix)}}, nil
}

// Watch yields everything, and then endpoints that move to another host.
func (c *cluster) Watch(ctx context.Context, of []rest.Watched) iter.Seq[model.Event] {
	return func(yield func(model.Event) bool) {
		for _, w := range of {
			items, err := c.items(w.Kind)
			if err != nil || !yield(model.Event{Type: model.EventFull, Kind: w.Kind.Name, Items: items, Revision: c.revision.Load()}) {
				return
			}
		}
		every := keepAlive
		if c.churn > 0 {
			every = time.Second / time.Duration(c.churn)
		}
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for n := 1; yield(model.Event{Type: model.EventSync, Revision: c.revision.Load()}); n++ {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			if c.churn == 0 {
				continue
			}
			e := c.endpoint(n*7919%c.size.endpoints, n)
			text, err := json.Marshal(e)
			if err != nil || !yield(model.Event{Type: model.EventPut, Kind: model.KindEndpoint().Name, Key: e.Key, Object: text, Revision: c.revision.Add(1)}) {
				return
			}
		}
	}
}
