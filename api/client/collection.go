package client

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"reflect"

	"github.com/contiv/contiv/api/model"
)

// Inspector reaches the inspect route of one kind. I is the kind's inspect type.
type Inspector[I any] struct {
	c    *Client
	kind *model.Kind
}

// Collection reaches all objects of one kind. T is the object's type, I its inspect type.
type Collection[T, I any] struct{ Inspector[I] }

// Inspect returns an object with its operational state. key are the parts of its key, the tenant first.
func (i Inspector[I]) Inspect(ctx context.Context, key ...string) (*I, error) {
	out := new(I)
	_, err := i.c.call(ctx, http.MethodGet, "/api/v1/inspect/"+i.kind.Plural+"/"+escape(key)+"/", nil, out)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// List returns all objects.
func (c Collection[T, I]) List(ctx context.Context) ([]*T, error) {
	var out []*T
	_, err := c.c.call(ctx, http.MethodGet, "/api/v1/"+c.kind.Plural+"/", nil, &out)
	return out, err
}

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

// The generic forms below serve programs that know the kind only at run time.

// List returns all objects of a kind.
func (c *Client) List(ctx context.Context, kind *model.Kind) ([]model.Object, error) {
	list := reflect.New(reflect.SliceOf(reflect.TypeOf(kind.New())))
	if _, err := c.call(ctx, http.MethodGet, "/api/v1/"+kind.Plural+"/", nil, list.Interface()); err != nil {
		return nil, err
	}
	out := make([]model.Object, list.Elem().Len())
	for i := range out {
		item := list.Elem().Index(i)
		if item.IsNil() {
			return nil, fmt.Errorf("decode the answer: %s number %d is null", kind.Name, i)
		}
		out[i] = item.Interface().(model.Object)
	}
	return out, nil
}

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

// Post sends in, as JSON, to path and decodes the answer into out, unless that is nil. A refusal comes back as *model.Error.
func (c *Client) Post(ctx context.Context, path string, in, out any) (Revision, error) {
	return c.call(ctx, http.MethodPost, path, in, out)
}

// Raw decodes the answer of a GET on path into out; a func(io.Reader) error reads it as it comes.
func (c *Client) Raw(ctx context.Context, path string, out any) error {
	_, err := c.call(ctx, http.MethodGet, path, nil, out)
	return err
}
