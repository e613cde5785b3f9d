// Package rest serves API objects over HTTP: the original's routes and JSON shapes for every kind, written once. What
// the objects mean is behind Backend.
package rest

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/selector"
)

// Backend is what stands behind the routes. Its methods are safe for concurrent use; refusals are *model.Error.
type Backend interface {
	// List returns objects of a kind with their links, ordered by key.
	List(ctx context.Context, k *model.Kind, q Query) (Page, error)
	// Get returns one object with its links.
	Get(ctx context.Context, k *model.Kind, key string) (model.Object, error)
	// MayChange refuses a change of the object of a key, as far as that is known without the object: one who may not make it gets no other reason.
	MayChange(ctx context.Context, k *model.Kind, key string) error
	// Put creates or updates object, which is validated and carries its key, and returns it as it is stored, with the
	// revision of the change. It blocks until the change is durable. With again, the request was sent before and may
	// have been carried out: an object that is there just so is success.
	Put(ctx context.Context, object model.Object, again bool) (model.Object, uint64, error)
	// Delete removes an object and returns the revision of the change. With again, one that is gone is success.
	Delete(ctx context.Context, k *model.Kind, key string, again bool) (uint64, error)
	// Inspect returns the kind's inspect value: configuration and operational state.
	Inspect(ctx context.Context, k *model.Kind, key string) (any, error)
	// Watch yields EventFull for each kind, EventSync, and then changes, each batch closed by EventSync, until ctx ends.
	// It ends early when the receiver is too slow; the receiver connects again. An object that comes to be selected is told by
	// EventPut, and one that ceases to be by EventDelete.
	Watch(ctx context.Context, of []Watched) iter.Seq[model.Event]
}

// Query is which objects of a kind are wanted.
type Query struct {
	Selector selector.Selector
	After    string // the last key of the page before; "": from the first
	Limit    int    // so many at the most; 0: all
}

// Page is what a list answers.
type Page struct {
	Items    []json.RawMessage // may be shared
	Next     string            // the last key, when more follow behind it; else ""
	Revision uint64            // at which this was so
}

// Watched is a kind that is watched.
type Watched struct {
	Kind     *model.Kind
	Selector selector.Selector
}
