// SPDX-License-Identifier: Apache-2.0

package server

import (
	"cmp"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/httpserver"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/part"
)

// Limits bound how many requests of a kind run at once; one client has at most a quarter. 0 is the default.
type Limits struct {
	Watches   int // streams of changes
	Captures  int // of packets
	Traces    int // requests to switches, or to all agents
	Agents    int // streams of what concerns a host
	Bundles   int // support bundles that are written
	Strangers int // requests with a body whose sender is not authenticated
}

// Defaults of Limits.
const (
	DefaultWatches   = 1024
	DefaultCaptures  = 32
	DefaultTraces    = 64
	DefaultAgents    = 8192
	DefaultBundles   = 4
	DefaultStrangers = 256
)

// longBody is how long a client may take to send a request whose body may be longer than rest.MaxBody.
const longBody = 2 * time.Minute

// Gates are the bounds of expensive requests, by the name that routes give in Bound.
type Gates map[string]*httpserver.Gate

// NewGates returns the gates of limits.
func NewGates(l Limits) Gates {
	return Gates{
		"watches":     httpserver.NewGate("watches", "max-watches", cmp.Or(l.Watches, DefaultWatches)),
		"captures":    httpserver.NewGate("captures", "max-captures", cmp.Or(l.Captures, DefaultCaptures)),
		"agents":      httpserver.NewGate("agents", "max-agents", cmp.Or(l.Agents, DefaultAgents)),
		"bundles":     httpserver.NewGate("support bundles", "max-bundles", cmp.Or(l.Bundles, DefaultBundles)),
		strangersGate: httpserver.NewGate("requests of strangers", "max-strangers", cmp.Or(l.Strangers, DefaultStrangers)),
		"traces":      httpserver.NewGate("traces and inspections of agents", "max-traces", cmp.Or(l.Traces, DefaultTraces)),
	}
}

// Apply changes the limits.
func (g Gates) Apply(l Limits) {
	for name, gate := range NewGates(l) {
		g[name].SetMax(gate.Max())
	}
}

// bounded gives every request a deadline, and expensive ones a bound.
func (s *Server) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		route := s.router.Match(q)
		if route == nil {
			route = &rest.Route{}
		}
		strange := !auth.Of(q.Context()).Known()
		if g := s.gates[route.Bound]; g != nil && (route.Bound != strangersGate || strange) { // a netmaster bounds the requests that it forwards
			leave, err := g.Enter(httpserver.Client(q.RemoteAddr))
			if err != nil {
				httpserver.Refuse(w, q, err)
				return
			}
			defer leave()
		}
		if route.MaxBody > rest.MaxBody {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(longBody))
		}
		if route.Stream {
			w = httpserver.Stream(w)
		} else {
			w = httpserver.Whole(w)
		}
		next.ServeHTTP(w, q)
	})
}

// metrics returns the metrics of the bounds.
func (g Gates) metrics() (out []prometheus.Collector) {
	for name, gate := range g {
		out = append(out, part.Gauge(name, "Of "+gate.Name()+", those in progress.", func() float64 { return float64(gate.Open()) }),
			part.Counter(name+"_refused_total", "Of "+gate.Name()+", those refused above the maximum.", gate.Refused))
	}
	return out
}

// metricsOf returns the metrics of the connections of listeners.
func metricsOf(doors []*httpserver.Connections) []prometheus.Collector {
	return []prometheus.Collector{
		part.Gauge("connections", "Connections of clients that are open.", func() (n float64) {
			for _, d := range doors {
				n += float64(d.Open())
			}
			return n
		}),
		part.Counter("connections_refused_total", "Connections of clients refused above the maximum.", func() (n uint64) {
			for _, d := range doors {
				n += d.Refused()
			}
			return n
		}),
	}
}
