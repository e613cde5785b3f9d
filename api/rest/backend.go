// SPDX-License-Identifier: Apache-2.0

// Package rest serves API objects over HTTP: the original's routes and JSON shapes for every kind, written once. Backend implements the
// objects.
package rest

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/selector"
)

// Backend implements the routes. Its methods are safe for concurrent use; refusals are *model.Error.
type Backend interface {
	// List returns objects of a kind with their links, ordered by key.
	List(ctx context.Context, k *model.Kind, q Query) (Page, error)
	// Get returns one object with its links.
	Get(ctx context.Context, k *model.Kind, key string) (model.Object, error)
	// MayChange refuses a change of the object of a key, as far as possible without the object: a client without the right gets no other
	// reason.
	MayChange(ctx context.Context, k *model.Kind, key string) error
	// Put creates or updates object, which is validated and carries its key, and returns it as stored, with the revision of the change. It
	// blocks until the change is durable. again means that the request was sent before and may have been carried out: an equal existing
	// object is success.
	Put(ctx context.Context, object model.Object, again bool) (model.Object, uint64, error)
	// Delete removes an object and returns the revision of the change. If again is true, a missing one is success.
	Delete(ctx context.Context, k *model.Kind, key string, again bool) (uint64, error)
	// Inspect returns the kind's inspect value: configuration and operational state.
	Inspect(ctx context.Context, k *model.Kind, key string) (any, error)
	// Watch yields EventFull for each kind, EventSync, and then changes, each batch closed by EventSync, until ctx ends. It ends early if
	// the receiver is too slow; the receiver connects again. A newly selected object is reported by EventPut, and one that is no longer
	// selected by EventDelete.
	Watch(ctx context.Context, of []Watched) iter.Seq[model.Event]
}

// Query selects objects of a kind.
type Query struct {
	Selector selector.Selector
	After    string // the last key of the previous page; "": from the first
	Limit    int    // maximum number; 0: all
	Summary  bool   // with the summary of each object
}

// Page is the answer of a list.
type Page struct {
	Items    []json.RawMessage // may be shared
	Next     string            // the last key, if more follow; otherwise ""
	Revision uint64            // of this state
}

// Watched is a kind that is watched.
type Watched struct {
	Kind     *model.Kind
	Selector selector.Selector
}
