package server

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/master/oper"
	"github.com/contiv/contiv/daemon/record"
)

// mountHistory adds what happened, to objects and to addresses. Every master answers from what it knows.
func (s *Server) mountHistory(r *rest.Router) {
	get := func(path string, answer func(url.Values, httprouter.Params) (any, error)) {
		r.GET(path, func(w http.ResponseWriter, q *http.Request, p httprouter.Params) {
			out, err := answer(q.URL.Query(), p)
			rest.Answer(w, q, out, 0, err, s.Log)
		})
	}
	all := func(q url.Values, p httprouter.Params) (any, error) {
		if q.Has("at") {
			return s.objectsAt(p.ByName("kind"), q.Get("at"))
		}
		return s.history(q, p)
	}
	get("/api/v1/history", all)
	get("/api/v1/history/:kind", all)
	get("/api/v1/history/:kind/:key", func(q url.Values, p httprouter.Params) (any, error) {
		if q.Has("at") {
			return s.objectAt(p.ByName("kind"), p.ByName("key"), q.Get("at"))
		}
		return s.history(q, p)
	})
	get("/api/v1/ledger", s.ledger)
	get("/api/v1/addresses", s.addresses)
	r.POST("/api/v1/addresses/quarantine", posted(s, s.Endpoints.Quarantine))
	r.POST("/api/v1/addresses/release", posted(s, s.Endpoints.Free))
}

// kindName is the name under which history records a kind: any of its names, or one of those that history alone has.
func kindName(name string) (string, error) {
	if name == "" || name == history.KindAddress || name == history.KindProvider || name == history.KindLeadership {
		return name, nil
	}
	if k, ok := model.KindOf(name); ok {
		return k.Name, nil
	}
	return "", model.Errorf(model.CodeInvalid, "kind", "kind %q is unknown", name).Try("it is a kind of object, %s, %s or %s", history.KindAddress, history.KindProvider, history.KindLeadership)
}

func (s *Server) trail() (l history.Log) {
	s.Catalog.View(func(v *catalog.View) { l = history.Open(v, s.Keep) })
	return l
}

func (s *Server) history(q url.Values, p httprouter.Params) (any, error) {
	kind, err := kindName(p.ByName("kind"))
	if err != nil {
		return nil, err
	}
	f := history.Filter{Kind: kind, Key: p.ByName("key"), By: q.Get("by")}
	if f.Limit, err = limitOf(q); err != nil {
		return nil, err
	}
	if since := q.Get("since"); since != "" {
		if f.Since, err = time.Parse(time.RFC3339, since); err != nil {
			return nil, model.Errorf(model.CodeInvalid, "since", "%q is no time", since).Try("it is a time such as 2030-01-02T15:04:05Z")
		}
	}
	out := s.trail().List(f)
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

// objectAt answers with an object as it was.
func (s *Server) objectAt(kind, key, at string) (any, error) {
	k, ok := model.KindOf(kind)
	if !ok {
		return nil, model.Errorf(model.CodeInvalid, "kind", "kind %q is unknown or has no state of its own", kind)
	}
	m, err := history.ParseMoment(at)
	if err != nil {
		return nil, err
	}
	var log history.Log
	var present []byte
	s.Catalog.View(func(v *catalog.View) {
		log, present = history.Open(v, s.Keep), v.Value(history.KeyOf(k.Name, key))
	})
	state, err := log.ObjectAt(k.Name, key, present, m)
	if err != nil {
		return nil, err
	}
	if state == nil {
		return nil, model.Errorf(model.CodeNotFound, "", "%s %s did not exist at that moment", k.Name, key).
			Try("netctl history %s %s shows when it did", k.Name, key)
	}
	text, err := json.Marshal(state)
	if err != nil {
		return nil, err
	}
	if k.InspectOnly {
		var e record.Endpoint
		if err := json.Unmarshal(text, &e); err != nil {
			return nil, err
		}
		e.ID, e.EndpointID = key, strings.TrimPrefix(key, e.NetID+"-")
		return oper.Endpoint(&e), nil
	}
	o := k.New()
	if err := json.Unmarshal(text, o); err != nil {
		return nil, err
	}
	o.SetKey(key)
	return o, nil
}

// objectsAt answers with all objects as they were, or those of a kind: each after those that it needs.
func (s *Server) objectsAt(kind, at string) (any, error) {
	kinds := model.Order()
	if kind != "" {
		k, ok := model.KindOf(kind)
		if !ok || k.InspectOnly {
			return nil, model.Errorf(model.CodeInvalid, "kind", "kind %q is unknown or cannot be stored", kind).Try("leave it out for all objects")
		}
		kinds = []*model.Kind{k}
	}
	m, err := history.ParseMoment(at)
	if err != nil {
		return nil, err
	}
	var log history.Log
	var names []string
	present := map[history.Name][]byte{}
	s.Catalog.View(func(v *catalog.View) {
		log = history.Open(v, s.Keep)
		for _, k := range kinds {
			names = append(names, k.Name)
			v.Range(k, func(o model.Object) {
				key := o.ObjectKey()
				present[history.Name{Kind: k.Name, Key: key}] = v.Value(history.KeyOf(k.Name, key))
			})
		}
	})
	states, err := log.ObjectsAt(names, present, m)
	if err != nil {
		return nil, err
	}
	out := make([]model.ApplyObject, 0, len(states))
	keys := make(map[string][]string, len(names))
	for n := range states {
		keys[n.Kind] = append(keys[n.Kind], n.Key)
	}
	for _, name := range names {
		slices.Sort(keys[name])
		for _, key := range keys[name] {
			fields := states[history.Name{Kind: name, Key: key}]
			delete(fields, "key")
			out = append(out, model.ApplyObject{Kind: name, Fields: fields})
		}
	}
	return out, nil
}

// placeFilter reads which addresses are meant.
func placeFilter(q url.Values) (history.AddressFilter, error) {
	f := history.AddressFilter{Tenant: q.Get("tenant"), Address: q.Get("address")}
	if n := q.Get("network"); n != "" {
		if f.Tenant == "" {
			return f, model.Errorf(model.CodeInvalid, "tenant", "a network without a tenant").Try("name the tenant too: networks of several may have one name")
		}
		f.Network = n + "." + f.Tenant
	}
	if f.Address != "" && !strings.Contains(f.Address, "-") {
		a, err := netip.ParseAddr(f.Address)
		if err != nil {
			return f, model.Errorf(model.CodeInvalid, "address", "%q is not an IP address", f.Address)
		}
		f.Address = a.Unmap().WithZone("").String()
	}
	return f, nil
}

func (s *Server) ledger(q url.Values, _ httprouter.Params) (any, error) {
	f, err := placeFilter(q)
	if err != nil {
		return nil, err
	}
	limit, err := limitOf(q)
	if err != nil {
		return nil, err
	}
	out := s.trail().Ledger(f, limit)
	if out == nil {
		out = []model.AddressEntry{}
	}
	return out, nil
}

func (s *Server) addresses(q url.Values, _ httprouter.Params) (any, error) {
	f, err := placeFilter(q)
	if err != nil {
		return nil, err
	}
	if f.Network == "" && f.Address == "" {
		return nil, model.Errorf(model.CodeInvalid, "address", "neither a network nor an address is named").Try("name one of them, or both")
	}
	m, err := history.ParseMoment(q.Get("at"))
	if err != nil {
		return nil, err
	}
	var book *history.Book
	s.Catalog.View(func(v *catalog.View) { book = history.Read(v, s.Keep, f) })
	out, err := book.At(m)
	if out == nil {
		out = []model.AddressState{}
	}
	return out, err
}
