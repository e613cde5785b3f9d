// Package server is netmaster's front: the object routes, the routes of agents, information, health, and the forwarding
// of what only the leader may do.
package server

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/admit"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/derive"
	"github.com/contiv/contiv/daemon/store"
)

// heartbeat is how often a watch stream says something even when nothing changes.
const heartbeat = 5 * time.Second

// backend serves objects from the catalog and changes them through the committer.
type backend struct {
	catalog     *catalog.Catalog
	commit      *commit.Committer
	admit       *admit.Admitter
	settler     *derive.Settler
	clusterMode string
	// ask gets a JSON document of an agent.
	ask func(ctx context.Context, url string, out any) error
	log *slog.Logger
}

var _ rest.Backend = (*backend)(nil)

// List returns all objects of a kind.
func (b *backend) List(_ context.Context, k *model.Kind) (out []json.RawMessage, err error) {
	b.catalog.View(func(v *catalog.View) { out, err = v.Texts(k) })
	return out, err
}

// Get returns one object.
func (b *backend) Get(_ context.Context, k *model.Kind, key string) (out model.Object, err error) {
	b.catalog.View(func(v *catalog.View) {
		if out = v.Object(k, key); out == nil {
			err = v.NotFound(k, key)
		}
	})
	return out, err
}

// Put creates or updates an object.
func (b *backend) Put(ctx context.Context, object model.Object, again bool) (model.Object, uint64, error) {
	rev, err := settled(ctx, b.commit.InTurn, b.settler, func(tx *commit.Tx) error {
		object := object.Clone() // the rules fill in what an update leaves as it was, and may be asked again
		if again {
			if old := tx.Object(object.Kind(), object.ObjectKey()); old != nil && len(model.Differences(old, object)) == 0 {
				tx.Postpone() // what follows from the first attempt may be under way
				return nil
			}
		}
		return b.admit.Put(tx, object)
	})
	if err != nil {
		return nil, 0, err
	}
	stored, err := b.Get(ctx, object.Kind(), object.ObjectKey())
	if err != nil { // deleted again meanwhile
		return object, uint64(rev), nil
	}
	return stored, uint64(rev), nil
}

// Delete removes an object.
func (b *backend) Delete(ctx context.Context, k *model.Kind, key string, again bool) (uint64, error) {
	rev, err := settled(ctx, b.commit.InTurn, b.settler, func(tx *commit.Tx) error {
		if again && !tx.Has(k.Name, key) {
			tx.Postpone()
			return nil
		}
		return b.admit.Remove(tx, k, key)
	})
	return uint64(rev), err
}

// settled makes a change through do, a method of a committer, and waits for the records that follow from it, when its
// transaction did not carry them. It returns the revision of the last of them.
func settled(ctx context.Context, do func(context.Context, func(*commit.Tx) error) (store.Revision, error), s *derive.Settler, fn func(*commit.Tx) error) (store.Revision, error) {
	later := false
	rev, err := do(ctx, func(tx *commit.Tx) error {
		later = false
		tx.OnPostpone(func() { later = true })
		return fn(tx)
	})
	if err != nil || !later {
		return rev, err
	}
	return s.Wait(ctx, rev)
}

// Watch yields everything of the kinds and then each change. States between may be missed, the last never is.
func (b *backend) Watch(ctx context.Context, kinds []*model.Kind) iter.Seq[model.Event] {
	return func(yield func(model.Event) bool) {
		wanted := map[string]*model.Kind{}
		sub := b.catalog.Subscribe()
		defer sub.Close()
		var events []model.Event
		b.catalog.View(func(v *catalog.View) {
			for _, k := range kinds {
				wanted[k.Name] = k
				events = append(events, b.full(v, k))
			}
			events = append(events, model.Event{Type: model.EventSync, Revision: uint64(v.Revision())})
		})
		for _, e := range events {
			if !yield(e) {
				return
			}
		}
		for dirty := range sub.Changes(ctx, heartbeat) {
			events = events[:0]
			b.catalog.View(func(v *catalog.View) {
				for ref := range dirty {
					if k := wanted[ref.Kind]; k != nil {
						events = append(events, b.change(v, k, ref.Key))
					}
				}
				events = append(events, model.Event{Type: model.EventSync, Revision: uint64(v.Revision())})
			})
			for _, e := range events {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// full is everything of one kind.
func (b *backend) full(v *catalog.View, k *model.Kind) model.Event {
	e := model.Event{Type: model.EventFull, Kind: k.Name, Items: []json.RawMessage{}, Revision: uint64(v.Revision())}
	if k.InspectOnly {
		for m := range v.Members {
			text, err := keyed(m)
			if err != nil {
				b.log.Error("encode endpoints for the watch stream", "err", err)
				continue
			}
			e.Items = append(e.Items, text)
		}
		return e
	}
	items, err := v.Texts(k)
	if err != nil {
		b.log.Error("encode objects for the watch stream", "err", err)
		return e
	}
	e.Items = items
	return e
}

// change is the present state of one object.
func (b *backend) change(v *catalog.View, k *model.Kind, key string) model.Event {
	e := model.Event{Type: model.EventDelete, Kind: k.Name, Key: key, Revision: uint64(v.Revision())}
	if k.InspectOnly {
		if m := v.Member(key); m != nil {
			text, err := keyed(m)
			if err != nil {
				b.log.Error("encode an endpoint for the watch stream", "err", err)
				return e
			}
			e.Type, e.Object = model.EventPut, text
		}
		return e
	}
	text, err := v.Text(k, key)
	if err != nil {
		b.log.Error("encode an object for the watch stream", "err", err)
	}
	if text != nil {
		e.Type, e.Object = model.EventPut, text
	}
	return e
}
