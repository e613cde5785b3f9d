// SPDX-License-Identifier: Apache-2.0

package earlier

import (
	"errors"
	"net/http"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/master/past"
	"github.com/contiv/contiv/daemon/master/server/find"
	"github.com/contiv/contiv/daemon/master/server/inspect"
	"github.com/contiv/contiv/daemon/master/server/objects"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/master/server/probe"
	"github.com/contiv/contiv/daemon/master/timeline"
	"github.com/contiv/contiv/daemon/master/why"
)

// reader answers about one moment.
type reader struct {
	at     string // as in the query
	state  *past.State
	routes *rest.Router
}

// newReader returns the reader of a state. log is the history up to its moment.
func newReader(e *Earlier, at string, state *past.State, log history.Log) *reader {
	r := &reader{at: at, state: state, routes: rest.NewRouter(e.log)}
	nobody := peer.New(state.Catalog, peer.Transport{HTTP: &http.Client{Transport: silent{}}})
	secrets := func() func(*catalog.View, string) string {
		return func(*catalog.View, string) string { return "not recorded" }
	}
	(&objects.Objects{Inspector: inspect.Inspector{Catalog: state.Catalog, Peers: nobody, Secrets: secrets}, Log: e.log}).Register(r.routes)
	find.New(state.Catalog).Register(r.routes)
	probe.Why(r.routes, state.Catalog, why.AtMoment(state.Catalog, log, state.Time))
	r.routes.Read("/api/v1/health", func(*http.Request, httprouter.Params) (any, error) { return r.health(e.catalog) })
	return r
}

// silent is the transport to daemons of an earlier moment.
type silent struct{}

// RoundTrip returns an error.
func (silent) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("no host of an earlier moment can be asked")
}

// health returns the findings that were open, by the timeline, which present has.
func (r *reader) health(present *catalog.Catalog) (model.Health, error) {
	out := model.Health{At: r.state.Time.UTC().Format(time.RFC3339), Findings: []model.Finding{}}
	var list []timeline.Opened
	var err error
	present.View(func(v *catalog.View) { list, err = timeline.OpenAt(v, r.state.Time) })
	if err != nil {
		return out, err
	}
	r.state.Catalog.View(func(v *catalog.View) { out.Endpoints = v.CountEndpoints() })
	for _, is := range list {
		info, _ := is.Code.Info()
		out.Findings = append(out.Findings, model.Finding{Code: is.Code, Severity: is.Severity, Host: is.Host, Object: is.Object, Evidence: is.Evidence, Remedy: info.Remedy,
			Since: is.Since.UTC().Format(time.RFC3339)})
	}
	model.SortFindings(out.Findings)
	return out, nil
}
