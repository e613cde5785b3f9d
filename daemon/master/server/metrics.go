// SPDX-License-Identifier: Apache-2.0

package server

import (
	"cmp"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/daemon/httpserver"
)

// metrics are netmaster's counters.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	panics   prometheus.Counter
}

func newMetrics(g Gates, doors []*httpserver.Connections, registry *prometheus.Registry) *metrics {
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
	registry.MustRegister(m.requests, m.seconds, m.panics, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	info := build.Info()
	registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "contiv_master_build_info", Help: "1; the labels describe the build.",
		ConstLabels: prometheus.Labels{"version": info.Version, "revision": info.GitCommit, "goversion": runtime.Version()}}, func() float64 { return 1 }))
	registry.MustRegister(g.metrics()...)
	registry.MustRegister(metricsOf(doors)...)
	return m
}

// measured counts requests and times them, by route rather than by path.
func (s *Server) measured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		start, out := time.Now(), &statusWriter{ResponseWriter: w}
		defer func() {
			s.Answered.Add(1)
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
