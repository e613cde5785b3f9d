// SPDX-License-Identifier: Apache-2.0

// Package find serves the search for a text in the objects, endpoints, hosts, netmasters and Docker networks of a cluster. Every netmaster answers from its catalog.
package find

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
)

const (
	defaultLimit = 20               // items of an answer
	idle         = 10 * time.Minute // after which the index of an unused search is dropped
)

// Finder searches a catalog. It is safe for concurrent use.
type Finder struct {
	catalog *catalog.Catalog

	mu    sync.Mutex
	index *index      // nil: nothing was searched lately
	drop  *time.Timer // drops the index
}

// New returns a Finder of a catalog.
func New(c *catalog.Catalog) *Finder { return &Finder{catalog: c} }

// Register adds the route of the search.
func (f *Finder) Register(r *rest.Router) {
	r.Read("/api/v1/find", func(q *http.Request, _ httprouter.Params) (any, error) {
		limit, err := limitOf(q.URL.Query().Get("limit"))
		if err != nil {
			return nil, err
		}
		return f.search(auth.Of(q.Context()), q.URL.Query().Get("q"), limit)
	}).Allow(rest.Users())
}

func limitOf(text string) (int, error) {
	if text == "" {
		return defaultLimit, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > model.MaxFound {
		return 0, model.Errorf(model.CodeInvalid, "limit", "got %q, want a number from 1 to %d", text, model.MaxFound)
	}
	return n, nil
}

// search finds a text in everything that the subject may list.
func (f *Finder) search(who *auth.Subject, text string, limit int) (model.FindAnswer, error) {
	q, err := parse(text)
	if err != nil {
		return model.FindAnswer{}, err
	}
	out := f.searchAll(q, who, limit)
	if out.total == 0 && q.mac != "" {
		q.text = q.mac
		out = f.searchAll(q, who, limit)
	}
	return model.FindAnswer{Query: q.text, Total: out.total, Items: out.items()}, nil
}

func (f *Finder) searchAll(q *query, who *auth.Subject, limit int) *best {
	out := &best{limit: limit}
	f.catalog.View(func(v *catalog.View) {
		for _, k := range model.UserKinds() {
			if !k.InspectOnly {
				searchKind(v, q, k, who, out)
			}
		}
		if who.Check(rights.Right{Verb: rights.Read}) == nil { // as for the list of nodes
			searchHosts(v, q, out)
		}
		searchDockerNetworks(v, q, who, out)
	})
	f.searchEndpoints(q, who, out)
	return out
}

// searchKind searches the objects of a kind.
func searchKind(v *catalog.View, q *query, k *model.Kind, who *auth.Subject, out *best) {
	fields, all := searched(k), who.SeesAll(k)
	v.Range(k, func(o model.Object) {
		key := o.ObjectKey()
		value := q.object(v, k, fields, o, key)
		if value.rank == none || !all && !who.Sees(k, key) {
			return
		}
		if m := value.match(); out.keeps(m) {
			out.put(m, model.Found{Kind: k.Name, Key: key, Field: value.field, Value: value.text, About: aboutObject(v, o)})
		}
	})
}

// searchEndpoints searches the index of endpoints, which it updates first.
func (f *Finder) searchEndpoints(q *query, who *auth.Subject, out *best) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.index = f.index.updated(f.catalog.Endpoints())
	f.keep()
	k, sees := model.KindEndpoint(), map[string]bool{}
	all := who.SeesAll(k)
	found := func(e *catalog.Member, h hit) {
		if !all {
			may, known := sees[e.ID.Tenant]
			if !known {
				may = who.Sees(k, e.ID.String())
				sees[e.ID.Tenant] = may
			}
			if !may {
				return
			}
		}
		if m := h.match(); out.keeps(m) {
			out.put(m, model.Found{Kind: k.Name, Key: e.ID.String(), Field: h.field.String(), Value: h.text(), About: aboutEndpoint(e.Endpoint)})
		}
	}
	f.index.search(q, found)
}

// keep drops the index when it was not used for some time: it takes about 200 bytes an endpoint, and more for labels that it shares with no other.
func (f *Finder) keep() {
	if f.drop != nil {
		f.drop.Reset(idle)
		return
	}
	f.drop = time.AfterFunc(idle, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.index = nil
	})
}
