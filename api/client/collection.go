// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/contiv/contiv/api/model"
)

// Collection reaches all objects of one kind. T is the object's type, I its inspect type.
type Collection[T, I any] struct{ Lister[T, I] }

// Get returns one object.
func (c Collection[T, I]) Get(ctx context.Context, key ...string) (*T, error) {
	out := new(T)
	if _, err := c.c.call(ctx, http.MethodGet, c.path(key), nil, out); err != nil {
		return nil, err
	}
	return out, nil
}

// Put creates or updates an object and returns the revision of the change.
func (c Collection[T, I]) Put(ctx context.Context, object *T) (Revision, error) {
	key := any(object).(model.Object).ObjectKey()
	return c.c.call(ctx, http.MethodPost, c.path([]string{key}), object, nil)
}

// Delete removes an object and returns the revision of the change.
func (c Collection[T, I]) Delete(ctx context.Context, key ...string) (Revision, error) {
	return c.c.call(ctx, http.MethodDelete, c.path(key), nil, nil)
}

func (c Collection[T, I]) path(key []string) string {
	return "/api/v1/" + c.kind.Plural + "/" + escape(key) + "/"
}

func escape(key []string) string { return url.PathEscape(model.Key(key...)) }

// The generic forms below are for programs that know the kind only at run time.

// Get returns one object of a kind.
func (c *Client) Get(ctx context.Context, kind *model.Kind, key ...string) (model.Object, error) {
	out := kind.New()
	if _, err := c.call(ctx, http.MethodGet, "/api/v1/"+kind.Plural+"/"+escape(key)+"/", nil, out); err != nil {
		return nil, err
	}
	return out, nil
}

// Put creates or updates an object of any kind.
func (c *Client) Put(ctx context.Context, object model.Object) (Revision, error) {
	return c.Post(ctx, "/api/v1/"+object.Kind().Plural+"/"+url.PathEscape(object.ObjectKey())+"/", object, nil)
}

// Delete removes an object of a kind.
func (c *Client) Delete(ctx context.Context, kind *model.Kind, key ...string) (Revision, error) {
	return c.call(ctx, http.MethodDelete, "/api/v1/"+kind.Plural+"/"+escape(key)+"/", nil, nil)
}

// InspectRaw decodes the inspect answer of an object of any kind into out.
func (c *Client) InspectRaw(ctx context.Context, kind *model.Kind, out any, key ...string) error {
	return c.Raw(ctx, "/api/v1/inspect/"+kind.Plural+"/"+escape(key)+"/", out)
}

// Post sends in, as JSON, to path and decodes the answer into out, unless that is nil. A refusal is a *model.Error.
func (c *Client) Post(ctx context.Context, path string, in, out any) (Revision, error) {
	return c.call(ctx, http.MethodPost, path, in, out)
}

// Raw decodes the answer of a GET on path into out; a func(io.Reader) error reads it as it comes.
func (c *Client) Raw(ctx context.Context, path string, out any) error {
	_, err := c.call(ctx, http.MethodGet, path, nil, out)
	return err
}
