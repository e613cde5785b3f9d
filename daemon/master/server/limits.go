package server

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/daemon/door"
)

// Limits bound how much goes on at once; one client has a quarter at most. 0 is the default.
type Limits struct {
	Watches  int // streams of changes
	Captures int // of packets
	Traces   int // questions that switches are asked, or all agents
}

// Defaults of Limits.
const (
	DefaultWatches  = 1024
	DefaultCaptures = 32
	DefaultTraces   = 64
)

// longBody is for how long a client may send a request that is longer than others.
const longBody = 2 * time.Minute

// The routes whose answers are streams.
const (
	watchRoute   = "/api/v1/watch"
	captureRoute = "/api/v1/capture"
)

var streams = []string{watchRoute, captureRoute}

// gates are the bounds of what costs much.
type gates struct{ watches, captures, traces *door.Gate }

func newGates(l Limits) gates {
	return gates{
		door.NewGate("watches", "max-watches", cmp.Or(l.Watches, DefaultWatches)),
		door.NewGate("captures", "max-captures", cmp.Or(l.Captures, DefaultCaptures)),
		door.NewGate("traces and inspections of agents", "max-traces", cmp.Or(l.Traces, DefaultTraces)),
	}
}

// of is the gate of a route; nil: it has none.
func (g gates) of(route string) *door.Gate {
	switch {
	case route == watchRoute:
		return g.watches
	case route == captureRoute:
		return g.captures
	case route == "/api/v1/why", strings.HasPrefix(route, "/api/v1/agents/"):
		return g.traces
	}
	return nil
}

// bounded gives every request an end, and what costs much a bound.
func (s *Server) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		route, _ := s.router.Match(q)
		if g := s.gates.of(route); g != nil {
			leave, err := g.Enter(door.Client(q.RemoteAddr))
			if err != nil {
				door.Refuse(w, q, err)
				return
			}
			defer leave()
		}
		if route == applyPath {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(longBody))
		}
		if slices.Contains(streams, route) {
			w = door.Stream(w)
		} else {
			w = door.Whole(w)
		}
		next.ServeHTTP(w, q)
	})
}

// show adds the bounds to the metrics.
func (g gates) show(registry *prometheus.Registry, doors []*door.Connections) {
	for name, gate := range map[string]*door.Gate{"watches": g.watches, "captures": g.captures, "traces": g.traces} {
		registry.MustRegister(
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "contiv_master_" + name, Help: "Of " + gate.Name() + ", those under way."},
				func() float64 { return float64(gate.Open()) }),
			prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "contiv_master_" + name + "_refused_total", Help: "Of " + gate.Name() + ", those that were too many."},
				func() float64 { return float64(gate.Refused()) }))
	}
	registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "contiv_master_connections", Help: "Connections of clients that are open."}, func() (n float64) {
			for _, d := range doors {
				n += float64(d.Open())
			}
			return n
		}),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "contiv_master_connections_refused_total", Help: "Connections of clients that were too many."}, func() (n float64) {
			for _, d := range doors {
				n += float64(d.Refused())
			}
			return n
		}))
}
