// SPDX-License-Identifier: Apache-2.0

// Package supportbundle writes support bundles: the reports of all daemons of the cluster, without secrets.
package supportbundle

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/bundle"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/hostlog"
	"github.com/contiv/contiv/daemon/httpserver"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/trust"
)

// Path is where a netmaster writes a bundle, and LogPath where it shows the last lines of its log.
const (
	Path    = "/api/v1/bundle"
	LogPath = "/api/v1/log"
)

// Bundling writes bundles. Its methods are safe for concurrent use.
type Bundling struct {
	Catalog *catalog.Catalog
	Peers   *peer.Peers
	Store   store.Store
	Front   http.Handler                           // answers the routes of this netmaster; Register sets it
	Nodes   func(ctx context.Context) []model.Node // that are in the cluster
	Own     string                                 // own internal address, "host:port"
	Mode    string                                 // the orchestrator
	Version model.Version
	Recent  func() []byte // the last lines of this netmaster's log; nil: they are not kept
	Logs    *hostlog.Logs // of this netmaster's host; nil: they are not kept
	Log     *slog.Logger
}

// Register adds the routes.
func (b *Bundling) Register(r *rest.Router) {
	b.Front = r
	b.registerLogs(r)
	all := r.GET(Path, func(w http.ResponseWriter, q *http.Request, _ httprouter.Params) {
		w.Header().Set("Content-Type", "application/gzip")
		w.Header().Set("Cache-Control", "no-store")
		if err := b.write(q.Context(), w); err != nil {
			if q.Context().Err() == nil {
				b.Log.Warn("a support bundle broke off", "error", err)
			}
			panic(http.ErrAbortHandler) // so that the client notices
		}
	}).Allow(rest.Needs(rights.Bundle))
	all.Stream, all.Bound, all.Audit.Verb = true, "bundles", "bundle"
	r.GET(LogPath, func(w http.ResponseWriter, q *http.Request, _ httprouter.Params) {
		if b.Recent == nil {
			r.Refuse(w, q, model.Errorf(model.CodeNotFound, "", "this netmaster keeps no lines of its log"))
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write(b.cleaner().text(b.Recent()))
	}).Allow(rest.Needs(rights.Bundle, trust.Master))
}

// taken lists what bundles leave out.
var taken = []string{
	"passwords, or their hashes, and tokens of users and service accounts, sessions, the audit, users, their authorizations, and how LDAP and OpenID providers are reached",
	"tokens and certificates of hosts, and private keys, of which the store has none",
	"secrets of netmaster's own: of the LDAP directory, of the OpenID provider, of the netmasters among each other",
	"passwords of BGP sessions, in objects, records, logs and whatever else repeats them",
}

// write writes a bundle to w. It blocks until all have been asked.
func (b *Bundling) write(ctx context.Context, w http.ResponseWriter) error {
	begun := time.Now()
	by := auth.Of(ctx)
	c := &collector{Bundling: b, out: bundle.NewWriter(w, begun), clean: b.cleaner()}
	c.manifest = bundle.Manifest{By: cmp.Or(by.Called(), "anyone"), From: b.Own, Version: b.Version, Mode: b.Mode, TakenOut: taken}
	if err := c.records(ctx); err != nil {
		return err
	}
	if err := c.cluster(ctx); err != nil {
		return err
	}
	if err := c.daemons(ctx); err != nil {
		return err
	}
	c.manifest.Duration = time.Since(begun).Round(time.Millisecond).String()
	return c.out.Close(c.manifest)
}

// collector is a bundle that is being written.
type collector struct {
	*Bundling
	out      *bundle.Writer
	clean    *cleaner
	manifest bundle.Manifest
}

// add writes a file without its secrets. It lists a file that does not fit as missing.
func (c *collector) add(name, from string, text []byte) error {
	err := c.out.Add(name, from, c.clean.file(name, text))
	if errors.Is(err, bundle.ErrFull) {
		c.miss("cluster", name, err)
		return nil
	}
	return err
}

// miss records in the manifest that something is missing.
func (c *collector) miss(of, what string, why error) {
	c.manifest.Missing = append(c.manifest.Missing, bundle.Missing{Of: of, What: what, Why: string(c.clean.text([]byte(why.Error())))})
}

// Question is what a netmaster is asked about the cluster, and in which file the answer is.
type Question struct{ Path, File string }

// Questions are all of them.
func Questions() []Question { return slices.Clone(questions) }

var questions = []Question{
	{"/api/v1/nodes", "nodes.json"}, {"/api/v1/leadership", "leader.json"}, {"/api/v1/health", "health.json"}, {"/api/v1/doctor", "doctor.json"},
	{"/api/v1/kubernetes", "kubernetes.json"}, {"/api/v1/docknets", "docknets.json"}, {"/info", "info.json"}, {"/version", "version.json"},
	{"/api/v1/timeline", "timeline.json"}, {"/api/v1/history", "history.json"}, {"/api/v1/ledger", "ledger.json"},
}

// cluster adds what this netmaster answers about the cluster.
func (c *collector) cluster(ctx context.Context) error {
	for _, k := range model.Kinds() {
		if k.Guarded || k.InspectOnly {
			continue
		}
		if err := c.front(ctx, "/api/v1/"+k.Plural+"/", bundle.Intent(k)); err != nil {
			return err
		}
	}
	for _, q := range questions {
		if err := c.front(ctx, q.Path, q.File); err != nil {
			return err
		}
	}
	for _, q := range ofMasters { // others are asked like agents
		if err := c.front(ctx, q.path, bundle.OfMaster(c.Own, q.file)); err != nil {
			return err
		}
	}
	for _, n := range c.Nodes(ctx) {
		c.manifest.Versions = append(c.manifest.Versions, bundle.Node{Name: n.Name, Role: string(n.Role), Version: n.Version})
	}
	return nil
}

// front adds what this netmaster answers at a path.
func (c *collector) front(ctx context.Context, path, file string) error {
	q, err := http.NewRequestWithContext(auth.With(ctx, viewer()), http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	q.Header.Set("Accept", "application/json")
	a := httpserver.NewAnswer()
	c.Front.ServeHTTP(a, q)
	if a.Status != http.StatusOK {
		c.miss("cluster", file, refusal(a))
		return ctx.Err()
	}
	return c.add(file, "GET "+path, a.Body.Bytes())
}

// refusal returns the error of an answer that is no success.
func refusal(a *httpserver.Answer) error {
	var p model.Problem
	if json.Unmarshal(a.Body.Bytes(), &p) == nil && p.Error() != nil {
		return p.Error()
	}
	return &peer.StatusError{Status: a.Status, Text: a.Body.String()}
}
