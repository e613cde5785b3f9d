// SPDX-License-Identifier: Apache-2.0

// Package observe serves the events of connections: it joins the events from the agents of all hosts into one stream.
package observe

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/master/why"
)

// beat is how often a client hears that there is nothing new.
const beat = time.Second

// observer joins streams.
type observer struct {
	catalog *catalog.Catalog
	peers   *peer.Peers
}

// Register adds the route.
func Register(r *rest.Router, known *catalog.Catalog, peers *peer.Peers) {
	o := &observer{known, peers}
	route := r.GET("/api/v1/observe", func(w http.ResponseWriter, q *http.Request, _ httprouter.Params) {
		ask, err := o.request(q)
		if err != nil {
			r.Refuse(w, q, err)
			return
		}
		o.stream(w, q, ask)
	}).Allow(rest.Users())
	route.Stream, route.Bound = true, "captures"
	route.Audit = rest.Audit{Verb: "observe", Path: true}
}

// request reads what is asked, and refuses who may not ask it, and names that nothing has.
func (o *observer) request(q *http.Request) (ask model.Observe, err error) {
	if ask, err = model.ParseObserve(q.URL.Query()); err != nil {
		return ask, err
	}
	who := auth.Of(q.Context())
	if err := who.About(ask.Tenant); err != nil {
		return ask, err
	}
	if ask.Since == 0 && !ask.Follow {
		ask.Since = model.ObserveSince
	}
	o.catalog.View(func(v *catalog.View) {
		if ask.Tenant != "" && v.Object(model.KindTenant(), ask.Tenant) == nil {
			err = v.NotFound(model.KindTenant(), ask.Tenant)
			return
		}
		if ask.From, err = means(v, "from", ask.From, ask.Tenant); err != nil {
			return
		}
		ask.To, err = means(v, "to", ask.To, ask.Tenant)
	})
	if err == nil || who.Everywhere() {
		return ask, err
	}
	if e := model.AsError(err); e.Code == model.CodeNotFound { // a remedy may name objects of others
		return ask, model.Errorf(e.Code, e.Field, "%s", e.Message).Try("netctl get KIND lists the objects in your tenants")
	}
	return ask, err
}

// means replaces names by what has them, since agents do not know all names.
func means(v *catalog.View, field, list, tenant string) (string, error) {
	if list == "" {
		return "", nil
	}
	var out []string
	for text := range strings.SplitSeq(list, ",") {
		names, err := why.Names(v, field, text, tenant)
		if err != nil {
			return "", err
		}
		out = append(out, names...)
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ","), nil
}

// stream answers with the events from agents, as long as the client may see them.
func (o *observer) stream(w http.ResponseWriter, q *http.Request, ask model.Observe) {
	ctx, cancel := context.WithCancel(q.Context())
	defer cancel()
	who := auth.Of(ctx)
	if !who.Anyone {
		go o.watchRights(ctx, who, cancel)
	}
	w.Header().Set("Content-Type", model.ObservedLines)
	out, control := json.NewEncoder(w), http.NewResponseController(w)
	j := newJoin(ask, o.hosts, o.open)
	err := j.run(ctx, func(e *model.Observed) error {
		if e == nil {
			if _, err := w.Write([]byte("\n")); err != nil {
				return err
			}
			return control.Flush()
		}
		if e.Tenant == "" && e.Verdict != model.ObservedUnknown || e.Tenant != "" && who.Tenant(e.Tenant) != nil {
			return nil
		}
		return out.Encode(e)
	})
	if err != nil || ctx.Err() != nil {
		panic(http.ErrAbortHandler) // so that the reader sees that the stream is not whole
	}
}

// watchRights ends a stream when rights change, so that the client is authenticated again and its rights are checked.
func (o *observer) watchRights(ctx context.Context, who *auth.Subject, end func()) {
	sub := o.catalog.Subscribe()
	defer sub.Close()
	for dirty := range sub.Changes(ctx, 5*beat) {
		if catalog.Regranted(dirty) || who.Valid != nil && !who.Valid() {
			end()
			return
		}
	}
}

// hosts are the labels of all hosts.
func (o *observer) hosts() (out []string) {
	o.catalog.View(func(v *catalog.View) {
		for _, h := range v.Hosts() {
			out = append(out, h.Label)
		}
	})
	return out
}

// open asks the agent of a host.
func (o *observer) open(ctx context.Context, host string, ask model.Observe) (*http.Response, error) {
	return o.peers.Call(ctx, http.MethodGet, host, peer.Observed, ask.Query().Encode())
}
