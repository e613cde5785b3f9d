// SPDX-License-Identifier: Apache-2.0

// Package inspect serves the state of an agent over HTTP: status, readiness, metrics, flows with their owners, ports. It changes nothing,
// except for the master's cleanup of an endpoint and the repair of the switch.
package inspect

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/attach"
	"github.com/contiv/contiv/daemon/agent/bgp"
	"github.com/contiv/contiv/daemon/hostlog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// Forwarder is the part of *bridge.Reconciler that is shown.
type Forwarder interface {
	Summary() bridge.Summary
	Counters() bridge.Counters
	Status() []bridge.OwnerStatus
	Flows(ctx context.Context) ([]bridge.LiveFlow, error)
	View(fn func(s *ofnet.State))
	Hits(ctx context.Context, feature uint8) (map[uint64]bridge.Hits, error)
	HitsOf(ctx context.Context, c flow.Cookie) (bridge.Hits, error)
	Owner(k ofnet.Key) (bridge.OwnerStatus, bool)
	Owners(numbers []uint64) []ofnet.Key
	Wanted(k flow.Key) (flow.Flow, bool)
	Check(ctx context.Context) ([]bridge.Difference, error)
	Repair(ctx context.Context) error
	Drifted() []bridge.Difference
	DriftByKind() map[bridge.Kind]uint64
	Wait(ctx context.Context, rev uint64) error
}

// Drift is the part of *drift.Keeper that is shown.
type Drift interface {
	Check() ([]model.Difference, error)
	Repair(ctx context.Context) error
	Found() []model.Difference
	Counts() map[string]uint64
	Stuck() []model.Difference
}

// Attachments is the part of *attach.Engine that is shown.
type Attachments interface {
	List() []attach.Attachment
	Reclaim(ctx context.Context, id string) error
}

// Options configure Handler.
type Options struct {
	Forward    Forwarder
	Attach     Attachments
	Pipeline   *pipeline.Pipeline
	Status     func() model.AgentStatus
	Waiting    func() []string
	ICMPErrors func() uint64 // messages to senders about packets that were not forwarded; nil: none are sent
	Driver     func() Driver
	Called     func(endpoint string) string // the runtime's name of an endpoint's container; "": unknown
	Malformed  func() []string              // keys of malformed records
	Names      *Names                       // nil: the agent serves no names
	Router     func() (bgp.Status, error)
	Services   func() []*ofnet.Service
	Ports      Ports
	Version    model.Version
	Now        func() time.Time
	Control    Control
	NextHop    NextHop
	Findings   func(ctx context.Context) []model.Finding // of all checks of the host, run now
	Closed     Closed
	Packets    Packets
	Reach      Reach
	Observed   Observed // nil: connections are not observed
	Drift      Drift
	Observes   bool                   // the switch is repaired only on request
	Bounds     *Bounds                // nil: those of the default Limits
	Log        *slog.Logger           // nil: none
	Recent     func() []byte          // the last lines of the agent's log; nil: they are not kept
	Logs       *hostlog.Logs          // of this host; nil: they are not read
	Expires    func() time.Time       // when the agent's certificate ends; nil: it has none
	Metrics    []prometheus.Collector // further ones

	sampler *sampler
	panics  *atomic.Uint64
}

// Driver describes the agent's configuration.
type Driver struct {
	LocalIP   string
	Connected bool
	Bridge    string
	FwdMode   string
	ArpMode   string
	MTU       int
	Uplinks   []Uplink
	Endpoints []record.Endpoint
	Masters   []record.Service
	VTEPs     []netip.AddrPort
}

// Uplink is model.Uplink with names in the style of the original's shape.
type Uplink struct {
	Name    string
	Link    bool
	Active  bool
	LACP    string `json:",omitempty"`
	Partner string `json:",omitempty"`
	Port    uint32
	model.Traffic
}

// answerTimeout bounds the time of one request.
const answerTimeout = 20 * time.Second

