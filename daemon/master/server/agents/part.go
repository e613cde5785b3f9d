// SPDX-License-Identifier: Apache-2.0

package agents

import (
	"context"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/adopt"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/dockernet"
	"github.com/contiv/contiv/daemon/master/endpoint"
	"github.com/contiv/contiv/daemon/master/health"
	"github.com/contiv/contiv/daemon/master/membership"
	"github.com/contiv/contiv/daemon/master/part"
	"github.com/contiv/contiv/daemon/master/relay"
	"github.com/contiv/contiv/daemon/task"
)

// Options are the engines behind the routes of agents.
type Options struct {
	Own       string // internal address of this netmaster
	Catalog   *catalog.Catalog
	Endpoints *endpoint.Service
	Networks  *dockernet.Service
	Relay     *relay.Relay
	Adopter   *adopt.Engine
	Registrar *membership.Registrar
	Running   *membership.AgentController // records whose agents run
	Log       *slog.Logger
}

// Part returns the part of agents: what they request, the channel that sends them records, and their adoptions.
func Part(o Options) part.Part {
	return part.Part{
		Routes: []func(*rest.Router){
			func(r *rest.Router) { Register(r, o.Catalog, o.Endpoints) },
			func(r *rest.Router) { RegisterOriginal(r, o.Own, o.Catalog, o.Endpoints) },
			func(r *rest.Router) { RegisterDocker(r, o.Catalog, o.Networks) },
			func(r *rest.Router) { RegisterChannel(r, o.Relay, o.Log) },
			func(r *rest.Router) { RegisterOffers(r, o.Adopter, o.Endpoints) },
			func(r *rest.Router) { RegisterHosts(r, o.Catalog, o.Registrar, o.Relay) },
		},
		Tasks: []task.Task{
			part.Started("expiry of held addresses", func(ctx context.Context) error { o.Endpoints.Expire(ctx); return nil }),
			o.Relay,
		},
		Duties: []func(context.Context){
			func(ctx context.Context) { o.Networks.Finish(ctx, o.Log) },
			o.Adopter.Run,
			o.Running.Run,
		},
		Facts:   []func(*health.Snapshot){func(s *health.Snapshot) { s.Adopting = o.Adopter.Waiting() }},
		Metrics: []prometheus.Collector{part.Counter("shards_resent_total", "Parts of the store that were sent again to agents that held something else.", o.Relay.Resent)},
	}
}
