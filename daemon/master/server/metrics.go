package server

import (
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/fabric"
)

// metrics are netmaster's counters.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	answered atomic.Uint64 // requests, for Node
}

func newMetrics(c Config, registry *prometheus.Registry) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "contiv_master_requests_total", Help: "HTTP requests answered.",
		}, []string{"method", "route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "contiv_master_request_seconds", Help: "Time to answer an HTTP request.",
			Buckets: []float64{.0005, .001, .002, .005, .01, .02, .05, .1, .5, 1, 5},
		}, []string{"method", "route"}),
	}
	registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "contiv_master_policy_records_pending", Help: "Records of policy rules that are still to be written or removed.",
		}, func() float64 { return float64(c.Settler.Pending()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "contiv_master_policy_records_settled_total", Help: "Records of policy rules written or removed behind the change that caused them.",
		}, func() float64 { return float64(c.Settler.Written()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "contiv_master_aci_posts_total", Help: "Application profiles that the ACI gateway took or removed.",
		}, func() float64 { return float64(c.Fabric.Posted()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "contiv_master_aci_failures_total", Help: "Requests that the ACI gateway refused or did not answer.",
		}, func() float64 { return float64(c.Fabric.Failed()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "contiv_master_aci_profiles_waiting", Help: "Application profiles that the ACI gateway does not know as they are.",
		}, func() (n float64) {
			c.Catalog.View(func(v *catalog.View) { n = float64(fabric.Waiting(v)) })
			return n
		}))
	stats := c.Commit.Stats()
	counter := func(name, help string, value func() uint64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(value()) })
	}
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	count := func(of func(v *catalog.View) int) func() float64 {
		return func() (n float64) {
			c.Catalog.View(func(v *catalog.View) { n = float64(of(v)) })
			return n
		}
	}
	registry.MustRegister(m.requests, m.seconds,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		counter("contiv_master_store_transactions_total", "Store transactions committed.", stats.Transactions.Load),
		counter("contiv_master_store_requests_total", "Requests that the transactions carried.", stats.Requests.Load),
		counter("contiv_master_store_bytes_total", "Keys and values of the transactions.", stats.Bytes.Load),
		counter("contiv_master_store_failures_total", "Store transactions that were not committed.", stats.Failed.Load),
		gauge("contiv_master_leader", "1 while this netmaster leads.", func() float64 {
			if c.Leadership.Leading() {
				return 1
			}
			return 0
		}),
		gauge("contiv_master_revision", "Store revision that this netmaster knows.", func() float64 { return float64(c.Catalog.Revision()) }),
		gauge("contiv_master_networks", "Networks.", count(func(v *catalog.View) int { return len(v.Networks("")) })),
		gauge("contiv_master_endpoints", "Endpoints.", count(func(v *catalog.View) int { return v.CountEndpoints() })),
	)
	return m
}

// measured counts requests and times them, by route rather than by path.
func (s *Server) measured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		start, out := time.Now(), &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(out, q)
		s.metrics.answered.Add(1)
		route := routeOf(q.URL.Path)
		s.metrics.requests.WithLabelValues(q.Method, route, strconv.Itoa(out.status)).Inc()
		if route != "/api/v1/watch" {
			s.metrics.seconds.WithLabelValues(q.Method, route).Observe(time.Since(start).Seconds())
		}
		s.Log.Debug("request", "method", q.Method, "path", q.URL.Path, "status", out.status, "ms", time.Since(start).Milliseconds(), "from", q.RemoteAddr)
	})
}

// routeOf shortens a path to what it asks for, so that the number of labels stays small whatever clients send.
func routeOf(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	keep := 2
	if len(parts) > 2 && parts[0] == "api" {
		if keep = 3; parts[2] == "inspect" {
			keep = 4
		}
	}
	parts = parts[:min(keep, len(parts))]
	for _, p := range parts {
		if len(p) > 32 || strings.ContainsAny(p, ":%") {
			return "other"
		}
	}
	switch parts[0] {
	case "api", "plugin", "version", "info", "healthz", "readyz", "metrics", "debug":
		return "/" + strings.Join(parts, "/")
	}
	return "other"
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader notes the status.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
