// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
)

// maxEvents bounds the requested entries of the history and of the timeline.
const maxEvents = 10

// Options are what a caller does in its own way.
type Options struct {
	Now time.Time
	// Rates returns what passes per second in a tenant; "": everywhere. nil: two samples are taken, with a second between them.
	Rates func(ctx context.Context, tenant string) (Rates, error)
}

// Of describes the object of a kind with a key, or with nil the node of a name. The key of an endpoint may be any name of it or its container.
// It blocks until each source has answered or timed out, seconds at most. The only errors are that there is no such object, and that
// netmaster does not answer or refuses the request.
func Of(ctx context.Context, c *client.Client, k *model.Kind, key string, o Options) (*Document, error) {
	f := &facts{kind: k, key: key, now: o.Now}
	if err := f.object(ctx, c); err != nil {
		return nil, err
	}
	f.gather(ctx, c, o)
	return f.document(), nil
}

// object requests the object itself.
func (f *facts) object(ctx context.Context, c *client.Client) error {
	switch {
	case f.kind == nil:
		return f.node(ctx, c)
	case f.kind == model.KindEndpoint():
		var found struct{ Oper model.EndpointOper }
		if err := c.InspectRaw(ctx, f.kind, &found, f.key); err != nil {
			return err
		}
		f.endpoint, f.key = &found.Oper, found.Oper.Key
		return nil
	}
	var found struct {
		Config json.RawMessage
		Oper   map[string]json.RawMessage
	}
	err := c.InspectRaw(ctx, f.kind, &found, f.key)
	if refusal, ok := errors.AsType[*model.Error](err); ok && refusal.Code == model.CodeNotReady { // an agent did not answer
		f.operErr = err
		f.config, err = c.Get(ctx, f.kind, f.key)
		return err
	}
	if err != nil {
		return err
	}
	f.oper, f.config = found.Oper, f.kind.New()
	var sets struct {
		Sets map[string]model.LinkSet `json:"link-sets"`
	}
	if err := errors.Join(json.Unmarshal(found.Config, f.config), json.Unmarshal(found.Config, &sets)); err != nil {
		return err
	}
	f.links = sets.Sets
	return nil
}

// node requests the processes of a name or an address.
func (f *facts) node(ctx context.Context, c *client.Client) error {
	nodes, err := c.Nodes(ctx)
	if err != nil {
		return err
	}
	f.all = known[[]model.Node]{value: nodes, asked: true}
	if f.nodes, err = model.NodesOf(nodes, f.key); err != nil {
		return err
	}
	f.key = f.nodes[0].Name
	return nil
}

// gather requests everything else, at the same time.
func (f *facts) gather(ctx context.Context, c *client.Client, o Options) {
	var wait sync.WaitGroup
	defer wait.Wait()
	ask(ctx, &wait, &f.health, c.Health)
	if !f.all.asked {
		ask(ctx, &wait, &f.all, c.Nodes)
	}
	if f.kind != nil {
		ask(ctx, &wait, &f.history, func(ctx context.Context) ([]model.HistoryEntry, error) {
			return c.History(ctx, client.HistoryQuery{Kind: f.kind.Name, Key: f.key, Limit: maxEvents})
		})
	}
	ask(ctx, &wait, &f.timeline, func(ctx context.Context) ([]model.TimelineEvent, error) {
		q := client.TimelineQuery{Object: f.subject(), Limit: maxEvents}
		if f.kind == nil && !f.isMaster() {
			q.Object, q.Host = "", f.key
		}
		return c.Timeline(ctx, q)
	})
	f.gatherTenant(ctx, c, &wait)
	f.gatherTraffic(ctx, c, o, &wait)
	switch {
	case f.endpoint != nil:
		f.gatherEndpoint(ctx, c, &wait)
	case f.kind == nil && !f.isMaster():
		ask(ctx, &wait, &f.endpoints, func(ctx context.Context) ([]*model.EndpointOper, error) {
			return c.Endpoints().List(ctx, client.Fields("homingHost="+f.key), client.Limit(maxListed+1))
		})
	}
}

