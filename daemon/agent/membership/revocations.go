// SPDX-License-Identifier: Apache-2.0

package membership

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

// Times of Revocations.
const (
	revocationInterval = 15 * time.Second // one netmaster after the other
	revocationTimeout  = 5 * time.Second
	clockSlack         = time.Hour // after the end of a certificate, for a clock that is set back
)

// RevocationOptions configure Revocations.
type RevocationOptions struct {
	Source  RevocationSource                                                   // yields the records that concern the host
	Masters func(ctx context.Context) []string                                 // URLs of all netmasters
	Ask     func(ctx context.Context, url string) ([]record.Revocation, error) // the revocations that one of them lists
	Revoke  func(serials []string)                                             // refuses exactly these
	Log     *slog.Logger
}

// RevocationSource yields all records that concern the host, then their changes.
type RevocationSource interface {
	Follow(ctx context.Context) iter.Seq2[channel.Batch, error]
}

// Revocations refuses certificates from the first report of their revocation by any netmaster until they would have expired: a revocation
// is never undone, and a netmaster that no longer reports it may be the revoked one. Its methods are safe for concurrent use.
type Revocations struct {
	RevocationOptions

	mu    sync.Mutex
	known map[string]record.Revocation // by serial
}

// NewRevocations returns Revocations without revocations.
func NewRevocations(o RevocationOptions) *Revocations {
	return &Revocations{RevocationOptions: o, known: map[string]record.Revocation{}}
}

// Follow yields the batches of Source, each after it has applied the batch's revocations.
func (k *Revocations) Follow(ctx context.Context) iter.Seq2[channel.Batch, error] {
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

// Apply applies the revocations of a batch.
func (k *Revocations) Apply(b *channel.Batch) {
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

// add refuses certificates.
func (k *Revocations) add(told []record.Revocation) {
	now := time.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	before := len(k.known)
	maps.DeleteFunc(k.known, func(_ string, r record.Revocation) bool { return now.After(r.Until.Add(clockSlack)) })
	changed := len(k.known) != before
	for _, r := range told {
		if _, known := k.known[r.Serial]; known || r.Serial == "" || now.After(r.Until.Add(clockSlack)) {
			continue
		}
		k.known[r.Serial] = r
		changed = true
		k.Log.Warn("certificate revoked: its holder is refused", "identity", r.Identity, "id", r.Serial)
	}
	if changed {
		k.Revoke(slices.Sorted(maps.Keys(k.known)))
	}
}

// Run asks one netmaster after the other for revocations, until ctx ends.
func (k *Revocations) Run(ctx context.Context) {
	pause := rand.N(revocationInterval) // agents must not ask at the same time
	for turn := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		pause = revocationInterval
		all := k.Masters(ctx)
		if len(all) == 0 {
			continue
		}
		slices.Sort(all)
		url := all[turn%len(all)]
		turn = (turn + 1) % len(all)
		limited, cancel := context.WithTimeout(ctx, revocationTimeout)
		told, err := k.Ask(limited, url)
		cancel()
		if err != nil { // it is away, refuses, or is of an earlier build
			k.Log.Debug("netmaster did not report revocations", "address", url, "error", err)
		}
		k.add(told)
	}
}
