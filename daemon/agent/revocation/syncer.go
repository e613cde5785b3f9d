// Package revocation is who this host does not trust any more: which certificates of netmasters and monitors are revoked, as netmasters tell it, and as others tell
// than the one that is followed, which may be the one that is revoked.
package revocation

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
)

// Times of a Keeper.
const (
	pollInterval = 15 * time.Second // one netmaster after the other
	askLimit     = 5 * time.Second
	slack        = time.Hour // after the end of a certificate, for a clock that is put back
)

// Options are what a Keeper needs.
type Options struct {
	Source  Source                                                             // tells what concerns the host
	Masters func(ctx context.Context) []string                                 // URLs of all netmasters
	Ask     func(ctx context.Context, url string) ([]record.Revocation, error) // what one of them says is revoked
	Revoke  func(serials []string)                                             // refuses these, and no others
	Log     *slog.Logger
}

// Source yields all that concerns the host, then what changes.
type Source interface {
	Follow(ctx context.Context) iter.Seq2[channel.Batch, error]
}

// Syncer has certificates refused from when any netmaster has said that they are revoked until they would have ended: a revocation is never taken back, and a
// netmaster that does not tell of it any more may be the one that it concerns. Its methods are safe for concurrent use.
type Syncer struct {
	Options

	mu    sync.Mutex
	known map[string]record.Revocation // by serial
}

// New makes a Keeper that knows of no revocation.
func New(o Options) *Syncer { return &Syncer{Options: o, known: map[string]record.Revocation{}} }

// Follow passes on what Source yields, when what is revoked by it is refused already.
func (k *Syncer) Follow(ctx context.Context) iter.Seq2[channel.Batch, error] {
	return func(yield func(channel.Batch, error) bool) {
		for b, err := range k.Source.Follow(ctx) {
			if err == nil {
				k.Apply(&b)
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// Apply takes in what a batch tells of revocations.
func (k *Syncer) Apply(b *channel.Batch) {
	var told []record.Revocation
	for i := range b.Updates {
		for _, item := range b.Updates[i].Items {
			serial, is := strings.CutPrefix(item.Key, record.Certificates)
			if !is {
				continue
			}
			var r record.Revocation
			if err := json.Unmarshal(item.Value, &r); err != nil || r.Serial != serial {
				k.Log.Warn("malformed record", "key", item.Key, "error", err)
				continue
			}
			told = append(told, r)
		}
	}
	k.add(told)
}

// add has certificates refused.
func (k *Syncer) add(told []record.Revocation) {
	now := time.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	before := len(k.known)
	maps.DeleteFunc(k.known, func(_ string, r record.Revocation) bool { return now.After(r.Until.Add(slack)) })
	changed := len(k.known) != before
	for _, r := range told {
		if _, known := k.known[r.Serial]; known || r.Serial == "" || now.After(r.Until.Add(slack)) {
			continue
		}
		k.known[r.Serial] = r
		changed = true
		k.Log.Warn("a certificate is revoked: who shows it is refused", "identity", r.Identity, "id", r.Serial)
	}
	if changed {
		k.Revoke(slices.Sorted(maps.Keys(k.known)))
	}
}

// Run asks one netmaster after the other what is revoked, until ctx ends.
func (k *Syncer) Run(ctx context.Context) {
	pause := rand.N(pollInterval) // so that not all agents ask together
	for turn := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		pause = pollInterval
		all := k.Masters(ctx)
		if len(all) == 0 {
			continue
		}
		slices.Sort(all)
		url := all[turn%len(all)]
		turn = (turn + 1) % len(all)
		limited, cancel := context.WithTimeout(ctx, askLimit)
		told, err := k.Ask(limited, url)
		cancel()
		if err != nil { // it is away, refused, or of an earlier build
			k.Log.Debug("a netmaster does not say what is revoked", "address", url, "error", err)
		}
		k.add(told)
	}
}
