// SPDX-License-Identifier: Apache-2.0

// Package earlier answers reads about the cluster at an earlier moment: those that have a query at.
package earlier

import (
	"log/slog"
	"net/http"
	"strings"
	"sync"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/master/past"
)

// maxKept bounds the moments whose state is kept for later requests.
const maxKept = 2

// Earlier restores earlier states of a catalog. It is safe for concurrent use.
type Earlier struct {
	catalog *catalog.Catalog
	keep    history.Keep
	log     *slog.Logger

	mu   sync.Mutex // held while a state is restored: they are restored one after the other
	kept []*reader  // the one that was used last is the last
}

// New returns the earlier states of a catalog, as far as keep keeps its history.
func New(c *catalog.Catalog, keep history.Keep, log *slog.Logger) *Earlier {
	return &Earlier{catalog: c, keep: keep, log: log}
}

// ofOwn reports whether a route understands the query itself.
func ofOwn(path string) bool {
	return path == "/api/v1/addresses" || path == "/api/v1/history" || strings.HasPrefix(path, "/api/v1/history/")
}

// Handler answers reads with a query at, and passes on all other requests to the routes of the present. The answer has model.AtHeader.
func (e *Earlier) Handler(present *rest.Router) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method != http.MethodGet || !strings.Contains(q.URL.RawQuery, "at=") || !q.URL.Query().Has("at") {
			present.ServeHTTP(w, q)
			return
		}
		at := q.URL.Query().Get("at")
		m, err := history.ParseMoment(at)
		if err == nil && !m.IsNow() {
			w.Header().Set(model.AtHeader, at)
		}
		route := present.Match(q)
		if err == nil && m.IsNow() || route == nil || ofOwn(q.URL.Path) {
			present.ServeHTTP(w, q)
			return
		}
		var r *reader
		if err == nil {
			err = answerable(route)
		}
		if err == nil {
			r, err = e.reader(at, m)
		}
		if err == nil && r.routes.Match(q) == nil {
			err = notRecorded(route)
		}
		if err != nil {
			present.Refuse(w, q, err)
			return
		}
		r.routes.ServeHTTP(w, q)
	})
}

// answerable refuses routes of objects whose earlier states are not kept.
func answerable(route *rest.Route) error {
	if k := route.Kind; k != nil && k.Owner != "" {
		return model.Errorf(model.CodeUnsupported, "at", "no history of a %s is kept: %s owns it", k.Noun(), k.Owner).Try("the audit log of its API server may have it")
	}
	return nil
}

// notRecorded is the error for what is known only for the present.
func notRecorded(route *rest.Route) error {
	return model.Errorf(model.CodeUnsupported, "at", "the answer of %s %s is not recorded: netmaster knows it only for the present", route.Method, route.Path).
		Try("leave out at; recorded are objects, endpoints, the owners of addresses, changes and findings")
}

// reader returns the reader of a moment. It blocks while a state is restored.
func (e *Earlier) reader(at string, m history.Moment) (*reader, error) {
	log := past.Log(e.catalog, e.keep)
	p, err := log.Position(m) // the history may have been shortened since
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, r := range e.kept {
		if r.at == at {
			e.kept = append(append(e.kept[:i:i], e.kept[i+1:]...), r)
			return r, nil
		}
	}
	state, err := past.At(e.catalog, e.keep, m)
	if err != nil {
		return nil, err
	}
	r := newReader(e, at, state, log.Until(m))
	if !p.Newest && !state.Newest { // later changes may belong to a moment after the newest
		if e.kept = append(e.kept, r); len(e.kept) > maxKept {
			e.kept = e.kept[1:]
		}
	}
	return r, nil
}
