// SPDX-License-Identifier: Apache-2.0

// Package pairs measures how each netmaster reaches each other one: netmasters exchange what they measure, so that all know the same.
package pairs

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/julienschmidt/httprouter"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/master/health"
	"github.com/contiv/contiv/daemon/master/part"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/trust"
)

// Path is the path of the measurements.
const Path = "/api/v1/leadership/peers"

// interval is the pause between two measurements of a netmaster.
const interval = time.Second

// Config is what a Pairs needs.
type Config struct {
	Own       string          // own internal address, "host:port"
	Expected  func() []string // internal addresses of the other members of the cluster; it does not block
	Transport peer.Transport  // to them
	Log       *slog.Logger
}

// Pairs measures the other netmasters and collects what they have measured. Its methods are safe for concurrent use.
type Pairs struct {
	Config
	table *table
	// measure asks a netmaster for its rows. It blocks until the netmaster answers, at most for probeTimeout.
	measure func(ctx context.Context, address string) (sample, error)
	// arrives reports whether packets of the netmaster at an address arrive here.
	arrives func(address string) bool
}

// New returns a Pairs that measures nothing yet.
func New(c Config) *Pairs {
	p := &Pairs{Config: c, table: newTable(c.Own)}
	probe := &prober{transport: c.Transport.Straight()}
	p.measure, p.arrives = probe.measure, (&halfOpen{own: c.Own}).from
	return p
}

// Part returns the part of the measurements: their route, their task, what the checks examine, and their metrics.
func (p *Pairs) Part() part.Part {
	return part.Part{
		Routes:  []func(*rest.Router){p.Register},
		Tasks:   []task.Task{part.Started("measurements of other netmasters", p.Run)},
		Facts:   []func(*health.Snapshot){func(s *health.Snapshot) { s.Pairs = p.table.snapshot(time.Now()).Rows }},
		Metrics: []prometheus.Collector{newCollector(func() model.MasterRow { return p.table.own(time.Now()) })},
	}
}

// Register adds the route of the measurements, which netmasters request from each other.
func (p *Pairs) Register(r *rest.Router) {
	r.Read(Path, func(*http.Request, httprouter.Params) (any, error) { return p.table.snapshot(time.Now()), nil }).
		Allow(rest.Needs(rights.Read, trust.Master, trust.Monitor))
}

// Run measures all expected netmasters until ctx ends, and returns nil. It measures each independently of the others, since one that does
// not answer takes long.
func (p *Pairs) Run(ctx context.Context) error {
	var wait sync.WaitGroup
	defer wait.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	var mu sync.Mutex
	busy := map[string]bool{}
	for {
		expected := p.Expected()
		p.table.expect(expected)
		for _, address := range expected {
			mu.Lock()
			free := !busy[address]
			busy[address] = true
			mu.Unlock()
			if !free {
				continue
			}
			wait.Go(func() {
				p.look(ctx, address)
				mu.Lock()
				defer mu.Unlock()
				busy[address] = false
			})
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// look measures one netmaster and records the result.
func (p *Pairs) look(ctx context.Context, address string) {
	start := time.Now()
	got, err := p.measure(ctx, address)
	if ctx.Err() != nil {
		return
	}
	now := time.Now()
	if err == nil {
		p.table.merge(got.rows, start) // a row that is passed around never gets younger
	}
	found := result(got, err)
	if found.State == model.PairSilent {
		found.Arrives = p.arrives(address)
	}
	switch was := p.table.record(address, found, got, now); {
	case was == found.State:
	case found.State == model.PairReached && was != "":
		p.Log.Info("netmaster reached again", "address", address)
	case found.State != model.PairReached:
		p.Log.Warn("netmaster not reached", "address", address, "reason", found.Reason)
	}
}
