// Package server is netmaster's front: what comes in is measured, bounded, and passed on to the leader if only that one may serve it.
// What is served is in the packages below, each of which registers its routes.
package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/julienschmidt/httprouter"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/cluster"
	"github.com/contiv/contiv/daemon/httpserver"
	"github.com/contiv/contiv/daemon/master/access"
	"github.com/contiv/contiv/daemon/master/aci"
	"github.com/contiv/contiv/daemon/master/admit"
	"github.com/contiv/contiv/daemon/master/adopt"
	"github.com/contiv/contiv/daemon/master/audit"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/dockernet"
	"github.com/contiv/contiv/daemon/master/endpoint"
	"github.com/contiv/contiv/daemon/master/enroll"
	"github.com/contiv/contiv/daemon/master/health"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/master/registrar"
	"github.com/contiv/contiv/daemon/master/relay"
	"github.com/contiv/contiv/daemon/master/server/agents"
	"github.com/contiv/contiv/daemon/master/server/auth"
	"github.com/contiv/contiv/daemon/master/server/counters"
	"github.com/contiv/contiv/daemon/master/server/doctor"
	"github.com/contiv/contiv/daemon/master/server/historyapi"
	"github.com/contiv/contiv/daemon/master/server/inspect"
	"github.com/contiv/contiv/daemon/master/server/joinapi"
	"github.com/contiv/contiv/daemon/master/server/leadership"
	"github.com/contiv/contiv/daemon/master/server/nodes"
	"github.com/contiv/contiv/daemon/master/server/objects"
	"github.com/contiv/contiv/daemon/master/server/observe"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/master/server/probe"
	"github.com/contiv/contiv/daemon/master/server/proxy"
	"github.com/contiv/contiv/daemon/master/server/supportbundle"
	"github.com/contiv/contiv/daemon/master/users"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/trust"
)

// Leadership tells who leads. Its methods do not block, but for StepDown.
type Leadership interface {
	// Leader is the internal address "host:port" of the lock's holder; "" when no one holds it.
	Leader() string
	// Changed is closed when Leader next changes. Take it before asking.
	Changed() <-chan struct{}
	// Since is when the holder took the lock, as far as this process knows.
	Since() time.Time
	// Leading reports whether this process holds the lock and may write.
	Leading() bool
	// Lock is who leads in the newest term that is known of, and its number; leader is "" once that term has ended.
	Lock() (leader string, term uint64)
	// Term numbers this process's term; 0 while it does not lead.
	Term() uint64
	// StepDown ends this process's term, the one that h names, and blocks until the lock is given back.
	StepDown(ctx context.Context, h cluster.Successor) error
}

// Config is what a Server is made of.
type Config struct {
	Catalog     *catalog.Catalog
	Commit      *commit.Committer
	Admit       *admit.Admitter
	Endpoints   *endpoint.Service
	Adopter     *adopt.Engine
	Relay       *relay.Relay
	Registrar   *registrar.Registrar
	ACI         *aci.Notifier
	Keep        history.Keep // as the committer's
	Leadership  Leadership
	Store       store.Store // to tell how it is
	Embedded    bool        // each of the store's servers is part of a netmaster
	ClusterMode string
	Internal    string // own internal address, "host:port"
	Version     model.Version
	// Insecure: nothing is authenticated, and everyone may do everything.
	Insecure bool
	// Users are those who may log in.
	Users *users.Users
	// Audit takes down who came and who was refused.
	Audit   *audit.Log
	Started time.Time
	// Space tells how much space the members of the store have, as they have said last; none: they do not.
	Space func() []store.Member
	// Waiting names what is not ready yet; empty: everything is.
	Waiting func() []string
	// Stale says why this netmaster may know less than the store has, "" while it does not; nil: it never does.
	Stale func() string
	// Kubernetes is how this netmaster stands with Kubernetes; nil: it has no address of it.
	Kubernetes func() *model.KubernetesStatus
	// Snapshots are those of the store that this netmaster saves; nil: it saves none.
	Snapshots *Snapshots
	// Proves returns the fingerprints of the authorities that this netmaster trusts, and of the one that has certified it; nil: it is insecure.
	Proves func() (authorities []string, authority string)
	// AnswerLimit is for how long a leader may take to answer what a follower passes on; 0: 20 seconds.
	AnswerLimit time.Duration
	Way         peer.Way // to agents and other masters
	// Hosts are the names under which this netmaster is reached; nil: those of the machine, and of Internal.
	Hosts *httpserver.Names
	// Limits bound what continues at once. The zero Limits are the defaults.
	Limits Limits
	// Doors bound the connections of the listeners; they are shown in the metrics.
	Doors []*httpserver.Connections
	// Enroll decides who joins the cluster; nil: no one does, as of an insecure one. Cluster is what those are told.
	Enroll  *enroll.Enroller
	Cluster joinapi.Cluster
	// Incarnation is the store's; the zero value: no answer says it.
	Incarnation record.Incarnation
	// Recent are the last lines of this netmaster's log; nil: they are not kept.
	Recent func() []byte
	Log    *slog.Logger
}

// Server answers netmaster's HTTP requests.
type Server struct {
	Config
	handler   http.Handler
	router    *rest.Router
	metrics   *metrics
	gates     gates
	attempts  map[string]*httpserver.Attempts // at routes that ask for no proof
	verdict   *doctor.Doctor
	elsewhere elsewhere
}

