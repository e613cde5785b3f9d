// Package rest serves API objects over HTTP: the original's routes and JSON shapes for every kind, written once. What
// the objects mean is behind Backend.
package rest

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/contiv/contiv/api/model"
)

// Backend is what stands behind the routes. Its methods are safe for concurrent use; refusals are *model.Error.
type Backend interface {
	// List returns all objects of a kind with their links, each as JSON, ordered by key. The bytes may be shared.
	List(ctx context.Context, k *model.Kind) ([]json.RawMessage, error)
	// Get returns one object with its links.
	Get(ctx context.Context, k *model.Kind, key string) (model.Object, error)
	// Put creates or updates object, which is validated and carries its key, and returns it as it is stored, with the
	// revision of the change. It blocks until the change is durable. With again, the request was sent before and may
	// have been carried out: an object that is there just so is success.
	Put(ctx context.Context, object model.Object, again bool) (model.Object, uint64, error)
	// Delete removes an object and returns the revision of the change. With again, one that is gone is success.
	Delete(ctx context.Context, k *model.Kind, key string, again bool) (uint64, error)
	// Inspect returns the kind's inspect value: configuration and operational state.
	Inspect(ctx context.Context, k *model.Kind, key string) (any, error)
	// Watch yields EventFull for each kind, EventSync, and then changes, each batch closed by EventSync, until ctx ends.
	// It ends early when the receiver is too slow; the receiver connects again.
	Watch(ctx context.Context, kinds []*model.Kind) iter.Seq[model.Event]
}
