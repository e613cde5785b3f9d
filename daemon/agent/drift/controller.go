// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
)

// Kinds of differences (model.Difference.Kind).
const (
	KindPort      = "port"
	KindAddress   = "address"
	KindBridge    = "bridge"
	KindTable     = "nftables"
	KindSetting   = "sysctl"
	KindInterface = "interface"
)

// maxRecorded is the maximum number of recorded differences.
const maxRecorded = 256

// Source finds and repairs one kind of drift. Its methods are safe for concurrent use.
type Source interface {
	// Kind is the kind of its differences.
	Kind() string
	// Differences lists the current differences, in the same order each time; Controller fills At and Kind. Thing names what is to be
	// repaired.
	Differences() ([]Difference, error)
	// Repair repairs a thing. It may block until ctx ends.
	Repair(ctx context.Context, thing string) error
}

// Difference is a difference with the name that its Source has for the thing.
type Difference struct {
	model.Difference
	Thing string

	by Source // its Source; set by the Controller
}

// Options are the dependencies of a Controller.
type Options struct {
	Sources  []Source
	Leave    []string               // kinds that are reported but not repaired
	Changed  func() <-chan struct{} // the channel is closed when something may have changed in Open vSwitch
	Kernel   func() <-chan struct{} // the same for the kernel; nil: it is not watched
	Interval time.Duration          // maximum time between two checks; 0: 10 s
	Log      *slog.Logger
}

// Controller checks whenever something may have changed, records differences, and repairs them.
type Controller struct {
	Options
	mu     sync.Mutex // guards the fields below
	found  []model.Difference
	counts map[string]uint64
	open   map[key]bool       // recorded, and still present
	stuck  []model.Difference // of these, those that have a Remedy
	left   int                // number of the others that the last check did not repair

	turn chan struct{} // one check at a time: its capacity is one
}

// key identifies a difference.
type key struct{ sort, thing, what, was string }

// New returns a Controller.
func New(o Options) *Controller {
	if o.Interval == 0 {
		o.Interval = 10 * time.Second
	}
	k := &Controller{Options: o, counts: map[string]uint64{}, open: map[key]bool{}, turn: make(chan struct{}, 1)}
	for _, s := range o.Sources {
		k.counts[s.Kind()] = 0
	}
	return k
}

// calm is how long a change may continue before it is judged: a port is added in several steps.
const calm = 300 * time.Millisecond

// Run works until ctx ends; then it returns nil.
func (k *Controller) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		changed, kernel := k.Changed(), k.kernel()
		if err := k.look(ctx, k.Leave); err != nil && ctx.Err() == nil {
			k.Log.Warn("cannot repair drift; retrying", "error", err)
		}
		timer := time.NewTimer(k.Interval)
		select {
		case <-changed:
			wait(ctx, calm)
		case <-kernel:
			wait(ctx, calm)
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
	return nil
}

func (k *Controller) kernel() <-chan struct{} {
	if k.Kernel == nil {
		return nil
	}
	return k.Kernel()
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Check lists the current differences.
func (k *Controller) Check() ([]model.Difference, error) {
	list, err := k.list()
	out := make([]model.Difference, len(list))
	for i := range list {
		out[i] = list[i].Difference
	}
	return out, err
}

// Repair repairs the current differences, regardless of Leave.
func (k *Controller) Repair(ctx context.Context) error { return k.look(ctx, nil) }

// Found lists the latest differences found, the oldest first.
func (k *Controller) Found() []model.Difference {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.found)
}

// Stuck lists the differences of the last check that the operator must repair: those with a Remedy.
func (k *Controller) Stuck() []model.Difference {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.stuck)
}

// Counts returns the number of differences found since the Controller was made, by kind.
func (k *Controller) Counts() map[string]uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.counts)
}

// list calls all sources.
func (k *Controller) list() (out []Difference, err error) {
	at := time.Now().UTC().Format(time.RFC3339)
	for _, s := range k.Sources {
		list, failed := s.Differences()
		err = errors.Join(err, failed)
		for _, d := range list {
			d.At, d.Difference.Kind, d.by = at, s.Kind(), s
			out = append(out, d)
		}
	}
	return out, err
}

// look records differences and repairs them, except kinds in Leave. It continues after an error and returns all errors.
func (k *Controller) look(ctx context.Context, leave []string) error {
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-ctx.Done():
		return fmt.Errorf("wait for the repair in progress: %w", ctx.Err())
	}
	list, err := k.list()
	k.record(list)
	errs, left := []error{err}, 0
	for _, d := range list {
		repaired := false
		if !slices.Contains(leave, d.Difference.Kind) {
			failed := k.repair(ctx, &d)
			errs, repaired = append(errs, failed), failed == nil
		}
		if !repaired && d.Remedy == "" {
			left++
		}
	}
	k.mu.Lock()
	k.left = left
	k.mu.Unlock()
	return errors.Join(errs...)
}

// Left returns the number of differences that the last check found and did not repair, because of Leave or an error. It excludes those of
// Stuck.
func (k *Controller) Left() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.left
}

// repairTimeout bounds the repair of one thing: a switch that never attaches a port must not keep other things from being repaired.
const repairTimeout = 5 * time.Second

func (k *Controller) repair(ctx context.Context, d *Difference) error {
	ctx, cancel := context.WithTimeout(ctx, repairTimeout)
	defer cancel()
	return d.by.Repair(ctx, d.Thing)
}

// record records each difference once for as long as it is present.
func (k *Controller) record(list []Difference) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := make(map[key]bool, len(list))
	k.stuck = nil
	for _, d := range list {
		if d.Remedy != "" {
			k.stuck = append(k.stuck, d.Difference)
		}
		id := key{d.Difference.Kind, d.Thing, d.What, d.Was}
		now[id] = true
		if k.open[id] {
			continue
		}
		k.counts[d.Difference.Kind]++
		k.found = append(k.found, d.Difference)
		k.Log.Warn("drift found", "kind", d.Difference.Kind, "owner", d.Owner, "difference", d.Text(), "was", d.Was, "want", d.Want)
	}
	if extra := len(k.found) - maxRecorded; extra > 0 {
		k.found = slices.Delete(k.found, 0, extra)
	}
	k.open = now
}