// New makes a Server. Its metrics are registered with registry.
func New(c Config, registry *prometheus.Registry) *Server {
	c.Way = c.Way.Straight()
	if c.Stale == nil {
		c.Stale = func() string { return "" }
	}
	if c.Hosts == nil {
		c.Hosts = httpserver.NewNames(peer.Host(c.Internal))
	}
	if c.Enroll == nil {
		c.Enroll = enroll.New(enroll.Config{Commit: c.Commit, Catalog: c.Catalog, Log: c.Log})
	}
	r := rest.NewRouter(c.Log)
	s := &Server{Config: c, router: r, gates: newGates(c.Limits)}
	s.metrics = newMetrics(c, s.gates, registry)
	s.register(r, registry)
	shown := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	r.GET("/metrics", func(w http.ResponseWriter, q *http.Request, _ httprouter.Params) { shown.ServeHTTP(w, q) }).Allow(rest.Needs(rights.Read, trust.Master, trust.Monitor))
	s.attempts = opened(r, time.Now)
	s.handler = s.measured(s.identifies(httpserver.Recovered(c.Log, s.metrics.panics.Inc,
		httpserver.Visitors(c.Hosts, []string{"/healthz", "/readyz"}, s.identified(s.bounded(s.current(s.forwarded(s.charged(s.audited(r))))))))))
	return s
}

// register has each concern add its routes.
func (s *Server) register(r *rest.Router, registry *prometheus.Registry) {
	peers := peer.New(s.Catalog, s.Way)
	networks := dockernet.New(s.Commit, s.Admit, s.Catalog)
	version := s.Version
	version.Incarnation = s.Incarnation.ID
	members := &nodes.Nodes{
		Catalog: s.Catalog, Peers: peers, Commit: s.Commit, Endpoints: s.Endpoints, Leadership: s.Leadership, Store: s.Store,
		Embedded: s.Embedded, Internal: s.Internal, Version: version, Started: s.Started, Waiting: s.Waiting, Answered: s.metrics.answered.Load,
		Networks: networks, Kubernetes: s.Kubernetes, Relay: s.Relay, Snapshots: s.Snapshots.status(),
		Proves: s.Proves,
	}
	all := &objects.Objects{
		Inspector: inspect.Inspector{Catalog: s.Catalog, Peers: peers, ClusterMode: s.ClusterMode, Secrets: s.Users.Secrets},
		Commit:    s.Commit, Admit: s.Admit, Log: s.Log,
	}
	all.Register(r)
	joining := &joinapi.Enrolling{Own: s.Internal, Incarnation: s.Incarnation, Enroll: s.Enroll, Catalog: s.Catalog, Endpoints: s.Endpoints, Cluster: s.Cluster, Nodes: members.All,
		Who: func(q *http.Request) trust.Identity { return access.Of(q.Context()).Identity }}
	joining.Register(r)
	members.Forgotten = joining.Forgotten
	agents.Register(r, s.Catalog, s.Endpoints)
	agents.RegisterDocker(r, s.Catalog, networks)
	agents.RegisterChannel(r, s.Relay, s.Log)
	agents.RegisterOffers(r, s.Adopter, s.Endpoints)
	agents.RegisterHosts(r, s.Catalog, s.Registrar, s.Relay)
	members.Register(r)
	peers.Register(r, s.Log)
	probe.Register(r, s.Catalog, peers, s.Keep, s.Log)
	observe.Register(r, s.Catalog, peers)
	counters.Register(r, s.Catalog, peers)
	(&auth.Auth{Users: s.Users, Audit: s.Audit, Note: s.note, Failed: s.failedLogin, From: clientOf}).Register(r)
	(&historyapi.Past{Catalog: s.Catalog, Keep: s.Keep, Endpoints: s.Endpoints}).Register(r)
	leading := &leadership.Leadership{Lock: s.Leadership, Store: s.Store, Catalog: s.Catalog, Commit: s.Commit, Peers: peers, Internal: s.Internal, Master: members.Master}
	leading.Register(r)
	verdict := doctor.New(doctor.Options{Catalog: s.Catalog, Peers: peers, Nodes: members.All, Leadership: leading.State, Stalled: s.Commit.Stalled,
		Elsewhere: func() []health.Elsewhere { return s.elsewhere.list(time.Now()) }, Incarnation: s.Incarnation.ID, Adopting: s.Adopter.Waiting, Rotation: s.Enroll.Rotation})
	verdict.Register(r)
	(&supportbundle.Bundling{Catalog: s.Catalog, Peers: peers, Store: s.Store, Front: r, Nodes: members.All, Own: s.Internal, Mode: s.ClusterMode, Version: s.Version,
		Recent: s.Recent, Log: s.Log}).Register(r)
	registry.MustRegister(verdict)
	s.verdict = verdict
}

// Health is what is wrong in the cluster, by what agents have reported and netmasters know. It takes up to two seconds.
func (s *Server) Health(ctx context.Context) model.Health { return s.verdict.Health(ctx) }

// Routes lists what the server serves.
func (s *Server) Routes() []rest.Route { return s.router.Routes() }

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, q *http.Request) { s.handler.ServeHTTP(w, q) }

// Proxied is what clients of the original find at its auth proxy, for a listener of its own, over TLS.
func (s *Server) Proxied() http.Handler { return proxy.New(s, s.gates[strangersGate]) }

// Listen runs serve with an HTTP server for h until ctx ends, and then lets requests finish for a moment.
func Listen(ctx context.Context, handler http.Handler, log *slog.Logger, serve func(*http.Server) error) error {
	h := httpserver.NewServer(handler, httpserver.Ordinary(), log)
	h.Protocols = channel.Protocols()
	stop := context.AfterFunc(ctx, func() {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 200*time.Millisecond)
		defer cancel()
		if h.Shutdown(grace) != nil {
			_ = h.Close()
		}
	})
	defer stop()
	if err := serve(h); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
