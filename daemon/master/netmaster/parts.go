// SPDX-License-Identifier: Apache-2.0

package netmaster

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/aci"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/dockernet"
	"github.com/contiv/contiv/daemon/master/health"
	"github.com/contiv/contiv/daemon/master/maintenance"
	"github.com/contiv/contiv/daemon/master/membership"
	"github.com/contiv/contiv/daemon/master/part"
	"github.com/contiv/contiv/daemon/master/server"
	"github.com/contiv/contiv/daemon/master/server/agents"
	"github.com/contiv/contiv/daemon/master/server/authapi"
	"github.com/contiv/contiv/daemon/master/server/caller"
	"github.com/contiv/contiv/daemon/master/server/doctor"
	"github.com/contiv/contiv/daemon/master/server/find"
	"github.com/contiv/contiv/daemon/master/server/historyapi"
	"github.com/contiv/contiv/daemon/master/server/inspect"
	"github.com/contiv/contiv/daemon/master/server/joinapi"
	"github.com/contiv/contiv/daemon/master/server/leadership"
	"github.com/contiv/contiv/daemon/master/server/nodes"
	"github.com/contiv/contiv/daemon/master/server/objects"
	"github.com/contiv/contiv/daemon/master/server/observe"
	"github.com/contiv/contiv/daemon/master/server/pairs"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/master/server/probe"
	"github.com/contiv/contiv/daemon/master/server/supportbundle"
	"github.com/contiv/contiv/trust"
)

// Parts returns all parts of the netmaster, in their order. They show what the server with the configuration front counts and refuses.
func (m *Master) Parts(front *server.Config) part.Part {
	peers := peer.New(m.Catalog, m.Others)
	networks := dockernet.New(m.Commit, m.Admit, m.Catalog)
	members := m.members(front, peers, networks)
	lock := &leadership.Leadership{Lock: m.Leadership, Store: m.Store, Catalog: m.Catalog, Commit: m.Commit, Peers: peers, Internal: m.Internal, Master: members.Master}
	all := part.Join(
		m.Own,
		m.objects(peers),
		m.forwarding(front),
		m.agents(peers, networks),
		m.users(front),
		m.membership(members),
		part.Serves(members.Register),
		lock.Part(),
		m.gateway(),
		m.alerts(),
		part.Duty(maintenance.NewLandmarks(m.Commit, m.Catalog, m.Log).Run),
		part.Serves(func(r *rest.Router) { peers.Register(r, m.Log) }),
		part.Serves(func(r *rest.Router) { probe.Register(r, m.Catalog, peers, m.Keep, m.Log) }),
		part.Serves(func(r *rest.Router) { observe.Register(r, m.Catalog, peers) }),
		part.Serves(func(r *rest.Router) { nodes.RegisterCounters(r, m.Catalog, peers) }),
		part.Serves((&historyapi.Past{Catalog: m.Catalog, Keep: m.Keep, Endpoints: m.Endpoints}).Register),
		part.Serves(find.New(m.Catalog).Register),
		m.bundles(members, peers),
		m.pairs(peers),
	)
	checks := doctor.New(doctor.Options{Catalog: m.Catalog, Peers: peers, Nodes: members.All, Leadership: lock.State, Facts: all.Facts, Commit: m.Commit, Recorded: m.Alerts.Update, Log: m.Log})
	return part.Join(all, checks.Part())
}

// members returns the daemons of the cluster, this netmaster among them.
func (m *Master) members(front *server.Config, peers *peer.Peers, networks *dockernet.Service) *nodes.Nodes {
	version := m.Version
	version.Incarnation = m.Incarnation.ID
	return &nodes.Nodes{Catalog: m.Catalog, Peers: peers, Commit: m.Commit, Endpoints: m.Endpoints, Leadership: m.Leadership, Store: m.Store,
		Embedded: m.Embedded, Internal: m.Internal, Version: version, Started: m.Started, Waiting: front.Waiting, Answered: front.Answered.Load,
		Networks: networks, Enroll: m.Enroll, Kubernetes: m.Kubernetes, Relay: m.Relay, Snapshots: m.Snapshots, Refused: m.Refused, Logs: m.Logs, Resources: m.Resources, Validity: m.Validity, Proves: m.Proves}
}

// objects returns the part of the API's objects.
func (m *Master) objects(peers *peer.Peers) part.Part {
	all := &objects.Objects{Inspector: inspect.Inspector{Catalog: m.Catalog, Peers: peers, ClusterMode: m.ClusterMode, Secrets: m.Users.Secrets},
		Commit: m.Commit, Admit: m.Admit, Log: m.Log}
	return all.Part()
}

