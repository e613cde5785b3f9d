// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/inventory"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
)

// agent is the agent of a host without a switch: it registers, receives and reports.
type agent struct {
	label  string
	tenant string // of its endpoints
	wire   *wire
	stop   context.CancelFunc
	engine *engine // nil: everything received counts as programmed

	mu       sync.Mutex
	known    int                  // records of its first batch
	foreign  int                  // received records of other tenants
	fulls    int                  // shards received as a whole
	failed   int                  // outages
	heard    map[string]time.Time // when a value of a record arrived, by its change
	admitted bool
	revision uint64
	moved    chan struct{}
	shards   map[channel.Shard]struct{}
	mark     channel.Mark
	carries  []string // ids of the host's endpoints, in the drill
}

// newAgent returns the agent of the i-th host, not started.
func newAgent(i int, by *wire) *agent {
	return &agent{label: fmt.Sprint("h", i), wire: by, tenant: fmt.Sprint("t", i/hostsOfTenant), heard: map[string]time.Time{}, moved: make(chan struct{}), shards: map[channel.Shard]struct{}{}}
}

// start makes the agent follow netmasters until ctx ends, from the position at which it ended.
func (w *world) start(ctx context.Context, i int, a *agent) {
	ctx, a.stop = context.WithCancel(ctx)
	way := a.wire.client()
	asks := channel.Master{Client: &client.Client{Masters: w.urls, HTTP: way, Timeout: timeout}}
	h := record.Host{Label: a.label, Machine: a.label, Instance: "s", VTEP: vtepOf(i), Port: 4789, Control: w.controlOf(i), Version: "bench"}
	again := make(chan struct{}, 1)
	var keeper *inventory.Merger
	var offer func(ctx context.Context) error
	if w.carried != nil {
		offer = func(ctx context.Context) error { return keeper.Offer(ctx) }
	}
	c := channel.NewClient(channel.Options{Host: a.label, Masters: w.urls, HTTP: way, Log: slog.New(slog.DiscardHandler), Hooks: channel.Hooks{Instance: func() string { return h.Instance }, Reporter: a, Offer: offer,
		Opened: func(record.Incarnation) {
			select {
			case again <- struct{}{}:
			default:
			}
		}}})
	a.mu.Lock()
	a.carries = append(a.carries, w.carried[i]...)
	if len(a.shards) > 0 && !w.engines {
		var shards []channel.Shard
		for s := range a.shards {
			shards = append(shards, s)
		}
		c.Resume(shards, a.mark)
	}
	a.mu.Unlock()
	again <- struct{}{}
	go func() {
		for {
			select {
			case <-again:
			case <-ctx.Done():
				return
			}
			if _, err := asks.Register(ctx, h); err == nil {
				a.mu.Lock()
				a.admitted = true
				a.mu.Unlock()
			}
		}
	}()
	if w.engines {
		go w.engine(ctx, i, a, c)
		return
	}
	follow := c.Follow
	if w.carried != nil {
		keeper = inventory.New(inventory.Options{Host: a.label, Follower: c, Attached: a.attached, Post: asks.Offer, Log: slog.New(slog.DiscardHandler)})
		follow = keeper.Follow
	}
	go func() {
		for b, err := range follow(ctx) {
			a.take(&b, err)
		}
	}()
}

// attached returns the ids of the endpoints that the agent's host carries.
func (a *agent) attached() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.carries)
}

// attach makes the agent's host carry an endpoint.
func (a *agent) attach(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.carries = append(a.carries, id)
}

// use makes the agent report what an engine has programmed.
func (a *agent) use(e *engine) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.engine = e
}

// at returns the agent's engine; nil if it has none.
func (a *agent) at() *engine {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.engine
}

// vtepOf returns the tunnel address of a host.
func vtepOf(host int) netip.Addr {
	return netip.AddrFrom4([4]byte{192, byte(168 + host/62_500), byte(host / 250 % 250), byte(1 + host%250)})
}

// take counts a batch.
func (a *agent) take(b *channel.Batch, err error) {
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		a.failed++
		return
	}
	first := a.known == 0
	for i := range b.Updates {
		u := &b.Updates[i]
		a.shards[u.Shard] = struct{}{}
		if u.Full {
			a.fulls++
		}
		if first {
			a.known += len(u.Items)
		}
		if tenant, is := u.Shard.OfTenant(); is && tenant != a.tenant {
			a.foreign += len(u.Items) + len(u.Gone)
		}
		for n := range u.Items {
			if word := changed(&u.Items[n]); word != "" {
				a.heard[word] = now
			}
		}
	}
	for _, s := range b.Left {
		delete(a.shards, s)
	}
	if first && a.known == 0 {
		a.known = 1
	}
	a.mark, a.revision = b.Mark, b.Revision
	close(a.moved)
	a.moved = make(chan struct{})
}

// Revision returns the programmed revision.
func (a *agent) Revision() uint64 {
	if e := a.at(); e != nil {
		return e.Revision()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.revision
}

// Wait blocks until a revision has been programmed.
func (a *agent) Wait(ctx context.Context, rev uint64) error {
	if e := a.at(); e != nil {
		return e.Wait(ctx, rev)
	}
	for {
		a.mu.Lock()
		at, moved := a.revision, a.moved
		a.mu.Unlock()
		if at >= rev {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Status returns a text as long as a real agent's status, which changes each second.
func (a *agent) Status() ([]byte, error) {
	return json.Marshal(model.AgentStatus{Host: a.label, Ready: true, Version: "bench", Since: "2030-01-02T03:04:05Z", Datapath: "netdev", VTEP: "192.168.251.1", Master: "http://192.0.2.1:9999",
		Seen: a.Revision(), Flows: 1000, Endpoints: 50, FlowMods: uint64(time.Now().Unix()), Uplinks: []model.Uplink{{Name: "eth1", Link: true, Active: true, Port: 1001}}})
}

// Held returns what the agent's engine holds; nothing without an engine.
func (a *agent) Held() (channel.Mark, map[channel.Shard]channel.Digest) {
	if e := a.at(); e != nil {
		return e.records.Held()
	}
	return channel.Mark{}, nil
}

// changed returns the change of a record, "" for none: the common name of an endpoint, or a registration of mark.
func changed(i *channel.Item) string {
	if name, is := strings.CutPrefix(i.Key, record.Services+"bench/"); is {
		return name
	}
	_, rest, is := strings.Cut(string(i.Value), `"epCommonName":"`)
	if !is {
		return ""
	}
	name, _, _ := strings.Cut(rest, `"`)
	if strings.HasSuffix(name, "-0") {
		return ""
	}
	return name
}

// when returns the time at which a change reached the agent; ok is false if it has not.
func (a *agent) when(change string) (at time.Time, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at, ok = a.heard[change]
	return at, ok
}

// is reports whether something is true of the agent.
func (a *agent) is(so func(*agent) bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return so(a)
}
