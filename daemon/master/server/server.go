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
	"github.com/contiv/contiv/daemon/cluster"
	"github.com/contiv/contiv/daemon/door"
	"github.com/contiv/contiv/daemon/master/admit"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/derive"
	"github.com/contiv/contiv/daemon/master/endpoint"
	"github.com/contiv/contiv/daemon/master/fabric"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/store"
)

// Leadership tells who leads. Its methods do not block, but for StepDown.
type Leadership interface {
	// Leader is the internal address "host:port" of the lock's holder; "" when nobody holds it.
	Leader() string
	// Since is when the holder took the lock, as far as this process knows.
	Since() time.Time
	// Leading tells whether this process holds the lock and may write.
	Leading() bool
	// Term numbers this process's term; 0 while it does not lead.
	Term() uint64
	// StepDown ends this process's term, the one that h names, and blocks until the lock is given back.
	StepDown(ctx context.Context, h cluster.Heir) error
}

// Config is what a Server is made of.
type Config struct {
	Catalog     *catalog.Catalog
	Commit      *commit.Committer
	Admit       *admit.Admitter
	Endpoints   *endpoint.Service
	Settler     *derive.Settler
	Fabric      *fabric.Poster
	Keep        history.Keep // as the committer's
	Leadership  Leadership
	Store       store.Store // to tell how it is
	Embedded    bool        // each of the store's servers is part of a netmaster
	ClusterMode string
	Internal    string // own internal address, "host:port"
	Version     model.Version
	Started     time.Time
	// Waiting names what is not ready yet; empty: everything is.
	Waiting func() []string
	HTTP    *http.Client // to reach agents and other masters; nil: http.DefaultClient
	// Hosts are the names under which this netmaster is reached; nil: those of the machine, and of Internal.
	Hosts *door.Names
	// Limits bound what goes on at once. The zero Limits are the defaults.
	Limits Limits
	// Doors bound the connections of the listeners; they are shown in the metrics.
	Doors []*door.Connections
	Log   *slog.Logger
}

// Server answers netmaster's HTTP requests.
type Server struct {
	Config
	handler http.Handler
	router  *rest.Router
	metrics *metrics
	gates   gates
}

// New makes a Server. Its metrics are registered with registry.
func New(c Config, registry *prometheus.Registry) *Server {
	c.HTTP = straight(c.HTTP)
	if c.Hosts == nil {
		c.Hosts = door.NewNames(hostOf(c.Internal))
	}
	r := rest.NewRouter()
	s := &Server{Config: c, router: r, gates: newGates(c.Limits)}
	s.metrics = newMetrics(c, s.gates, registry)
	rest.Mount(r, &backend{c.Catalog, c.Commit, c.Admit, c.Settler, c.ClusterMode, s.ask, c.Log}, c.Log)
	s.mountPlugin(r)
	s.mountInfo(r)
	s.mountApply(r)
	s.mountRelay(r)
	s.mountWhy(r)
	s.mountCapture(r)
	s.mountHistory(r)
	s.mountHandover(r)
	s.mountHealth(r)
	shown := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	r.GET("/metrics", func(w http.ResponseWriter, q *http.Request, _ httprouter.Params) { shown.ServeHTTP(w, q) })
	s.handler = s.measured(door.Recovered(c.Log, s.metrics.panics.Inc,
		door.Visitors(c.Hosts, []string{"/healthz", "/readyz"}, s.bounded(s.forwarded(r)))))
	return s
}

// straight is a client that goes where it is sent and nowhere else: who answers with a redirection is not followed, for it is an
// agent, a netmaster, or somebody who has taken the place of one.
func straight(c *http.Client) *http.Client {
	if c == nil {
		c = http.DefaultClient
	}
	out := *c
	out.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &out
}

// Routes lists what the server serves.
func (s *Server) Routes() []rest.Route { return s.router.Routes() }

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, q *http.Request) { s.handler.ServeHTTP(w, q) }

// mountHealth adds what a supervisor asks: is the process alive, and does it do its duty.
func (s *Server) mountHealth(r *rest.Router) {
	r.GET("/healthz", func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) { _, _ = w.Write([]byte("ok\n")) })
	r.GET("/readyz", func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
		waiting := s.Waiting()
		if len(waiting) == 0 && s.Leadership.Leader() == "" {
			waiting = []string{"a leader: no netmaster holds the lock"}
		}
		if len(waiting) == 0 {
			_, _ = w.Write([]byte("ok\n"))
			return
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		for _, what := range waiting {
			_, _ = w.Write([]byte("waits for " + what + "\n"))
		}
	})
}

// Listen runs serve with an HTTP server for h until ctx ends, and then lets requests finish for a moment.
func Listen(ctx context.Context, handler http.Handler, log *slog.Logger, serve func(*http.Server) error) error {
	h := door.NewServer(handler, door.Ordinary(), log)
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