// forwarding returns what the server needs of a term, and what it reports of agents that it refuses.
func (m *Master) forwarding(front *server.Config) part.Part {
	return part.Part{
		First: []func(*commit.Tx) error{caller.Secret},
		Facts: []func(*health.Snapshot){func(s *health.Snapshot) {
			s.Incarnation = m.Incarnation.ID
			for host, known := range front.Elsewhere.List(time.Now()) {
				s.Elsewhere = append(s.Elsewhere, health.Elsewhere{Host: host, Known: known})
			}
		}},
	}
}

// agents returns the part of agents and their hosts.
func (m *Master) agents(peers *peer.Peers, networks *dockernet.Service) part.Part {
	return agents.Part(agents.Options{Own: m.Internal, Catalog: m.Catalog, Endpoints: m.Endpoints, Networks: networks, Relay: m.Relay, Adopter: m.Adopter, Registrar: m.Registrar, Log: m.Log,
		Running: &membership.AgentController{Registrar: m.Registrar, Catalog: m.Catalog, Served: func(ctx context.Context) []channel.Served {
			return peers.Sessions(ctx, m.Internal, m.Relay.Sessions, func(string) peer.Query { return peer.Query{Brief: true} })
		}}})
}

// users returns the part of users and of the audit.
func (m *Master) users(front *server.Config) part.Part {
	all := &authapi.Auth{Users: m.Users, Audit: m.Audit, Record: front.Recorder.Done, Failed: front.Recorder.FailedLogin, From: caller.Client, Log: m.Log}
	return all.Part()
}

// membership returns the part by which hosts join and leave.
func (m *Master) membership(members *nodes.Nodes) part.Part {
	joining := &joinapi.Enrolling{Own: m.Internal, Incarnation: m.Incarnation, Enroll: m.Enroll, Catalog: m.Catalog, Endpoints: m.Endpoints, Cluster: m.Cluster,
		Nodes: members.All, Sender: func(q *http.Request) trust.Identity { return auth.Of(q.Context()).Identity }}
	return joining.Part()
}

// gateway returns the part of the ACI gateway.
func (m *Master) gateway() part.Part {
	return part.Part{
		Duties: []func(context.Context){m.ACI.Run},
		Metrics: []prometheus.Collector{
			part.Counter("aci_posts_total", "Application profiles that the ACI gateway took or removed.", m.ACI.Posted),
			part.Counter("aci_failures_total", "Requests that the ACI gateway refused or did not answer.", m.ACI.Failed),
			part.Gauge("aci_profiles_waiting", "Application profiles that the ACI gateway does not know as they are.", func() (n float64) {
				m.Catalog.View(func(v *catalog.View) { n = float64(aci.Waiting(v)) })
				return n
			}),
		},
	}
}

// alerts returns the part that sends findings to Alertmanagers.
func (m *Master) alerts() part.Part {
	count := func(of func(v *catalog.View) int) func() float64 {
		return func() (n float64) {
			m.Catalog.View(func(v *catalog.View) { n = float64(of(v)) })
			return n
		}
	}
	return part.Part{
		Duties: []func(context.Context){m.Alerts.Run},
		Metrics: []prometheus.Collector{
			part.Counter("alerts_sent_total", "Alerts that receivers accepted: begun, repeated and ended.", m.Alerts.Sent),
			part.Counter("alert_failures_total", "Requests that receivers of alerts refused or did not answer.", m.Alerts.Failed),
			part.Gauge("alerts_firing", "Alerts that receivers know as firing, of all receivers.", count((*catalog.View).CountAlerts)),
			part.Gauge("alerts_waiting", "Begun and ended alerts that receivers have not accepted yet.", m.Alerts.Waiting),
			part.Gauge("alert_receivers_failing", "Receivers that do not accept alerts.", count(func(v *catalog.View) int { return len(v.AlertReceivers()) })),
		},
	}
}

// pairs returns the part by which netmasters measure each other.
func (m *Master) pairs(peers *peer.Peers) part.Part {
	expected := pairs.Expected{Own: m.Internal, Registered: peers.Masters}
	if embedded, ok := m.Store.(interface{ Peers() map[string]string }); ok {
		expected.Members = embedded.Peers
	}
	return pairs.New(pairs.Config{Own: m.Internal, Expected: expected.List, Transport: m.Others, Log: m.Log}).Part()
}

// bundles returns the part of support bundles.
func (m *Master) bundles(members *nodes.Nodes, peers *peer.Peers) part.Part {
	b := &supportbundle.Bundling{Catalog: m.Catalog, Peers: peers, Store: m.Store, Nodes: members.All, Own: m.Internal, Mode: m.ClusterMode,
		Version: m.Version, Recent: m.Recent, Logs: m.Logs, Log: m.Log}
	return part.Serves(b.Register)
}