// gatherTenant requests the objects of the tenant that the allowed connections and the services follow from.
func (f *facts) gatherTenant(ctx context.Context, c *client.Client, wait *sync.WaitGroup) {
	list := func(k *model.Kind) func(context.Context) ([]model.Object, error) {
		return func(ctx context.Context) ([]model.Object, error) {
			return c.List(ctx, k, client.Fields("tenantName="+f.tenant()))
		}
	}
	if f.is(model.KindEndpoint(), model.KindEndpointGroup(), model.KindServiceLB()) {
		ask(ctx, wait, &f.groups, list(model.KindEndpointGroup()))
		ask(ctx, wait, &f.networks, list(model.KindNetwork()))
		ask(ctx, wait, &f.rules, list(model.KindRule()))
	}
	if f.is(model.KindPolicy()) {
		ask(ctx, wait, &f.rules, list(model.KindRule()))
	}
	if f.is(model.KindRule()) {
		ask(ctx, wait, &f.groups, list(model.KindEndpointGroup()))
	}
	if f.is(model.KindEndpoint(), model.KindEndpointGroup()) {
		ask(ctx, wait, &f.services, list(model.KindServiceLB()))
	}
}

func (f *facts) gatherEndpoint(ctx context.Context, c *client.Client, wait *sync.WaitGroup) {
	network, err := identity.ParseNetwork(f.endpoint.NetworkKey())
	if err == nil {
		ask(ctx, wait, &f.addresses, func(ctx context.Context) (out []model.AddressState, err error) {
			for _, address := range f.endpoint.IpAddress {
				if address == "" {
					continue
				}
				list, err := c.Addresses(ctx, client.AddressQuery{Tenant: network.Tenant, Network: network.Name, Address: address})
				if err != nil {
					return out, err
				}
				out = append(out, list...)
			}
			return out, nil
		})
	}
	if pod, ok := identity.ParsePodPath(f.endpoint.Pod); ok {
		ask(ctx, wait, &f.matrix, func(ctx context.Context) (model.WorkloadMatrix, error) { return c.Matrix(ctx, pod.Namespace) })
	}
}

// maxObserved bounds the observed connections, the newest.
const maxObserved = 5000

// gatherTraffic requests rates and connections.
func (f *facts) gatherTraffic(ctx context.Context, c *client.Client, o Options, wait *sync.WaitGroup) {
	if f.level() != "" {
		sample := o.Rates
		if sample == nil {
			sample = func(ctx context.Context, tenant string) (Rates, error) { return sampled(ctx, c, tenant) }
		}
		ask(ctx, wait, &f.rates, func(ctx context.Context) (Rates, error) { return sample(ctx, f.tenant()) })
	}
	requests := f.connections()
	if len(requests) == 0 {
		return
	}
	ask(ctx, wait, &f.observed, func(ctx context.Context) (out []model.Observed, err error) {
		for _, r := range requests {
			for e, err := range c.Observe(ctx, r) {
				if err != nil {
					return out, err
				}
				if out = append(out, e); len(out) > 2*maxObserved {
					out = slices.Clone(out[len(out)-maxObserved:])
				}
			}
		}
		return out, nil
	})
}

// connections are the requests for the connections of the object in the last minutes.
func (f *facts) connections() []model.Observe {
	base := model.Observe{Tenant: f.tenant(), Since: model.ObserveSince}
	from, to := base, base
	from.From, to.To = f.subject(), f.subject()
	switch {
	case f.is(model.KindEndpoint(), model.KindEndpointGroup()):
		return []model.Observe{from, to}
	case f.kind == nil && !f.isMaster():
		return []model.Observe{from, to}
	case f.is(model.KindServiceLB()): // the host of a provider reports the connection, and only that of the client knows the service
		var providers []string
		for _, e := range f.members() {
			if len(providers) < maxListed {
				providers = append(providers, identity.Ref{Kind: model.OwnerEndpoint, Name: e.Key}.String())
			}
		}
		if len(providers) == 0 {
			return nil
		}
		base.To = strings.Join(providers, ",")
		return []model.Observe{base}
	case f.is(model.KindRule(), model.KindPolicy()):
		base.Rule = f.key
		return []model.Observe{base}
	}
	return nil
}
