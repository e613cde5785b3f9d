// SPDX-License-Identifier: Apache-2.0

// Package compare samples connections of this host's endpoints, and compares what the policies say about each with what the switch would do.
package compare

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/pipeline"
	"github.com/contiv/contiv/ofnet/vswitchd"
)

const (
	// share is the part of a core that comparisons may use, here and in ovs-vswitchd: 1/share.
	share = 100
	// minPause and maxPause bound the time between two comparisons.
	minPause, maxPause = 100 * time.Millisecond, 30 * time.Second
	// again is the time after which a difference is compared again.
	again = 2 * time.Second
	// traceTimeout bounds the answer of ovs-vswitchd.
	traceTimeout = 5 * time.Second
	// maxRecirculations bounds the returns of a packet from the connection tracker.
	maxRecirculations = 4
)

// Forwarder is the part of *bridge.Reconciler that a Comparer needs.
type Forwarder interface {
	View(fn func(s *ofnet.State))
	UpToDate() (version uint64, ok bool)
	Wanted(k flow.Key) (flow.Flow, bool)
	Owners(numbers []uint64) []ofnet.Key
}

// Options are what a Comparer needs.
type Options struct {
	Host     string // label
	Bridge   string // name
	Pipeline *pipeline.Pipeline
	Forward  Forwarder
	// Control runs a command of ovs-vswitchd and returns what it prints.
	Control func(ctx context.Context, command string, args ...string) (string, error)
	Now     func() time.Time
	Log     *slog.Logger
}

// Comparer compares, and keeps the differences. Its methods are safe for concurrent use.
type Comparer struct {
	Options
	random   *rand.Rand
	turns    turns
	spent    spent
	pool     *pool
	compared atomic.Uint64

	mu    sync.Mutex // of found
	found map[question]*difference
}

// New returns a Comparer.
func New(o Options) *Comparer {
	return &Comparer{Options: o, random: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())), found: map[question]*difference{}}
}

// Compared returns the number of connections that were compared.
func (c *Comparer) Compared() uint64 { return c.compared.Load() }

// Run compares until ctx ends; then it returns nil. The cost of comparisons determines when the next one follows.
func (c *Comparer) Run(ctx context.Context) error {
	timer := time.NewTimer(minPause)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-ctx.Done():
			return nil
		}
		start := time.Now()
		if c.step(ctx) {
			c.spent.add(time.Since(start))
		}
		timer.Reset(min(max((share-1)*c.spent.cost(), minPause), maxPause))
	}
}

// step compares one connection, if the switch has all desired flows: a difference that is due, or a sample. It reports whether ovs-vswitchd
// had to trace a packet.
func (c *Comparer) step(ctx context.Context) (traced bool) {
	version, ok := c.Forward.UpToDate()
	if !ok {
		return false
	}
	var s *ofnet.State
	c.Forward.View(func(now *ofnet.State) { s = now.Clone() })
	now := c.Now()
	q, due := c.due(now)
	if !due {
		if c.pool == nil || c.pool.version != version && now.Sub(c.pool.at) >= poolInterval {
			c.pool = list(s)
			c.pool.version, c.pool.at = version, now
		}
		if q, ok = c.pool.question(s, c.random, &c.turns); !ok {
			return false
		}
	}
	want, ok := expect(s, q)
	if !ok || len(s.Crowded()) > 0 { // policies without places for their rules deny more than they say, which is a finding
		c.agree(q)
		return false
	}
	way, err := c.trace(ctx, want.packet)
	if err != nil {
		if ctx.Err() == nil {
			c.Log.Debug("cannot compare a connection", "error", err)
		}
		return true
	}
	if after, ok := c.Forward.UpToDate(); !ok || after != version {
		return true // the switch may have been ahead of the State
	}
	c.compared.Add(1)
	passes := false
	for _, x := range want.egress {
		passes = passes || x.taken(way)
	}
	if passes == want.verdict.Allowed {
		c.agree(q)
		return true
	}
	c.differ(q, version, now, want, way)
	return true
}

// trace asks ovs-vswitchd for the path of a packet.
func (c *Comparer) trace(ctx context.Context, packet string) (*vswitchd.Trace, error) {
	ctx, cancel := context.WithTimeout(ctx, traceTimeout)
	defer cancel()
	args := []string{c.Bridge, packet}
	for range maxRecirculations {
		args = append(args, "--ct-next", "trk,new")
	}
	text, err := c.Control(ctx, "ofproto/trace", args...)
	if err != nil {
		return nil, err
	}
	return vswitchd.ParseTrace(text, c.Bridge)
}
