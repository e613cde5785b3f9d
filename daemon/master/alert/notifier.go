// SPDX-License-Identifier: Apache-2.0

package alert

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	prometheus "github.com/prometheus/common/model"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

const (
	// DefaultResend is the time after which firing alerts are sent again: Alertmanager resolves those that it does not receive for four times that.
	DefaultResend = time.Minute
	// maxPause is the longest time between two attempts at a receiver.
	maxPause = time.Minute
	// maxFiring bounds the firing alerts of a receiver.
	maxFiring = 1000
	// atOnce bounds the alerts of a request.
	atOnce = 64
)

// Config configures a Notifier.
type Config struct {
	Receivers []*Receiver
	Labels    prometheus.LabelSet // of each alert, besides its own
	Generator string              // URL at which alerts can be seen
	Commit    *commit.Committer
	Catalog   *catalog.Catalog
	Pause     time.Duration    // before the first retry; it doubles, up to a minute; 0: a second
	Resend    time.Duration    // 0: DefaultResend
	Now       func() time.Time // nil: time.Now
	Log       *slog.Logger
}

// Notifier sends the findings that are open by the timeline to receivers, while this master leads. The store has what each receiver was sent,
// so that a new leader repeats nothing and resolves what has ended meanwhile. Its methods are safe for concurrent use.
type Notifier struct {
	Config
	deliveries   []*delivery
	sent, failed atomic.Uint64

	mu    sync.Mutex // of found
	found map[model.FindingRef]model.Finding
}

// New returns a Notifier.
func New(c Config) *Notifier {
	if c.Pause == 0 {
		c.Pause = time.Second
	}
	if c.Resend == 0 {
		c.Resend = DefaultResend
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	n := &Notifier{Config: c}
	for _, r := range c.Receivers {
		n.deliveries = append(n.deliveries, &delivery{Notifier: n, to: r, wake: make(chan struct{}, 1)})
	}
	return n
}

// Sent returns the number of alerts that receivers accepted.
func (n *Notifier) Sent() uint64 { return n.sent.Load() }

// Failed returns the number of requests that receivers refused or did not answer.
func (n *Notifier) Failed() uint64 { return n.failed.Load() }

// Waiting returns the number of changes of alerts that receivers have not accepted yet.
func (n *Notifier) Waiting() (sum float64) {
	for _, d := range n.deliveries {
		sum += float64(d.waiting.Load())
	}
	return sum
}

// Update sets the current findings, after the timeline has recorded them. It does not block.
func (n *Notifier) Update(list []model.Finding) {
	if len(n.deliveries) == 0 {
		return
	}
	found := make(map[model.FindingRef]model.Finding, len(list))
	for i := range list {
		found[list[i].Ref()] = list[i]
	}
	n.mu.Lock()
	n.found = found
	n.mu.Unlock()
	for _, d := range n.deliveries {
		select {
		case d.wake <- struct{}{}:
		default:
		}
	}
}

// current returns the findings of the last Update; nil before the first.
func (n *Notifier) current() map[model.FindingRef]model.Finding {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.found
}

// Run sends alerts until ctx, a leader's term, ends. It must be called once per term, while the committer runs.
func (n *Notifier) Run(ctx context.Context) {
	if err := n.forget(ctx); err != nil && ctx.Err() == nil {
		n.Log.Warn("cannot delete records of former receivers of alerts", "error", err)
	}
	var running sync.WaitGroup
	for _, d := range n.deliveries {
		running.Go(func() { d.run(ctx) })
	}
	running.Wait()
}

// forget deletes the records of receivers that are not configured any more. Their alerts end by themselves.
func (n *Notifier) forget(ctx context.Context) error {
	configured := func(id string) bool {
		return slices.ContainsFunc(n.Receivers, func(r *Receiver) bool { return r.ID == id })
	}
	var keys []string
	n.Catalog.View(func(v *catalog.View) {
		for _, a := range v.Alerts() {
			if !configured(a.Receiver) {
				keys = append(keys, record.Alerts+a.Key)
			}
		}
		for _, r := range v.AlertReceivers() {
			if !configured(r.ID) {
				keys = append(keys, record.AlertReceivers+r.ID)
			}
		}
	})
	for part := range slices.Chunk(keys, atOnce) {
		if _, err := n.Commit.Do(ctx, func(tx *commit.Tx) error {
			for _, k := range part {
				tx.Delete(k)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}
