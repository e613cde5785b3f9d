// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"net/http"
	"regexp"
	"slices"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
)

// Route is a method and a path, whose variable parts begin with a colon. Its adder sets the rest.
type Route struct {
	Method, Path string
	Stream       bool        // the answer has no end of its own
	MaxBody      int         // bytes of the longest body; 0: MaxBody
	Content      string      // the only Content-Type that a request may have; "": any
	Kind         *model.Kind // of its objects; nil: no kind in particular
	Bound        string      // name of a limit of the server that its requests count against; "": none
	Access       Access      // who may call it; see Allow
	Audit        Audit       // what the audit records of it
}

// Audit describes what the audit records of a route's requests, in addition to refusals.
type Audit struct {
	Verb  string // of a successful request; "": it is not recorded
	Path  bool   // the event has the request's path without its query, so that equal requests are counted together
	Login bool   // the handler records unproved requests itself
}

// Router dispatches requests to handlers and lists its routes. Paths are taken literally, and a known path with a wrong verb is as unknown
// as any other, as with the original.
type Router struct {
	log    *slog.Logger
	mux    *httprouter.Router
	names  *httprouter.Router // whose handlers identify their route
	routes []*Route
	added  map[string]int // how often each route was added, by its name
}

// NewRouter returns a Router without routes. Panics of handlers go to log.
func NewRouter(log *slog.Logger) *Router {
	return &Router{log: log, mux: tree(), names: tree(), added: map[string]int{}}
}

func tree() *httprouter.Router {
	r := httprouter.New()
	r.RedirectTrailingSlash = false
	r.RedirectFixedPath = false
	r.HandleMethodNotAllowed = false
	r.HandleOPTIONS = false
	return r
}

// Handle adds a route. It must not be called, nor the Route changed, once requests come. A route that exists already stays as it is, and Check reports it.
func (r *Router) Handle(method, path string, h httprouter.Handle) *Route {
	route := &Route{Method: method, Path: path}
	name := route.name()
	if r.added[name]++; r.added[name] > 1 {
		return route
	}
	r.routes = append(r.routes, route)
	r.mux.Handle(method, path, h)
	r.names.Handle(method, path, func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) { w.(*named).route = route })
	return route
}

// variable is a variable part of a path.
var variable = regexp.MustCompile(`:(\w+)`)

// name returns the route as api.Routes has it.
func (r *Route) name() string { return r.Method + " " + variable.ReplaceAllString(r.Path, "{$1}") }

// Check compares the routes with those described, in order, which api.Routes returns. The error names each route that was added twice, or has no handler, or no
// description.
func (r *Router) Check(described []string) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(r.added)) {
		if n := r.added[name]; n > 1 {
			errs = append(errs, fmt.Errorf("%s: got %d handlers, want 1", name, n))
		}
		if _, is := slices.BinarySearch(described, name); !is {
			errs = append(errs, fmt.Errorf("%s: got no description, want one: add it to api/routes.yaml and run make generate", name))
		}
	}
	for _, name := range described {
		if r.added[name] == 0 {
			errs = append(errs, fmt.Errorf("%s: got no handler, want one: a part adds it, or remove it from api/routes.yaml", name))
		}
	}
	return errors.Join(errs...)
}

// named receives the matching route.
type named struct {
	http.ResponseWriter
	route *Route
}

// Match returns the route of a request; nil: there is none.
func (r *Router) Match(q *http.Request) *Route {
	h, params, _ := r.names.Lookup(q.Method, q.URL.Path)
	if h == nil {
		return nil
	}
	var n named
	h(&n, q, params)
	return n.route
}

// GET adds a route. See Handle.
func (r *Router) GET(path string, h httprouter.Handle) *Route {
	return r.Handle(http.MethodGet, path, h)
}

// POST adds a route.
func (r *Router) POST(path string, h httprouter.Handle) *Route {
	return r.Handle(http.MethodPost, path, h)
}

// Read adds a GET route that answers with a JSON value.
func (r *Router) Read(path string, read func(*http.Request, httprouter.Params) (any, error)) *Route {
	return r.GET(path, func(w http.ResponseWriter, q *http.Request, p httprouter.Params) {
		v, err := read(q, p)
		r.Answer(w, q, v, 0, err)
	})
}

// Change adds a POST route that takes a JSON value and answers with one, and with the revision of the change, if it is not 0.
func Change[Q, A any](r *Router, path string, do func(*http.Request, Q) (A, uint64, error)) (route *Route) {
	route = r.POST(path, func(w http.ResponseWriter, q *http.Request, _ httprouter.Params) {
		if route.Content != "" && q.Header.Get("Content-Type") != route.Content {
			http.NotFound(w, q)
			return
		}
		var request Q
		if err := readLong(q.Body, cmp.Or(route.MaxBody, MaxBody), &request); err != nil {
			r.Refuse(w, q, err)
			return
		}
		v, rev, err := do(q, request)
		r.Answer(w, q, v, rev, err)
	})
	return route
}

// Each yields the routes.
func (r *Router) Each() iter.Seq[*Route] { return slices.Values(r.routes) }

// Routes lists what has been added.
func (r *Router) Routes() []Route {
	out := make([]Route, len(r.routes))
	for i, route := range r.routes {
		out[i] = *route
	}
	return out
}

// ServeHTTP answers one request.
func (r *Router) ServeHTTP(w http.ResponseWriter, q *http.Request) { r.mux.ServeHTTP(w, q) }
