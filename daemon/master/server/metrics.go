package server

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
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
	panics   prometheus.Counter
	answered atomic.Uint64 // requests, for Node
}

func newMetrics(c Config, g gates, registry *prometheus.Registry) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "contiv_master_requests_total", Help: "HTTP requests answered.",
		}, []string{"method", "route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "contiv_master_request_seconds", Help: "Time to answer an HTTP request.",
			Buckets: []float64{.0005, .001, .002, .005, .01, .02, .05, .1, .5, 1, 5},
		}, []string{"method", "route"}),
		panics: prometheus.NewCounter(prometheus.CounterOpts{Name: "contiv_master_panics_total", Help: "Requests that met a defect of netmaster."}),
	}
	g.show(registry, c.Doors)
	registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "contiv_master_policy_records_pending", Help: "Records of policy rules that are still to be written or removed.",
		}, func() float64 { return float64(c.Settler.Pending()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "contiv_master_policy_owners_stuck", Help: "Groups and policies of which records cannot be written; the log and netctl node ls say why.",
		}, func() float64 { return float64(len(c.Settler.Stuck())) }),
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
	registry.MustRegister(m.requests, m.seconds, m.panics,
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
		start, out := time.Now(), &statusWriter{ResponseWriter: w}
		defer func() {
			s.metrics.answered.Add(1)
			method, route := s.labels(q)
			s.metrics.requests.WithLabelValues(method, route, strconv.Itoa(cmp.Or(out.status, http.StatusOK))).Inc()
			if !slices.Contains(streams, route) {
				s.metrics.seconds.WithLabelValues(method, route).Observe(time.Since(start).Seconds())
			}
			s.Log.Debug("request", "method", q.Method, "path", q.URL.Path, "status", out.status, "ms", time.Since(start).Milliseconds(), "from", q.RemoteAddr)
		}()
		next.ServeHTTP(out, q)
	})
}

// other is the method and the route of a request that none was added for.
const other = "other"

// labels are the method and the route of a request as they were added, so that the number of labels stays small whatever clients
// send.
func (s *Server) labels(q *http.Request) (method, route string) {
	if route, ok := s.router.Match(q); ok {
		return q.Method, route
	}
	switch q.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete:
		return q.Method, other
	}
	return other, other
}

// statusWriter remembers the status of an answer; 0: there is none yet.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader notes the status.
func (w *statusWriter) WriteHeader(status int) {
	w.status = cmp.Or(w.status, status)
	w.ResponseWriter.WriteHeader(status)
}

// Write notes that the answer has begun.
func (w *statusWriter) Write(b []byte) (int, error) {
	w.status = cmp.Or(w.status, http.StatusOK)
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
