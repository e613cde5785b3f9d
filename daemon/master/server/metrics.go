package server

import (
	"cmp"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/aci"
	"github.com/contiv/contiv/daemon/master/catalog"
)

// metrics are netmaster's counters.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	panics   prometheus.Counter
	answered atomic.Uint64 // requests, for Node
}

// readings is a registry with metrics that are read when they are asked for; their names begin with contiv_master.
type readings struct{ *prometheus.Registry }

func (r readings) gauge(name, help string, read func() float64) {
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "contiv", Subsystem: "master", Name: name, Help: help}, read))
}

func (r readings) counter(name, help string, read func() uint64) {
	r.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: "contiv", Subsystem: "master", Name: name, Help: help},
		func() float64 { return float64(read()) }))
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
	r := readings{registry}
	r.MustRegister(m.requests, m.seconds, m.panics, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	g.show(r, c.Doors)
	count := func(of func(v *catalog.View) int) func() float64 {
		return func() (n float64) {
			c.Catalog.View(func(v *catalog.View) { n = float64(of(v)) })
			return n
		}
	}
	r.counter("aci_posts_total", "Application profiles that the ACI gateway took or removed.", c.ACI.Posted)
	r.counter("aci_failures_total", "Requests that the ACI gateway refused or did not answer.", c.ACI.Failed)
	r.gauge("aci_profiles_waiting", "Application profiles that the ACI gateway does not know as they are.", count(aci.Waiting))
	r.counter("audit_dropped_total", "Events of the audit that were not stored: too many waited, or the store cannot take them.", c.Audit.Dropped)
	stats := c.Commit.Stats()
	r.counter("store_transactions_total", "Store transactions committed.", stats.Transactions.Load)
	r.counter("store_requests_total", "Requests that the transactions carried.", stats.Requests.Load)
	r.counter("store_bytes_total", "Keys and values of the transactions.", stats.Bytes.Load)
	r.counter("store_failures_total", "Store transactions that were not committed.", stats.Failed.Load)
	r.MustRegister(newSpace(c.Space))
	c.Snapshots.show(r)
	r.counter("shards_resent_total", "Parts of the store that were sent again to agents that held something else.", c.Relay.Resent)
	r.gauge("leader", "1 while this netmaster leads.", func() float64 {
		if c.Leadership.Leading() {
			return 1
		}
		return 0
	})
	r.gauge("revision", "Store revision that this netmaster knows.", func() float64 { return float64(c.Catalog.Revision()) })
	r.gauge("networks", "Networks.", count(func(v *catalog.View) int { return len(v.Networks("")) }))
	r.gauge("endpoints", "Endpoints.", count((*catalog.View).CountEndpoints))
	return m
}

// measured counts requests and times them, by route rather than by path.
func (s *Server) measured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		start, out := time.Now(), &statusWriter{ResponseWriter: w}
		defer func() {
			s.metrics.answered.Add(1)
			route := s.router.Match(q)
			if route == nil {
				route = &rest.Route{Method: methodOf(q), Path: other}
			}
			s.metrics.requests.WithLabelValues(route.Method, route.Path, strconv.Itoa(cmp.Or(out.status, http.StatusOK))).Inc()
			if !route.Stream {
				s.metrics.seconds.WithLabelValues(route.Method, route.Path).Observe(time.Since(start).Seconds())
			}
			s.Log.Debug("request", "method", q.Method, "path", q.URL.Path, "status", out.status, "duration", time.Since(start), "from", q.RemoteAddr)
		}()
		next.ServeHTTP(out, q)
	})
}

// other is the method or the route of a request that none was added for, so that the number of labels stays small whatever clients
// send.
const other = "other"

func methodOf(q *http.Request) string {
	switch q.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete:
		return q.Method
	}
	return other
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
