// SPDX-License-Identifier: Apache-2.0

// Package objects serves the API's objects from the catalog, and changes them through the committer.
package objects

import (
	"context"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/master/admit"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/derive"
	"github.com/contiv/contiv/daemon/master/health"
	"github.com/contiv/contiv/daemon/master/part"
	"github.com/contiv/contiv/daemon/master/server/inspect"
)

// Objects is the backend of the object routes.
type Objects struct {
	inspect.Inspector
	Commit *commit.Committer
	Admit  *admit.Admitter
	Log    *slog.Logger
}

var _ rest.Backend = (*Objects)(nil)

// Part returns the part of the objects: their routes, the cluster's first objects, and how the store takes changes.
func (o *Objects) Part() part.Part {
	stats := o.Commit.Stats()
	count := func(of func(v *catalog.View) int) func() float64 {
		return func() (n float64) {
			o.Catalog.View(func(v *catalog.View) { n = float64(of(v)) })
			return n
		}
	}
	return part.Part{
		Routes: []func(*rest.Router){o.Register},
		First:  []func(*commit.Tx) error{o.Admit.Bootstrap},
		Facts:  []func(*health.Snapshot){func(s *health.Snapshot) { s.Stalled, s.Waiting = o.Commit.Stalled() }},
		Metrics: []prometheus.Collector{
			part.Counter("store_transactions_total", "Store transactions committed.", stats.Transactions.Load),
			part.Counter("store_requests_total", "Requests that the transactions carried.", stats.Requests.Load),
			part.Counter("store_bytes_total", "Keys and values of the transactions.", stats.Bytes.Load),
			part.Counter("store_failures_total", "Store transactions that were not committed.", stats.Failed.Load),
			part.Gauge("revision", "Store revision that this netmaster knows.", func() float64 { return float64(o.Catalog.Revision()) }),
			part.Gauge("networks", "Networks.", count(func(v *catalog.View) int { return len(v.Networks("")) })),
			part.Gauge("endpoints", "Endpoints.", count((*catalog.View).CountEndpoints)),
		},
	}
}

// Register adds the routes of every kind, and the one that takes several objects at once.
func (o *Objects) Register(r *rest.Router) {
	rest.Mount(r, o)
	rest.Change(r, "/api/v1/apply", o.apply).Allow(rest.Users()).MaxBody = maxApply
	rest.Change(r, "/api/v1/labels", o.label).Allow(rest.Users())
}

// Get returns one object.
func (o *Objects) Get(ctx context.Context, k *model.Kind, key string) (out model.Object, err error) {
	if err := auth.Of(ctx).Object(rights.Read, k, key); err != nil {
		return nil, err
	}
	o.Catalog.View(func(v *catalog.View) {
		if out = v.Object(k, key); out == nil {
			err = v.NotFound(k, key)
		}
	})
	return out, hideNames(ctx, err)
}

// Inspect returns an object with its operational state.
func (o *Objects) Inspect(ctx context.Context, k *model.Kind, key string) (any, error) {
	who := auth.Of(ctx)
	if !k.InspectOnly {
		if err := who.Object(rights.Read, k, key); err != nil {
			return nil, err
		}
	} else if !who.SeesAll(k) { // an endpoint, which has several names: one of another tenant is as one that there is not
		var err error
		o.Catalog.View(func(v *catalog.View) {
			if e := v.FindEndpoint(key); e == nil || !who.Sees(k, e.ID.String()) {
				err = v.NotFound(k, key)
			}
		})
		if err != nil {
			return nil, hideNames(ctx, err)
		}
	}
	out, err := o.Inspector.Inspect(ctx, k, key)
	return out, hideNames(ctx, err)
}

// MayChange refuses to change an object of a key.
func (o *Objects) MayChange(ctx context.Context, k *model.Kind, key string) error {
	return auth.Of(ctx).Object(rights.Change, k, key)
}

// Put creates or updates an object.
func (o *Objects) Put(ctx context.Context, object model.Object, again bool) (model.Object, uint64, error) {
	if err := auth.Of(ctx).Changes(object); err != nil {
		return nil, 0, err
	}
	rev, err := o.Commit.InTurn(ctx, func(tx *commit.Tx) error {
		object := object.Clone() // the rules fill in what an update leaves as it was, and may be asked again
		if old := tx.Object(object.Kind(), object.ObjectKey()); again && old != nil {
			admit.KeepLabels(old, object)
			if len(model.Differences(old, object)) == 0 {
				return nil
			}
		}
		return o.Admit.Put(tx, object)
	})
	if err != nil {
		return nil, 0, hideNames(ctx, err)
	}
	var stored model.Object
	o.Catalog.View(func(v *catalog.View) { stored = v.Object(object.Kind(), object.ObjectKey()) })
	if stored == nil { // deleted again meanwhile
		return object, uint64(rev), nil
	}
	return stored, uint64(rev), nil
}

// Delete removes an object.
func (o *Objects) Delete(ctx context.Context, k *model.Kind, key string, again bool) (uint64, error) {
	if err := o.mayChangeStored(ctx, k, key); err != nil {
		return 0, err
	}
	rev, err := o.Commit.InTurn(ctx, func(tx *commit.Tx) error {
		if again && !tx.Has(k.Name, key) {
			return nil
		}
		return o.Admit.Remove(tx, k, key)
	})
	if err == nil && k == model.KindPolicy() {
		rev, err = derive.Clear(ctx, o.Commit, key)
	}
	return uint64(rev), hideNames(ctx, err)
}

// mayChangeStored refuses a change of an object that the subject may not change: by its key, and as it is stored.
func (o *Objects) mayChangeStored(ctx context.Context, k *model.Kind, key string) error {
	who := auth.Of(ctx)
	if err := who.Object(rights.Change, k, key); err != nil {
		return err
	}
	var stored model.Object
	o.Catalog.View(func(v *catalog.View) { stored = v.Stored(k, key) })
	if stored == nil {
		return nil
	}
	return who.Changes(stored)
}
