// Package mastertest runs a whole netmaster in the test's process: the real catalog, rules, committer and HTTP server
// over a store in memory (or any other), with a leadership that the test holds.
package mastertest

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/api/client"
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
	"github.com/contiv/contiv/daemon/master/server"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
)

// Master is a running netmaster.
type Master struct {
	*client.Client
	URL     string
	Store   store.Store
	Catalog *catalog.Catalog
	Commit  *commit.Committer
	Fence   store.Fence
	Settler *derive.Settler
	Fabric  *fabric.Poster
	// Service is what stands behind the agents' routes.
	Service *endpoint.Service
	// Routes are what its server serves.
	Routes []rest.Route
	// Stop ends the master as a crash does: nothing is given back. The end of the test stops it too.
	Stop func()
}

// Options change what Start makes.
type Options struct {
	Store       store.Store // nil: one in memory
	ClusterMode string      // "": kubernetes
	FwdMode     string      // "": bridge
	Now         func() time.Time
	ACIGateway  string        // URL; "": nobody listens
	Keep        history.Keep  // of the history; Now counts unless it has a clock of its own
	Quarantine  time.Duration // of addresses after their release
	Limits      server.Limits
}

// leading is the leadership of the only master.
type leading struct {
	address string
	term    store.Revision
}

func (l leading) Leader() string   { return l.address }
func (l leading) Since() time.Time { return time.Time{} }
func (l leading) Leading() bool    { return true }
func (l leading) Term() uint64     { return uint64(l.term) }

func (l leading) StepDown(context.Context, cluster.Heir) error {
	return errors.New("this master leads as long as the test lasts")
}

// Start runs a master until the test ends.
func Start(tb testing.TB, o Options) *Master {
	tb.Helper()
	if o.Store == nil {
		o.Store = memory.New()
	}
	if o.ClusterMode == "" {
		o.ClusterMode = "kubernetes"
	}
	if o.FwdMode == "" {
		o.FwdMode = "bridge"
	}
	if o.Keep.Now == nil {
		o.Keep.Now = o.Now
	}
	log := slog.New(slog.DiscardHandler)
	ctx, cancel := context.WithCancel(context.Background())
	free, lock := &store.Tx{}, &store.Tx{}
	free.Delete(record.LeaderKey) // of a master before this one
	if _, err := o.Store.Commit(ctx, free); err != nil {
		tb.Fatal(err)
	}
	lock.Put(record.LeaderKey, []byte("127.0.0.1:9999"))
	rev, err := o.Store.Commit(ctx, lock)
	if err != nil {
		tb.Fatal(err)
	}
	m := &Master{Store: o.Store, Catalog: catalog.New(), Fence: store.Fence{Key: record.LeaderKey, Created: rev}}
	m.Commit = commit.New(o.Store, m.Catalog, o.Keep, log)
	feed := catalog.NewFeed(m.Catalog, o.Store, log)
	admitter := admit.New(admit.Settings{ClusterMode: o.ClusterMode, InfraType: "default", FwdMode: o.FwdMode})
	done := make(chan struct{}, 2)
	go func() { _ = feed.Run(ctx); done <- struct{}{} }()
	<-feed.Ready()
	m.Settler = derive.NewSettler(m.Commit, m.Catalog, log)
	m.Fabric = fabric.NewPoster(fabric.Config{Gateway: &fabric.Gateway{URL: o.ACIGateway}, Commit: m.Commit, Catalog: m.Catalog, Pause: 10 * time.Millisecond, Log: log})
	go func() {
		first := func(tx *commit.Tx) error { return errors.Join(admitter.Bootstrap(tx), server.Secret(tx)) }
		_ = m.Commit.RunFrom(ctx, m.Fence, first, m.Settler.Run, m.Fabric.Run)
		done <- struct{}{}
	}()
	for !m.Commit.Active() {
		time.Sleep(time.Millisecond)
	}
	m.Service = endpoint.New(m.Commit, m.Catalog, endpoint.Settings{ClusterMode: o.ClusterMode, Quarantine: o.Quarantine, Now: o.Now}, log)
	s := server.New(server.Config{
		Catalog: m.Catalog, Commit: m.Commit, Admit: admitter,
		Endpoints: m.Service, Keep: o.Keep,
		Settler: m.Settler, Fabric: m.Fabric,
		Leadership: leading{"127.0.0.1:9999", rev}, Store: o.Store, ClusterMode: o.ClusterMode, Internal: "127.0.0.1:9999",
		Version: model.Version{Version: "test", GitCommit: "0000000", BuildTime: "never"}, Started: time.Now(),
		Waiting: func() []string { return nil }, Limits: o.Limits, Log: log,
	}, prometheus.NewRegistry())
	m.Routes = s.Routes()
	front := httptest.NewServer(s)
	m.URL = front.URL
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	m.Client = &client.Client{Base: front.URL, HTTP: &http.Client{Transport: transport}}
	m.Stop = sync.OnceFunc(func() {
		cancel()
		<-done
		<-done
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
