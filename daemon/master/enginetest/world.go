// SPDX-License-Identifier: Apache-2.0

// Package enginetest runs the engines of a netmaster in the test's process, over a store in memory and without a server. Tests describe
// their steps in lines, so that they depend on the engines' rules and not on their construction.
package enginetest

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/admit"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/derive"
	"github.com/contiv/contiv/daemon/master/endpoint"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/master/membership"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
)

// Options configure Start.
type Options struct {
	Store       store.Store // nil: one in memory
	ClusterMode string      // "": kubernetes
	FwdMode     string      // "": bridge
	Keep        history.Keep
	Quarantine  *time.Duration // of addresses after their release; nil: depends on their owners
	Now         func() time.Time
	Pods        endpoint.Pods // nil: without Kubernetes
	PodTenants  bool          // as in endpoint.Settings
	// First joins the leader's first transactions, until it changes nothing; nil: there is none.
	First func(tx *commit.Tx) error
	// Beside returns a duty of the leader's; nil: there is none.
	Beside func(w *World) func(context.Context)
}

// World has the engines of the only netmaster of a cluster, which leads.
type World struct {
	Store     store.Store
	Fence     store.Fence
	Catalog   *catalog.Catalog
	Commit    *commit.Committer
	Admit     *admit.Admitter
	Service   *endpoint.Service
	Registrar *membership.Registrar
	// Stop ends them as a crash does: nothing is released. The end of the test also stops them.
	Stop func()
}

// Leader is the address of the only netmaster.
const Leader = "127.0.0.1:9999"

// Start runs the engines until the test ends.
func Start(tb testing.TB, o Options) *World {
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
	log := slog.New(slog.DiscardHandler)
	ctx, cancel := context.WithCancel(context.Background())
	free, lock := &store.Tx{}, &store.Tx{}
	free.Delete(record.LeaderKey) // of a previous master
	if _, err := o.Store.Commit(ctx, free); err != nil {
		tb.Fatal(err)
	}
	lock.Put(record.LeaderKey, []byte(Leader))
	rev, err := o.Store.Commit(ctx, lock)
	if err != nil {
		tb.Fatal(err)
	}
	w := &World{Store: o.Store, Catalog: catalog.New(), Fence: store.Fence{Key: record.LeaderKey, Created: rev}}
	w.Commit = commit.New(o.Store, w.Catalog, o.Keep, log)
	w.Admit = admit.New(admit.Settings{ClusterMode: o.ClusterMode, InfraType: "default", FwdMode: o.FwdMode})
	w.Service = endpoint.New(w.Commit, w.Catalog, endpoint.Settings{ClusterMode: o.ClusterMode, Quarantine: o.Quarantine, Now: o.Now, Pods: o.Pods, PodTenants: o.PodTenants}, log)
	w.Registrar = membership.NewRegistrar(w.Commit, o.Now, log)
	feed := catalog.NewFeed(w.Catalog, o.Store, log)
	active := make(chan struct{})
	duties := []func(context.Context){func(context.Context) { close(active) }}
	if o.Beside != nil {
		duties = append(duties, o.Beside(w))
	}
	var running sync.WaitGroup
	running.Go(func() { _ = feed.Run(ctx) })
	<-feed.Ready()
	ended := make(chan error, 1)
	converge := derive.Converge()
	running.Go(func() {
		ended <- w.Commit.RunFrom(ctx, w.Fence, func(tx *commit.Tx) error {
			if o.First != nil {
				return errors.Join(w.Admit.Bootstrap(tx), o.First(tx), converge(tx))
			}
			return errors.Join(w.Admit.Bootstrap(tx), converge(tx))
		}, duties...)
	})
	w.Stop = sync.OnceFunc(func() { cancel(); running.Wait() })
	tb.Cleanup(w.Stop)
	select {
	case <-active:
	case err := <-ended:
		tb.Fatalf("the engines do not start: %v", err)
	}
	return w
}

// Say returns an error as tests compare it: "code field: message (remedy)"; "" is none.
func Say(err error) string {
	if err == nil {
		return ""
	}
	e := model.AsError(err)
	if e.Field == "" {
		return string(e.Code) + ": " + e.Error()
	}
	return string(e.Code) + " " + e.Field + ": " + e.Error()
}
