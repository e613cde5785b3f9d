// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"reflect"

	"github.com/contiv/contiv/api/model"
)

// Lister lists and inspects the objects of one kind. T is the type of listed objects, I that of inspected ones.
type Lister[T, I any] struct {
	c    *Client
	kind *model.Kind
}

// List returns all objects, or those that the options select.
func (l Lister[T, I]) List(ctx context.Context, options ...Option) (out []*T, err error) {
	_, err = l.c.list(ctx, l.kind, asked(options), &out)
	return out, err
}

// Pages yields the objects in pages of at most Limit, each with the state at its request; an object that exists all the while is in one of
// them. An error ends it. The next page is requested while the current one is processed.
func (l Lister[T, I]) Pages(ctx context.Context, options ...Option) iter.Seq2[[]*T, error] {
	return ahead(ctx, asked(options), func(ctx context.Context, q url.Values) (out []*T, next string, err error) {
		next, err = l.c.list(ctx, l.kind, q, &out)
		return out, next, err
	})
}

// Inspect returns an object with its operational state. key has the parts of its key, the tenant first.
func (l Lister[T, I]) Inspect(ctx context.Context, key ...string) (*I, error) {
	out := new(I)
	if err := l.c.InspectRaw(ctx, l.kind, out, key...); err != nil {
		return nil, err
	}
	return out, nil
}

// List returns the objects of a kind that is only known at run time.
func (c *Client) List(ctx context.Context, kind *model.Kind, options ...Option) ([]model.Object, error) {
	out, _, err := c.objects(ctx, kind, asked(options))
	return out, err
}

// Pages is Lister.Pages for a kind that is only known at run time.
func (c *Client) Pages(ctx context.Context, kind *model.Kind, options ...Option) iter.Seq2[[]model.Object, error] {
	return ahead(ctx, asked(options), func(ctx context.Context, q url.Values) ([]model.Object, string, error) {
		return c.objects(ctx, kind, q)
	})
}

// Summarized is Pages with the summary of each object: they are of type *model.Summarized.
func (c *Client) Summarized(ctx context.Context, kind *model.Kind, options ...Option) iter.Seq2[[]model.Object, error] {
	return ahead(ctx, asked(append(options, Summary())), func(ctx context.Context, q url.Values) ([]model.Object, string, error) {
		var list []json.RawMessage
		next, err := c.list(ctx, kind, q, &list)
		if err != nil {
			return nil, "", err
		}
		out := make([]model.Object, len(list))
		for i, text := range list {
			of := &struct{ Summary model.Summary }{}
			summarized := &model.Summarized{Object: kind.New()}
			if err := errors.Join(json.Unmarshal(text, summarized.Object), json.Unmarshal(text, of)); err != nil {
				return nil, "", fmt.Errorf("decode %s number %d of the answer: %w", kind.Name, i, err)
			}
			summarized.Summary, out[i] = of.Summary, summarized
		}
		return out, next, nil
	})
}

// objects gets a page of objects, and the position of the next.
func (c *Client) objects(ctx context.Context, kind *model.Kind, q url.Values) ([]model.Object, string, error) {
	list := reflect.New(reflect.SliceOf(reflect.TypeOf(kind.New())))
	next, err := c.list(ctx, kind, q, list.Interface())
	if err != nil {
		return nil, "", err
	}
	out := make([]model.Object, list.Elem().Len())
	for i := range out {
		item := list.Elem().Index(i)
		if item.IsNil() {
			return nil, "", fmt.Errorf("decode the answer: %s number %d is null", kind.Name, i)
		}
		out[i] = item.Interface().(model.Object)
	}
	return out, next, nil
}

// list decodes a page of a kind into out, and returns the position of the next; "": there is none.
func (c *Client) list(ctx context.Context, kind *model.Kind, q url.Values, out any) (next string, err error) {
	path := "/api/v1/" + kind.Plural + "/"
	if len(q) > 0 {
		path += "?" + q.Encode()
	}
	header, err := c.exchange(ctx, http.MethodGet, path, nil, out)
	if err == nil && header.Get(model.RevisionHeader) == "" {
		err = understood(q)
	}
	return header.Get(model.ContinueHeader), err
}

// ahead yields pages, and requests the next one meanwhile.
func ahead[P any](ctx context.Context, q url.Values, get func(context.Context, url.Values) (page P, next string, err error)) iter.Seq2[P, error] {
	type answer struct {
		page P
		err  error
	}
	return func(yield func(P, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		q := maps.Clone(q)
		answers, enough := make(chan answer), make(chan struct{})
		defer close(enough)
		go func() {
			defer close(answers)
			for next := "more"; next != ""; {
				var a answer
				if a.page, next, a.err = get(ctx, q); a.err != nil {
					next = ""
				}
				q.Set("continue", next)
				select {
				case answers <- a:
				case <-enough:
					return
				}
			}
		}()
		for a := range answers {
			if !yield(a.page, a.err) {
				return
			}
		}
	}
}
