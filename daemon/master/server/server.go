package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/julienschmidt/httprouter"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/cluster"
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
	Log     *slog.Logger
}

// Server answers netmaster's HTTP requests.
type Server struct {
	Config
	handler http.Handler
	routes  []rest.Route
	metrics *metrics
}

// New makes a Server. Its metrics are registered with registry.
func New(c Config, registry *prometheus.Registry) *Server {
	if c.HTTP == nil {
		c.HTTP = http.DefaultClient
	}
	s := &Server{Config: c, metrics: newMetrics(c, registry)}
	r := rest.NewRouter()
	rest.Mount(r, &backend{c.Catalog, c.Commit, c.Admit, c.Settler, c.ClusterMode, s.ask, c.Log}, c.Log)
	s.mountPlugin(r)
	s.mountInfo(r)
	s.mountApply(r)
	s.mountRelay(r)
	s.mountWhy(r)
	s.mountCapture(r)
	s.mountHistory(r)
	s.mountHandover(r)
	s.mountForget(r)
	s.mountHealth(r)
	shown := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	r.GET("/metrics", func(w http.ResponseWriter, q *http.Request, _ httprouter.Params) { shown.ServeHTTP(w, q) })
	s.handler, s.routes = s.recovered(s.measured(s.forwarded(r))), r.Routes()
	return s
}

// Routes lists what the server serves.
func (s *Server) Routes() []rest.Route { return s.routes }

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, q *http.Request) { s.handler.ServeHTTP(w, q) }

// recovered answers a request whose handler panicked, and logs where. A handler that aborts its answer has it aborted.
func (s *Server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		defer func() {
			switch p := recover(); p {
			case nil:
			case http.ErrAbortHandler:
				panic(p) // net/http breaks the connection off
			default:
				s.Log.Error("handler panicked", "method", q.Method, "path", q.URL.Path, "panic", p, "stack", string(debug.Stack()))
				rest.Refuse(w, q, model.Errorf(model.CodeInternal, "", "netmaster met a defect; its log says more"), s.Log)
			}
		}()
		next.ServeHTTP(w, q)
	})
}

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
func Listen(ctx context.Context, handler http.Handler, serve func(*http.Server) error) error {
	h := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
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
