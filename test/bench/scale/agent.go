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

// agent is the agent of a host without a switch: it is admitted, told, and reports.
type agent struct {
	label  string
	tenant string // of its endpoints
	wire   *wire
	stop   context.CancelFunc
	engine *engine // nil: what is told is taken for programmed

	mu       sync.Mutex
	known    int                  // records of its first batch
	foreign  int                  // records of other tenants that it was told of
	fulls    int                  // shards that were told as a whole
	failed   int                  // outages
	heard    map[string]time.Time // when a value of a record came, by what says which
	admitted bool
	revision uint64
	moved    chan struct{}
	shards   map[channel.Shard]struct{}
	mark     channel.Mark
	carries  []string // ids of the endpoints that its host has, in the drill
}

// newAgent makes the agent of the i-th host, which has not begun.
func newAgent(i int, by *wire) *agent {
	return &agent{label: fmt.Sprint("h", i), wire: by, tenant: fmt.Sprint("t", i/hostsOfTenant), heard: map[string]time.Time{}, moved: make(chan struct{}), shards: map[channel.Shard]struct{}{}}
}

// start has the agent follow netmasters until ctx ends, from where it was when it ended.
func (w *world) start(ctx context.Context, i int, a *agent) {
	ctx, a.stop = context.WithCancel(ctx)
	way := a.wire.client()
	asks := channel.Master{Client: &client.Client{Masters: w.urls, HTTP: way, Timeout: patience}}
	h := record.Host{Label: a.label, Machine: a.label, Instance: "s", VTEP: vtepOf(i), Port: 4789, Control: netip.AddrPortFrom(vtepOf(i), 9090), Version: "bench"}
	again := make(chan struct{}, 1)
	var keeper *inventory.Merger
	var offer func(ctx context.Context) error
	if w.carried != nil {
		offer = func(ctx context.Context) error { return keeper.Offer(ctx) }
	}
	c := channel.NewClient(channel.Options{Host: a.label, Masters: w.urls, HTTP: way, Log: slog.New(slog.DiscardHandler), Hooks: channel.Hooks{Seat: func() string { return h.Instance }, Reporter: a, Offer: offer,
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

// attached are the ids of the endpoints that the agent's host carries.
func (a *agent) attached() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.carries)
}

// attach has the agent's host carry an endpoint.
func (a *agent) attach(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.carries = append(a.carries, id)
}

// use has the agent report what an engine has programmed.
func (a *agent) use(e *engine) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.engine = e
}

// at is what reports where the agent has an engine; nil: it has none.
func (a *agent) at() *engine {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.engine
}

// vtepOf is where the tunnels of a host end.
func vtepOf(host int) netip.Addr {
	return netip.AddrFrom4([4]byte{192, byte(168 + host/62_500), byte(host / 250 % 250), byte(1 + host%250)})
}

// take counts what comes.
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

// Revision is what has been programmed.
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

// Status is one of the length that a real agent's has, which changes each second.
func (a *agent) Status() ([]byte, error) {
	return json.Marshal(model.AgentStatus{Host: a.label, Ready: true, Version: "bench", Since: "2030-01-02T03:04:05Z", Datapath: "netdev", VTEP: "192.168.251.1", Master: "http://192.0.2.1:9999",
		Seen: a.Revision(), Flows: 1000, Endpoints: 50, FlowMods: uint64(time.Now().Unix()), Uplinks: []model.Uplink{{Name: "eth1", Link: true, Active: true, Port: 1001}}})
}

// Held is what the agent's engine holds; nothing where it has none.
func (a *agent) Held() (channel.Mark, map[channel.Shard]channel.Digest) {
	if e := a.at(); e != nil {
		return e.records.Held()
	}
	return channel.Mark{}, nil
}

// changed says which change a record is of, "" when it is of none: the common name of an endpoint, or a registration of mark.
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

// when is when a change came to the agent; ok is false while it has not.
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
