// SPDX-License-Identifier: Apache-2.0

// Package mastertest runs a whole netmaster in the test's process: the real catalog, rules, committer and HTTP server
// over a store in memory (or any other), with a leadership that the test holds.
package mastertest

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/cluster"
	"github.com/contiv/contiv/daemon/httpserver"
	"github.com/contiv/contiv/daemon/master/aci"
	"github.com/contiv/contiv/daemon/master/adopt"
	"github.com/contiv/contiv/daemon/master/alert"
	"github.com/contiv/contiv/daemon/master/audit"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/master/membership"
	"github.com/contiv/contiv/daemon/master/netmaster"
	"github.com/contiv/contiv/daemon/master/relay"
	"github.com/contiv/contiv/daemon/master/server"
	"github.com/contiv/contiv/daemon/master/server/caller"
	"github.com/contiv/contiv/daemon/master/server/proxy"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/tracing"
	"github.com/contiv/contiv/trust"
)

// Master is a running netmaster.
type Master struct {
	channel.Master
	*enginetest.World
	URL string
	ACI *aci.Notifier
	// Users are the users of the cluster.
	Users *auth.Users
	// Proxied is the handler of the original's auth proxy.
	Proxied http.Handler
	// Audit is the audit log.
	Audit *audit.Log
	// Relay sends records to agents.
	Relay *relay.Relay
	// Routes are the routes of its server.
	Routes []rest.Route
	// Metrics are the metrics of its server.
	Metrics prometheus.Collector
	// Stop ends the master as a crash does: it releases nothing. The end of the test stops it too.
	Stop func()
	// Away cuts all clients off, and refuses connections until Back.
	Away, Back func()
}

// Options are the options of Start.
type Options struct {
	Store       store.Store // nil: one in memory
	ClusterMode string      // "": kubernetes
	FwdMode     string      // "": bridge
	Now         func() time.Time
	ACIGateway  string         // URL; "": no one listens
	Keep        history.Keep   // of the history; Now counts unless it has a clock of its own
	Quarantine  *time.Duration // of addresses after their release; nil: as their owners need
	Limits      server.Limits
	Kubernetes  func() *model.KubernetesStatus // nil: it does not read Kubernetes
	// Secure: requests must be authenticated. Otherwise every client has all rights. See As.
	Secure    bool
	AuditKeep int                         // events of the audit; 0: as many as a netmaster keeps
	Directory auth.Directory              // of users who are not of the cluster; nil: there is none
	Provider  auth.Provider               // of others; nil: there is none
	Seal      func() (*trust.Seal, error) // of secrets; nil: there is none
	Recent    func() []byte               // lines of its log; nil: none are kept
	Stale     func() string               // why it may know less than the store has; nil: it never does
	Traces    *tracing.Recorder           // of requests that belong to a trace; nil: none
	// Incarnation is that of the store; if zero, answers do not contain it.
	Incarnation record.Incarnation
}

// leading is the leadership of the only master.
type leading struct {
	address string
	term    store.Revision
}

func (l leading) Leader() string         { return l.address }
func (leading) Changed() <-chan struct{} { return nil }
func (l leading) Since() time.Time       { return time.Time{} }
func (l leading) Leading() bool          { return true }
func (l leading) Term() uint64           { return uint64(l.term) }
func (l leading) Lock() (string, uint64) { return l.address, uint64(l.term) }

func (l leading) StepDown(context.Context, cluster.Successor) error {
	return errors.New("this master leads as long as the test lasts")
}