// Handler serves the inspection routes.
func Handler(o Options) http.Handler {
	o.sampler, o.panics = newSampler(o.Forward.Flows, o.Now), new(atomic.Uint64)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", o.status)
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) { answer(w, o.Version) })
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { text(w, http.StatusOK, "ok\n") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if wait := o.Waiting(); len(wait) > 0 {
			text(w, http.StatusServiceUnavailable, "waiting for "+strings.Join(wait, "\nwaiting for ")+"\n")
			return
		}
		text(w, http.StatusOK, "ok\n")
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry(o), promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /inspect/driver", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, original(o.Driver(), o.Forward))
	})
	mux.HandleFunc("GET /inspect/flows", o.flows)
	mux.HandleFunc("GET /inspect/ports", func(w http.ResponseWriter, _ *http.Request) { answer(w, ports(o.Attach.List())) })
	mux.HandleFunc("GET /inspect/owners", func(w http.ResponseWriter, _ *http.Request) { answer(w, owners(o.Forward.Status())) })
	mux.HandleFunc("GET /inspect/rules", o.rules)
	mux.HandleFunc("GET /inspect/bgp", o.router)
	mux.HandleFunc("GET /inspect/nameserver", o.nameserver)
	mux.HandleFunc("GET /inspect/services", o.services)
	mux.HandleFunc("GET /inspect/traffic", o.traffic)
	mux.HandleFunc("GET /inspect/counters", o.counters)
	mux.HandleFunc("GET /inspect/published", o.published)
	mux.HandleFunc("GET /svcstats", o.svcstats)
	mux.HandleFunc("GET /inspect/trace", o.trace)
	mux.HandleFunc("GET /inspect/drift", o.drift)
	mux.HandleFunc("POST /inspect/drift", o.repair)
	mux.HandleFunc("POST /inspect/reach", o.reach)
	mux.HandleFunc("GET /inspect/findings", func(w http.ResponseWriter, q *http.Request) { answer(w, list(o.Findings(q.Context()))) })
	mux.HandleFunc("GET /inspect/malformed", func(w http.ResponseWriter, _ *http.Request) { answer(w, list(o.Malformed())) })
	mux.HandleFunc("GET /inspect/log", o.recent)
	mux.HandleFunc("GET /inspect/logs", o.logs)
	mux.HandleFunc("DELETE /debug/reclaimEndpoint/{id}", o.reclaim)
	unlimited := http.NewServeMux()
	unlimited.HandleFunc("GET "+capturePath, o.capture) // it has limits of its own
	unlimited.HandleFunc("GET "+observedPath, o.observed)
	unlimited.Handle("/", limited(mux))
	if o.Bounds == nil {
		o.Bounds = NewBounds(Limits{})
	}
	return guarded(o.Bounds, o.Log, o.panics, unlimited)
}

// limited adds a time limit to every request.
func limited(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), answerTimeout)
		defer cancel()
		h.ServeHTTP(w, r.WithContext(ctx))
	})
}

func answer(w http.ResponseWriter, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		text(w, http.StatusInternalServerError, err.Error()+"\n")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(body, '\n'))
}

func text(w http.ResponseWriter, status int, s string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(s))
}

// list returns an empty list for nil, so that JSON has an array.
func list[T any](v []T) []T {
	if v == nil {
		return []T{}
	}
	return v
}

// status answers at once, or, with ?revision=, when the switch has confirmed that revision of the store; after answerTimeout, the answer has
// the revision that the switch has reached.
func (o *Options) status(w http.ResponseWriter, r *http.Request) {
	if asked := r.URL.Query().Get("revision"); asked != "" {
		rev, err := strconv.ParseUint(asked, 10, 64)
		if err != nil {
			text(w, http.StatusBadRequest, "revision "+strconv.Quote(asked)+" is not a number\n")
			return
		}
		_ = o.Forward.Wait(r.Context(), rev) // the answer has the reached revision
	}
	answer(w, o.Status())
}

// recent returns the last lines of the agent's log.
func (o *Options) recent(w http.ResponseWriter, _ *http.Request) {
	if o.Recent == nil {
		text(w, http.StatusNotFound, "this agent keeps no lines of its log\n")
		return
	}
	text(w, http.StatusOK, string(o.Recent()))
}

// logs returns the last lines of the log of a part of this host.
func (o *Options) logs(w http.ResponseWriter, r *http.Request) {
	if o.Logs == nil {
		text(w, http.StatusNotFound, "this agent reads no logs\n")
		return
	}
	q := r.URL.Query()
	most, _ := strconv.Atoi(q.Get("lines")) // what is no number is the default
	lines, err := o.Logs.Read(q.Get("of"), q.Get("after"), most)
	if err != nil {
		e := model.AsError(err)
		text(w, e.Code.Info().Status, err.Error()+"\n")
		return
	}
	answer(w, lines)
}

func (o *Options) reclaim(w http.ResponseWriter, r *http.Request) {
	if err := o.Attach.Reclaim(r.Context(), r.PathValue("id")); err != nil {
		text(w, http.StatusInternalServerError, err.Error()+"\n")
		return
	}
	text(w, http.StatusOK, "")
}
