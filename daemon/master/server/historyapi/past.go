// SPDX-License-Identifier: Apache-2.0

// Package historyapi serves the history of objects and addresses, and their earlier states. Every netmaster answers from its catalog.
package historyapi

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/endpoint"
	"github.com/contiv/contiv/daemon/master/history"
)

// Past is what the catalog remembers.
type Past struct {
	Catalog   *catalog.Catalog
	Keep      history.Keep // as the committer's
	Endpoints *endpoint.Service
}

// Register adds the routes of the past, and those that hold an address back or let it go.
func (s *Past) Register(r *rest.Router) {
	read := func(path string, answer func(*auth.Subject, url.Values, httprouter.Params) (any, error)) *rest.Route {
		return r.Read(path, func(q *http.Request, p httprouter.Params) (any, error) {
			return answer(auth.Of(q.Context()), q.URL.Query(), p)
		})
	}
	all := func(who *auth.Subject, q url.Values, p httprouter.Params) (any, error) {
		if q.Has("at") {
			return s.objectsAt(who, p.ByName("kind"), q.Get("at"))
		}
		return s.history(who, q, p)
	}
	read("/api/v1/history", all).Allow(rest.Users())
	read("/api/v1/history/:kind", all).Allow(rest.Users())
	read("/api/v1/history/:kind/:key", func(who *auth.Subject, q url.Values, p httprouter.Params) (any, error) {
		if q.Has("at") {
			return s.objectAt(who, p.ByName("kind"), p.ByName("key"), q.Get("at"))
		}
		return s.history(who, q, p)
	}).Allow(rest.Users())
	read("/api/v1/timeline", s.timeline).Allow(rest.Users())
	read("/api/v1/ledger", s.ledger).Allow(rest.Users())
	read("/api/v1/addresses", s.addresses).Allow(rest.Users())
	rest.Change(r, "/api/v1/addresses/quarantine", func(q *http.Request, request model.QuarantineRequest) (model.AddressOwner, uint64, error) {
		if err := mayChange(auth.Of(q.Context()), request.Network); err != nil {
			return model.AddressOwner{}, 0, err
		}
		return s.Endpoints.Quarantine(q.Context(), request)
	}).Allow(rest.Users())
	rest.Change(r, "/api/v1/addresses/release", func(q *http.Request, request model.ReleaseRequest) (model.ReleaseAnswer, uint64, error) {
		if err := mayChange(auth.Of(q.Context()), request.Network); err != nil {
			return model.ReleaseAnswer{}, 0, err
		}
		return s.Endpoints.Free(q.Context(), request)
	}).Allow(rest.Users())
}

// kindName returns the name under which the history records a kind, from any of the kind's names or a name that only the history has.
func kindName(name string) (string, error) {
	if name == "" || name == history.KindAddress || name == history.KindProvider || name == history.KindLeadership || name == history.KindHost {
		return name, nil
	}
	if k, ok := model.KindOf(name); ok {
		if k.Owner != "" {
			return "", notKept(k)
		}
		return k.Name, nil
	}
	return "", model.Errorf(model.CodeInvalid, "kind", "kind %q is unknown", name).Try("it is a kind of object, %s, %s, %s or %s", history.KindAddress, history.KindProvider, history.KindLeadership, history.KindHost)
}

func (s *Past) trail() (l history.Log) {
	s.Catalog.View(func(v *catalog.View) { l = history.Open(v, s.Keep) })
	return l
}

func (s *Past) history(who *auth.Subject, q url.Values, p httprouter.Params) (any, error) {
	kind, err := kindName(p.ByName("kind"))
	if err != nil {
		return nil, err
	}
	f := history.Filter{Sees: visibility(who), Kind: kind, Key: p.ByName("key"), By: q.Get("by")}
	if f.Limit, err = limitOf(q); err != nil {
		return nil, err
	}
	if f.Since, err = sinceOf(q); err != nil {
		return nil, err
	}
	until, err := untilOf(q)
	if err != nil {
		return nil, err
	}
	out := s.trail().Until(until).List(f)
	if out == nil {
		out = []model.HistoryEntry{}
	}
	return out, nil
}

func limitOf(q url.Values) (int, error) {
	text := q.Get("limit")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, model.Errorf(model.CodeInvalid, "limit", "%q is no number of entries", text)
	}
	return n, nil
}
