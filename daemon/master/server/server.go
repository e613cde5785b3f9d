// SPDX-License-Identifier: Apache-2.0

// Package server is the HTTP server of a netmaster: it puts authentication, bounds, forwarding to the leader, the audit and metrics in front of the routes
// of the parts.
package server

import (
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/julienschmidt/httprouter"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/contiv/contiv/api"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/httpserver"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/master/part"
	"github.com/contiv/contiv/daemon/master/server/caller"
	"github.com/contiv/contiv/daemon/master/server/earlier"
	"github.com/contiv/contiv/daemon/master/server/forward"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/tracing"
	"github.com/contiv/contiv/trust"
)

// Config is what a Server needs to pass on requests. It has nothing of a part's.
type Config struct {
	Catalog    *catalog.Catalog
	Commit     *commit.Committer
	Leadership forward.Leadership
	Internal   string // own internal address, "host:port"
	Users      caller.Users
	Scraper    caller.Scraper // authenticates tokens of Kubernetes for metrics; nil: none
	Recorder   Recorder       // of the audit
	Elsewhere  *Elsewhere
	// Insecure: nothing is authenticated, and everyone may do everything.
	Insecure bool
	// Answered counts requests.
	Answered *atomic.Uint64
	// Waiting names what is not ready yet; empty: everything is.
	Waiting func() []string
	// Keep is that of the committer: how far earlier moments can be read.
	Keep history.Keep
	// Stale returns why this netmaster may know less than the store has, or ""; nil: it never does.
	Stale func() string
	// AnswerLimit is how long a leader may take to answer what a follower passes on; 0: 20 seconds.
	AnswerLimit time.Duration
	Transport   peer.Transport // to other masters
	// Hosts are the names under which this netmaster is reached; nil: those of the machine, and of Internal.
	Hosts *httpserver.Names
	// Limits bound what runs at once. The zero Limits are the defaults.
	Limits Limits
	// Gates enforce limits that can change; nil: those of Limits.
	Gates Gates
	// Doors bound the connections of the listeners; the metrics show them.
	Doors []*httpserver.Connections
	// Incarnation is the store's; the zero value: no answer has it.
	Incarnation record.Incarnation
	// Traces has a span for each request that belongs to a trace; nil: nothing is traced.
	Traces *tracing.Recorder
	Log    *slog.Logger
}

// Server answers netmaster's HTTP requests.
type Server struct {
	Config
	handler  http.Handler
	router   *rest.Router
	registry *prometheus.Registry
	metrics  *metrics
	gates    Gates
	attempts map[string]*httpserver.Attempts // at routes that ask for no proof
}

// New returns a Server of the routes and metrics of p. A described route that no part or more than one serves is an error, as is a route without description.
func New(c Config, p part.Part) (*Server, error) {
	if c.Stale == nil {
		c.Stale = func() string { return "" }
	}
	if c.Hosts == nil {
		c.Hosts = httpserver.NewNames(peer.Host(c.Internal))
	}
	r, registry := rest.NewRouter(c.Log), prometheus.NewRegistry()
	s := &Server{Config: c, router: r, registry: registry, gates: c.Gates}
	if s.gates == nil {
		s.gates = NewGates(c.Limits)
	}
	s.metrics = newMetrics(s.gates, c.Doors, registry)
	registry.MustRegister(p.Metrics...)
	for _, add := range p.Routes {
		add(r)
	}
	shown := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	r.GET("/metrics", func(w http.ResponseWriter, q *http.Request, _ httprouter.Params) { shown.ServeHTTP(w, q) }).Allow(rest.Needs(rights.Read, trust.Master, trust.Monitor))
	if err := r.Check(api.Routes()); err != nil {
		return nil, fmt.Errorf("routes of netmaster: %w", err)
	}
	s.attempts = opened(r, time.Now)
	callers := &caller.Authenticator{Users: c.Users, Scraper: c.Scraper, Catalog: c.Catalog, Internal: c.Internal, Insecure: c.Insecure, Match: r.Match, Refused: c.Recorder.refused}
	leader := &forward.Forwarder{Leadership: c.Leadership, Writable: c.Commit.Active, Callers: callers, Refused: c.Recorder.refused, Router: r, Internal: c.Internal,
		Transport: c.Transport.Straight(), CatchUp: c.Catalog.Wait, Waiting: c.Waiting, AnswerLimit: c.AnswerLimit}
	s.handler = s.measured(s.identifies(httpserver.Recovered(c.Log, s.metrics.panics.Inc,
		httpserver.Visitors(c.Hosts, []string{"/healthz", "/readyz"}, callers.Authenticated(s.bounded(s.current(leader.Handler(s.charged(s.audited(s.traced(earlier.New(c.Catalog, c.Keep, c.Log).Handler(r))))))))))))
	return s, nil
}

// Describe describes all metrics.
func (s *Server) Describe(out chan<- *prometheus.Desc) { s.registry.Describe(out) }

// Collect collects all metrics.
func (s *Server) Collect(out chan<- prometheus.Metric) { s.registry.Collect(out) }

// Routes lists what the server serves.
func (s *Server) Routes() []rest.Route { return s.router.Routes() }

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, q *http.Request) { s.handler.ServeHTTP(w, q) }

// Strangers bounds the requests with a body whose sender has proved nothing.
func (s *Server) Strangers() *httpserver.Gate { return s.gates[strangersGate] }
