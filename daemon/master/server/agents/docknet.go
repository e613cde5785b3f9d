// SPDX-License-Identifier: Apache-2.0

package agents

import (
	"context"
	"net/http"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/dockernet"
	"github.com/contiv/contiv/daemon/record"
)

// RegisterDocker adds the routes about networks of Docker engines.
func RegisterDocker(r *rest.Router, known *catalog.Catalog, networks *dockernet.Service) {
	route(r, "/plugin/requestDockerPool", func(_ context.Context, q model.DockerPoolRequest) (any, uint64, error) {
		out, err := networks.Pool(q)
		return out, 0, err
	})
	route(r, "/plugin/createDockerNetwork", func(ctx context.Context, q model.DockerNetworkRequest) (any, uint64, error) {
		if q.Host != "" { // else it is a network of a whole swarm, and one of the managers reports it
			if err := own(ctx, &q.Host, "Host"); err != nil {
				return nil, 0, err
			}
		}
		d, rev, err := networks.Create(ctx, q)
		return d, rev, err
	})
	route(r, "/plugin/deleteDockerNetwork", func(ctx context.Context, q model.DockerNetworkRemoval) (any, uint64, error) {
		if err := removable(ctx, known, &q); err != nil {
			return nil, 0, err
		}
		rev, err := networks.Delete(ctx, q)
		return "success", rev, err
	})
	route(r, "/plugin/nameDockerNetwork", func(ctx context.Context, q model.DockerNetworkName) (any, uint64, error) {
		if err := own(ctx, &q.Host, "Host"); err != nil {
			return nil, 0, err
		}
		rev, err := networks.Name(ctx, q)
		return "success", rev, err
	})
	r.Read("/api/v1/docknets", func(q *http.Request, _ httprouter.Params) (any, error) {
		who, out := auth.Of(q.Context()), []model.DockerNetwork{}
		known.View(func(v *catalog.View) {
			for _, d := range v.DockerNetworks() {
				if who.Sees(model.KindNetwork(), d.Network.String()) {
					out = append(out, shown(v, d))
				}
			}
		})
		return out, nil
	}).Allow(rest.Users())
}

// removable refuses an agent that has the network of another host's engine forgotten. A swarm's, which is of no host, is forgotten by one of its managers.
func removable(ctx context.Context, known *catalog.Catalog, q *model.DockerNetworkRemoval) error {
	swarm := false
	known.View(func(v *catalog.View) {
		d := v.DockerNetwork(q.ID)
		swarm = d == nil || d.Host == ""
	})
	if swarm && q.Host == "" && len(q.Kept) == 0 {
		return nil
	}
	return own(ctx, &q.Host, "Host")
}

// shown is a Docker network as operators see it.
func shown(v *catalog.View, d *record.DockerNetwork) model.DockerNetwork {
	out := model.DockerNetwork{ID: d.ID, Tenant: d.Network.Tenant, Network: d.Network.Name, Group: d.Group, Host: d.Host, Pools: []string{},
		Made: d.Made, Managed: d.Managed, Internal: d.Internal, Gone: d.Gone}
	for _, p := range d.Pools {
		out.Pools = append(out.Pools, p.String())
	}
	if n := v.Network(d.Network); n != nil {
		for m := range n.Members {
			if m.DockerNetwork == d.ID {
				out.Endpoints++
			}
		}
	}
	return out
}
