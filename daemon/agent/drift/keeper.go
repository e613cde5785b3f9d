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

// mostKept is how many differences are remembered.
const mostKept = 256

// Source knows one sort of things, as they should be and as they are. Its methods are safe for concurrent use.
type Source interface {
	// Kind is the kind of its differences.
	Kind() string
	// Differences lists what is not as it should be now, in the same order each time; Keeper fills At and Kind. Thing names
	// what is to be repaired.
	Differences() ([]Difference, error)
	// Repair puts a thing right. It may block until ctx ends.
	Repair(ctx context.Context, thing string) error
}

// Difference is one, and what a Source calls the thing.
type Difference struct {
	model.Difference
	Thing string

	by Source // who has listed it, and repairs it; the Keeper's business
}

// Options are what a Keeper needs.
type Options struct {
	Sources []Source
	Leave   []string               // sorts that are told of and left as they are
	Changed func() <-chan struct{} // the channel is closed when something may have changed in Open vSwitch
	Kernel  func() <-chan struct{} // and in the kernel; nil: nothing is watched there
	Every   time.Duration          // looks at least so often; 0: 10 s
	Log     *slog.Logger
}

// Keeper looks whenever something may have changed, remembers what differs, and repairs it.
type Keeper struct {
	Options
	mu     sync.Mutex // of what follows
	found  []model.Difference
	counts map[string]uint64
	open   map[key]bool       // noted, and still there
	stuck  []model.Difference // of these, those that have a Remedy
	left   int                // of the others, those that the last look did not put right

	turn chan struct{} // one look at a time: it has room for one
}

// key tells differences apart.
type key struct{ sort, thing, what, was string }

// New returns a Keeper.
func New(o Options) *Keeper {
	if o.Every == 0 {
		o.Every = 10 * time.Second
	}
	k := &Keeper{Options: o, counts: map[string]uint64{}, open: map[key]bool{}, turn: make(chan struct{}, 1)}
	for _, s := range o.Sources {
		k.counts[s.Kind()] = 0
	}
	return k
}

// calm is how long a change may still continue before it is judged: a port comes in several steps.
const calm = 300 * time.Millisecond

// Run works until ctx ends; then it returns nil.
func (k *Keeper) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		changed, kernel := k.Changed(), k.kernel()
		if err := k.look(ctx, k.Leave); err != nil && ctx.Err() == nil {
			k.Log.Warn("repair of what others have changed, trying again", "error", err)
		}
		timer := time.NewTimer(k.Every)
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

func (k *Keeper) kernel() <-chan struct{} {
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

// Check lists what differs now.
func (k *Keeper) Check() ([]model.Difference, error) {
	list, err := k.list()
	out := make([]model.Difference, len(list))
	for i := range list {
		out[i] = list[i].Difference
	}
	return out, err
}

// Repair repairs what differs now, whatever Leave says.
func (k *Keeper) Repair(ctx context.Context) error { return k.look(ctx, nil) }

// Found lists the last differences that were found, the oldest first.
func (k *Keeper) Found() []model.Difference {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.found)
}

// Stuck lists what differed at the last look and is for the operator to put right: what has a Remedy.
func (k *Keeper) Stuck() []model.Difference {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.stuck)
}

// Counts are the differences that were found since the Keeper was made, by sort.
func (k *Keeper) Counts() map[string]uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.counts)
}

// list asks all sources.
func (k *Keeper) list() (out []Difference, err error) {
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

// look notes what differs and repairs it, but for sorts to leave. It continues after an error and returns all.
func (k *Keeper) look(ctx context.Context, leave []string) error {
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-ctx.Done():
		return fmt.Errorf("wait for the repair that is under way: %w", ctx.Err())
	}
	list, err := k.list()
	k.note(list)
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

// Left is how many differences the last look found and did not put right: it was to leave them, or could not. Those that are for the
// operator, which Stuck lists, are not among them.
func (k *Keeper) Left() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.left
}

// repairLimit bounds the repair of one thing: a switch that never attaches a port must not keep others from being repaired.
const repairLimit = 5 * time.Second

func (k *Keeper) repair(ctx context.Context, d *Difference) error {
	ctx, cancel := context.WithTimeout(ctx, repairLimit)
	defer cancel()
	return d.by.Repair(ctx, d.Thing)
}

// note remembers each difference once for as long as it is there.
func (k *Keeper) note(list []Difference) {
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
		k.Log.Warn("not as it should be", "kind", d.Difference.Kind, "owner", d.Owner, "difference", d.Text(), "was", d.Was, "want", d.Want)
	}
	if extra := len(k.found) - mostKept; extra > 0 {
		k.found = slices.Delete(k.found, 0, extra)
	}
	k.open = now
}