// Start runs a master until the test ends.
func Start(tb testing.TB, o Options) *Master {
	tb.Helper()
	if o.ClusterMode == "" {
		o.ClusterMode = "kubernetes"
	}
	if o.Keep.Now == nil {
		o.Keep.Now = o.Now
	}
	log := slog.New(slog.DiscardHandler)
	m := &Master{}
	m.World = enginetest.Start(tb, enginetest.Options{
		Store: o.Store, ClusterMode: o.ClusterMode, FwdMode: o.FwdMode, Keep: o.Keep, Quarantine: o.Quarantine, Now: o.Now, First: caller.Secret,
		Beside: func(w *enginetest.World) func(context.Context) {
			m.ACI = aci.NewNotifier(aci.Config{Gateway: &aci.Gateway{URL: o.ACIGateway}, Commit: w.Commit, Catalog: w.Catalog, Pause: 10 * time.Millisecond, Log: log})
			return m.ACI.Run
		},
	})
	m.Users = auth.NewUsers(auth.Config{Commit: m.Commit, Catalog: m.Catalog, Directory: o.Directory, Provider: o.Provider, Seal: o.Seal, Now: o.Now, Cheap: true})
	m.Audit = audit.New(audit.Config{Commit: m.Commit, Catalog: m.Catalog, Now: o.Now, Keep: o.AuditKeep, Log: log})
	m.Relay = relay.New(m.Catalog, o.Incarnation.ID, func() string { return "" }, slog.New(slog.DiscardHandler))
	telling, quiet := context.WithCancel(context.Background())
	go func() { _ = m.Relay.Run(telling) }()
	all := &netmaster.Master{
		Self: netmaster.Self{Internal: enginetest.Leader, Version: model.Version{Version: "test", GitCommit: "0000000", BuildTime: "never"}, Started: time.Now(), Resources: func() []model.Resource { return nil }, Validity: func() *model.Validity { return nil },
			Incarnation: o.Incarnation, ClusterMode: o.ClusterMode, Insecure: !o.Secure, Keep: o.Keep, Recent: o.Recent, Kubernetes: o.Kubernetes},
		Store: m.Store, Catalog: m.Catalog, Commit: m.Commit, Admit: m.Admit, Endpoints: m.Service, Users: m.Users, Audit: m.Audit, ACI: m.ACI, Alerts: alert.New(alert.Config{Commit: m.Commit, Catalog: m.Catalog, Log: log}), Relay: m.Relay, Registrar: m.Registrar,
		Adopter:    adopt.New(adopt.Config{Commit: m.Commit, Catalog: m.Catalog, Admit: m.Admit, Incarnation: o.Incarnation, Now: o.Now, Log: log}),
		Enroll:     membership.NewEnroller(membership.EnrollerConfig{Commit: m.Commit, Catalog: m.Catalog, Log: log}),
		Leadership: leading{enginetest.Leader, m.Fence.Created}, Waiting: func() []string { return nil }, Log: log,
	}
	s, _, err := all.Assemble(server.Config{Stale: o.Stale, Limits: o.Limits, Traces: o.Traces})
	if err != nil {
		tb.Fatal(err)
	}
	m.Metrics = s
	m.Routes, m.Proxied = s.Routes(), proxy.New(s, s.Strangers())
	told := refusals(tb, s)
	front := httptest.NewUnstartedServer(nil)
	var away atomic.Bool
	front.Config = httpserver.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if away.Load() {
			panic(http.ErrAbortHandler)
		}
		told.ServeHTTP(w, certified(q))
	}), httpserver.Ordinary(), log)
	front.Config.Protocols = channel.Protocols()
	front.Start()
	m.URL = front.URL
	m.Away = func() {
		away.Store(true)
		front.CloseClientConnections()
	}
	m.Back = func() { away.Store(false) }
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	m.Master.Client = &client.Client{Base: front.URL, HTTP: &http.Client{Transport: transport}}
	end := m.World.Stop
	m.Stop = sync.OnceFunc(func() {
		end()
		quiet()
		front.CloseClientConnections()
		front.Close()
		transport.CloseIdleConnections()
	})
	tb.Cleanup(m.Stop)
	return m
}

// Endpoint creates an endpoint through the REST client and fails the test when it is refused.
func (m *Master) Endpoint(tb testing.TB, tenant, network, group, container, wanted string) record.Endpoint {
	tb.Helper()
	e, _, err := m.CreateEndpoint(context.Background(), model.CreateEndpointRequest{
		TenantName: tenant, NetworkName: network, ServiceName: group, EndpointID: container,
		ConfigEP: model.EndpointConfigRequest{Container: container, Host: "h1", IPAddress: wanted, ServiceName: group},
	})
	if err != nil {
		tb.Fatalf("create endpoint %s on %s.%s: %v", container, network, tenant, err)
	}
	return e
}

// Reporting opens the stream of a host's agent until the test ends. The returned function reports the agent's status, and the revision up to
// which everything is past the switch's barrier.
func (m *Master) Reporting(tb testing.TB, host string) func(status model.AgentStatus, revision uint64) {
	tb.Helper()
	st, err := m.Relay.Open(context.Background(), channel.Hello{Host: host})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(st.Close)
	return func(status model.AgentStatus, revision uint64) {
		text, err := json.Marshal(status)
		if err != nil {
			tb.Fatal(err)
		}
		st.Report(channel.Report{Revision: revision, Status: text})
	}
}
