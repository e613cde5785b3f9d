// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/test/bench/report"
)

// creations pairs endpoints created through REST with bare transactions of one put under a fence, one client and 64.
func creations(ctx context.Context, dir, program string, as deployment, n, rounds int) (*report.Table, error) {
	m, err := settle(ctx, dir, program, as)
	if err != nil {
		return nil, err
	}
	defer func() { _ = m.Close() }()
	creating, err := newEndpoints(ctx, m, "10.0.0.0/8")
	if err != nil {
		return nil, err
	}
	fence := &store.Tx{}
	fence.Put("/bench/lock", []byte("bench"))
	created, err := m.Commit(ctx, fence)
	if err != nil {
		return nil, err
	}
	var serial atomic.Int64
	bare := func(ctx context.Context) error {
		tx := &store.Tx{}
		tx.Under(store.Fence{Key: "/bench/lock", Created: created})
		tx.Put(fmt.Sprintf("/bench/%064d", serial.Add(1)), []byte(strings.Repeat("x", 350)))
		_, err := m.Commit(ctx, tx)
		return err
	}
	t := &report.Table{Title: fmt.Sprintf("Endpoints created through REST, against bare transactions on the same etcd (%s, fsync, medians of %d rounds)", as, rounds)}
	for _, c := range []struct {
		clients int
		target  float64
	}{{1, 0.6}, {64, 0.9}} {
		var mine, theirs []float64
		var spent time.Duration
		var sent store.Revision
		for range rounds {
			before, began, err := spending(ctx, m)
			if err != nil {
				return nil, err
			}
			a, err := rate(ctx, creating.create, n, c.clients)
			if err != nil {
				return nil, err
			}
			after, ended, err := spending(ctx, m)
			if err != nil {
				return nil, err
			}
			spent, sent = spent+after-before, sent+ended-began
			b, err := rate(ctx, bare, n, c.clients)
			if err != nil {
				return nil, err
			}
			mine, theirs = append(mine, a), append(theirs, b)
		}
		a, b := report.Median(mine), report.Median(theirs)
		t.Add(report.Row{What: fmt.Sprintf("%d at a time", c.clients), Ours: report.Rate(a), Peer: report.Rate(b), Ratio: a / b,
			Target: fmt.Sprintf(">= %.2f", c.target), Met: a/b >= c.target})
		made := float64(n * min(c.clients, 8) * rounds)
		t.Add(report.Row{What: "  of which a transaction carries", Ours: fmt.Sprintf("%.1f", made/float64(sent)), Target: "-", Met: true})
		t.Add(report.Row{What: "  netmaster's CPU time for one", Ours: report.Millis(time.Duration(float64(spent) / made)), Target: "-", Met: true})
	}
	return t, cost(ctx, m, t)
}

// endpoints creates endpoints in a network of its own. Its create is safe for concurrent use.
type endpoints struct {
	*pair
	made atomic.Int64
}

func newEndpoints(ctx context.Context, m *pair, subnet string) (*endpoints, error) {
	_, err := m.Networks().Put(ctx, &model.Network{TenantName: "default", NetworkName: "bench", Encap: "vlan", Subnet: subnet})
	return &endpoints{pair: m}, err
}

// create makes one endpoint more.
func (e *endpoints) create(ctx context.Context) error {
	name := fmt.Sprintf("%064d", e.made.Add(1))
	_, _, err := e.CreateEndpoint(ctx, model.CreateEndpointRequest{TenantName: "default", NetworkName: "bench",
		ConfigEP: model.EndpointConfigRequest{Container: name, Host: "h1"}})
	return err
}

// spending is the CPU time of netmaster so far, and the store's revision, which every transaction advances by one.
func spending(ctx context.Context, m *pair) (time.Duration, store.Revision, error) {
	spent, err := spentBy(m.cmd.Process.Pid)
	if err != nil {
		return 0, 0, err
	}
	_, rev, err := m.List(ctx, "/bench/lock")
	return spent, rev, err
}

// cost adds what one endpoint costs the store.
func cost(ctx context.Context, db store.Store, t *report.Table) error {
	items, _, err := db.List(ctx, record.Endpoints)
	if err != nil || len(items) == 0 {
		return fmt.Errorf("list the endpoints: %d, %w", len(items), err)
	}
	bytes := len(items[0].Key) + len(items[0].Value) + len(record.LeaderKey)
	told, _, err := db.List(ctx, record.History)
	if err != nil || len(told) == 0 {
		return fmt.Errorf("list the history: %d, %w", len(told), err)
	}
	least := len(told[0].Key) + len(told[0].Value)
	for _, r := range told { // the smallest is that of only one endpoint
		least = min(least, len(r.Key)+len(r.Value))
	}
	bytes += least
	t.Add(report.Row{What: "bytes of its one transaction, history included", Ours: fmt.Sprint(bytes), Target: "<= 1536", Met: bytes <= 1536})
	return nil
}

// rate runs do n times by some clients and returns how often it was done per second.
func rate(ctx context.Context, do func(context.Context) error, n, clients int) (float64, error) {
	var left atomic.Int64
	left.Store(int64(n) * int64(min(clients, 8)))
	total := left.Load()
	var failed atomic.Pointer[error]
	var wait sync.WaitGroup
	start := time.Now()
	for range clients {
		wait.Go(func() {
			for left.Add(-1) >= 0 {
				if err := do(ctx); err != nil {
					failed.Store(&err)
					return
				}
			}
		})
	}
	wait.Wait()
	if err := failed.Load(); err != nil {
		return 0, *err
	}
	return float64(total) / time.Since(start).Seconds(), nil
}
