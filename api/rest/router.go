package rest

import (
	"net/http"
	"slices"

	"github.com/julienschmidt/httprouter"
)

// Route is a method and a path, whose variable parts begin with a colon.
type Route struct{ Method, Path string }

// Router sends requests to handlers and knows what it serves. Paths are taken as they are, and a known path with a wrong
// verb is as unknown as any other, as with the original.
type Router struct {
	mux    *httprouter.Router
	names  *httprouter.Router // whose handlers say which route they are of
	routes []Route
}

// NewRouter makes a Router without routes.
func NewRouter() *Router { return &Router{mux: tree(), names: tree()} }

func tree() *httprouter.Router {
	r := httprouter.New()
	r.RedirectTrailingSlash = false
	r.RedirectFixedPath = false
	r.HandleMethodNotAllowed = false
	r.HandleOPTIONS = false
	return r
}

// Handle adds a route. It must not be called once requests come.
func (r *Router) Handle(method, path string, h httprouter.Handle) {
	r.routes = append(r.routes, Route{method, path})
	r.mux.Handle(method, path, h)
	r.names.Handle(method, path, func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) { w.(*named).path = path })
}

// named is told the route that it comes to.
type named struct {
	http.ResponseWriter
	path string
}

// Match is the path of the route that a request is for, as it was added; ok is false when there is none.
func (r *Router) Match(q *http.Request) (path string, ok bool) {
	h, params, _ := r.names.Lookup(q.Method, q.URL.Path)
	if h == nil {
		return "", false
	}
	var n named
	h(&n, q, params)
	return n.path, true
}

// GET adds a route.
func (r *Router) GET(path string, h httprouter.Handle) { r.Handle(http.MethodGet, path, h) }

// POST adds a route.
func (r *Router) POST(path string, h httprouter.Handle) { r.Handle(http.MethodPost, path, h) }

// PUT adds a route.
func (r *Router) PUT(path string, h httprouter.Handle) { r.Handle(http.MethodPut, path, h) }

// DELETE adds a route.
func (r *Router) DELETE(path string, h httprouter.Handle) { r.Handle(http.MethodDelete, path, h) }

// Routes lists what has been added.
func (r *Router) Routes() []Route { return slices.Clone(r.routes) }

// ServeHTTP answers one request.
func (r *Router) ServeHTTP(w http.ResponseWriter, q *http.Request) { r.mux.ServeHTTP(w, q) }
