// SPDX-License-Identifier: Apache-2.0

// Package doctor answers what is wrong in the cluster: as it is known, and after all agents have looked.
package doctor

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/julienschmidt/httprouter"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/master/adopt"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/health"
	"github.com/contiv/contiv/daemon/master/part"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/master/timeline"
	"github.com/contiv/contiv/trust"
)

// Options are what a Doctor needs.
type Options struct {
	Catalog    *catalog.Catalog
	Peers      *peer.Peers
	Nodes      func(ctx context.Context) []model.Node
	Leadership func(ctx context.Context, brief bool) model.Leadership
	// Facts of other parts, each of which reads the Nodes of a snapshot and sets its own fields.
	Facts  []func(s *health.Snapshot)
	Commit *commit.Committer
	// Recorded receives the findings that the timeline has; it does not block. nil: nothing receives them.
	Recorded func(list []model.Finding)
	Log      *slog.Logger
}

// Doctor gathers what the verdict is about.
type Doctor struct {
	Options
	mu     sync.Mutex // of memory
	memory health.Memory
}

// New returns a Doctor.
func New(o Options) *Doctor { return &Doctor{Options: o} }

// Part returns the part of the findings: their routes, their record in the store, and their metric.
func (d *Doctor) Part() part.Part {
	recorder := timeline.New(timeline.Config{Commit: d.Commit, Catalog: d.Catalog, Log: d.Log, Recorded: d.Recorded, Found: func(ctx context.Context) ([]model.Finding, map[string]bool) {
		list := d.Health(ctx).Findings
		return list, timeline.Silent(list)
	}})
	return part.Part{Routes: []func(*rest.Router){d.Register}, Duties: []func(context.Context){recorder.Run}, Metrics: []prometheus.Collector{d}}
}

// Register adds the routes.
func (d *Doctor) Register(r *rest.Router) {
	r.Read("/api/v1/health", func(q *http.Request, _ httprouter.Params) (any, error) { return d.Health(q.Context()), nil }).Allow(rest.Needs(rights.Read, trust.Monitor))
	d.registerAcknowledgements(r)
	r.Read("/api/v1/doctor", func(q *http.Request, _ httprouter.Params) (any, error) {
		return d.ask(q.Context(), q.URL.Query().Get("of"))
	}).Allow(rest.Needs(rights.Read)).Bound = "traces"
}

// Health is the verdict by what has been reported. It takes up to two seconds, when some netmaster or the store does not answer.
func (d *Doctor) Health(ctx context.Context) model.Health { return d.verdict(ctx, nil) }

// verdict examines the cluster; look may change what is known of nodes before that.
func (d *Doctor) verdict(ctx context.Context, look func(nodes []model.Node)) model.Health {
	var s health.Snapshot
	var lead model.Leadership
	var wait sync.WaitGroup
	wait.Go(func() { lead = d.Leadership(ctx, true) })
	s.Nodes = d.Nodes(ctx)
	wait.Wait()
	if look != nil {
		look(s.Nodes)
	}
	s.Store, s.StoreErr, s.Holder = lead.Store, lead.Reason, lead.Holder
	for _, add := range d.Facts {
		add(&s)
	}
	now := time.Now()
	s.At = now
	out := model.Health{At: now.UTC().Format(time.RFC3339)}
	d.Catalog.View(func(v *catalog.View) {
		out.Endpoints = v.CountEndpoints()
		s.Services, s.Pools, s.Numbers, s.Routers = services(v), pools(v), Numbers(v), routers(v)
		s.Disputed, s.Clashes, s.Refusals, s.Unread, s.Adoptions, s.Certificates, s.Unsent, s.Partial = claims(v), clashes(v), refusals(v), unread(v), adopt.Undecided(v), certificates(v), unsent(v), unreadServices(v)
	})
	for _, n := range s.Nodes {
		if n.Role == model.RoleAgent {
			out.Hosts++
		} else {
			out.Masters++
		}
	}
	out.Findings = append([]model.Finding{}, health.Examine(&s)...)
	begun := d.begun(out.Findings)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.memory.Follow(s.Nodes, now)
	d.memory.Date(out.Findings, begun, now)
	d.Catalog.View(func(v *catalog.View) { markAcknowledged(v, out.Findings, now) })
	out.Findings = health.Fold(out.Findings, s.Topology())
	return out
}

// begun sets since when findings are there, by the timeline.
func (d *Doctor) begun(list []model.Finding) (of func(f *model.Finding) string) {
	open := timeline.Open{}
	if health.Undated(list) {
		d.Catalog.View(func(v *catalog.View) { open = timeline.Begun(v) })
	}
	return open.Since
}

// ask has all agents look, and answers with what concerns one object; "": all.
func (d *Doctor) ask(ctx context.Context, of string) (model.Health, error) {
	about, err := d.subject(of)
	if err != nil {
		return model.Health{}, err
	}
	out := d.verdict(ctx, func(nodes []model.Node) { d.look(ctx, nodes) })
	if about != nil {
		out.Findings = health.Select(out.Findings, about)
	}
	return out, nil
}

// atOnce is how many agents look at a time. Their checks take up to two seconds, which netmaster only waits for.
const atOnce = 1024

// look replaces the reports of agents by what they find now. An agent that does not answer keeps its last report and gets a finding about that.
func (d *Doctor) look(ctx context.Context, nodes []model.Node) {
	var wait sync.WaitGroup
	turn := make(chan struct{}, atOnce)
	for i := range nodes {
		n := &nodes[i]
		if n.Role != model.RoleAgent || !n.Answered() {
			continue
		}
		turn <- struct{}{}
		wait.Go(func() {
			defer func() { <-turn }()
			found, err := d.findings(ctx, n.Name)
			if err != nil {
				found = append(n.Findings, model.Finding{Code: model.FindingAgentUnknown, Severity: model.SeverityUnknown, Object: "host/" + n.Name,
					Evidence: "its checks did not answer, what it reported last is shown: " + err.Error(), Remedy: "look at the agent's log", Next: "netctl node ls"})
			}
			n.Findings = found
		})
	}
	wait.Wait()
}

// maxAnswer bounds what an agent may answer, in bytes: a hundred findings have 50 KB.
const maxAnswer = 4 << 20

func (d *Doctor) findings(ctx context.Context, host string) (out []model.Finding, err error) {
	ctx, cancel := context.WithTimeout(ctx, peer.AskLimit)
	defer cancel()
	answer, err := d.Peers.Call(ctx, http.MethodGet, host, "findings", "")
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	return out, json.NewDecoder(io.LimitReader(answer.Body, maxAnswer)).Decode(&out)
}
