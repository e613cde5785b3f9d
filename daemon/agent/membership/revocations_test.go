// SPDX-License-Identifier: Apache-2.0

package membership_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contiv/contiv/daemon/agent/membership"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
)

// batches is a Source that yields these batches immediately.
type batches []channel.Batch

func (t batches) Follow(context.Context) iter.Seq2[channel.Batch, error] {
	return func(yield func(channel.Batch, error) bool) {
		for _, b := range t {
			if !yield(b, nil) {
				return
			}
		}
		yield(channel.Batch{}, errors.New("away"))
	}
}

// refused has the revoked certificates.
type refused struct {
	mu  sync.Mutex
	now []string
}

func (r *refused) set(serials []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = serials
}

func (r *refused) want(t *testing.T, what, serials string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if got := strings.Join(r.now, " "); got != serials {
		t.Errorf("%s: want %q refused, got %q", what, serials, got)
	}
}

func trustUpdate(items ...channel.Item) channel.Batch {
	return channel.Batch{Updates: []channel.Update{{Shard: channel.Trust, Full: true, Items: items}}}
}

func revoked(serial, until string) channel.Item {
	return channel.Item{Key: record.Certificates + serial, Value: []byte(`{"serial":"` + serial + `","identity":"spiffe://contiv/master/h1","until":"` + until + `"}`)}
}

// Certificates that a netmaster reports as revoked are refused before the batch is passed on, and still if a later batch lacks them.
func TestFollow(t *testing.T) {
	var now refused
	var log bytes.Buffer
	k := membership.NewRevocations(membership.RevocationOptions{Revoke: now.set, Log: slog.New(slog.NewTextHandler(&log, nil)), Source: batches{
		trustUpdate(revoked("02", "9999-01-01T00:00:00Z"), revoked("01", "9999-01-01T00:00:00Z"), revoked("03", "2001-01-01T00:00:00Z"),
			channel.Item{Key: record.Certificates + "04", Value: []byte("{")}, channel.Item{Key: record.Certificates + "05", Value: []byte(`{"serial":"06"}`)}),
		trustUpdate(),
	}})
	var errs []error
	for _, err := range k.Follow(t.Context()) {
		now.want(t, "after each batch", "01 02")
		errs = append(errs, err)
	}
	if len(errs) != 3 || errs[2] == nil {
		t.Errorf("want both batches and the outage passed on, got %v", errs)
	}
	for _, want := range []string{"id=01", "key=/contiv.io/", "certificate/04", "certificate/05"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("want %q in the log, got %s", want, &log)
		}
	}
}

// All netmasters are asked in turn, whichever the agent follows and whatever the others answered. A revocation ends when the certificate
// would have expired.
func TestAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now refused
		var mu sync.Mutex
		asked := map[string]int{}
		k := membership.NewRevocations(membership.RevocationOptions{Revoke: now.set, Log: slog.New(slog.DiscardHandler),
			Masters: func(context.Context) []string { return []string{"https://m3", "https://m1", "https://m2"} },
			Ask: func(_ context.Context, url string) ([]record.Revocation, error) {
				mu.Lock()
				defer mu.Unlock()
				asked[url]++
				switch url {
				case "https://m1":
					return nil, errors.New("404 Not Found")
				case "https://m3":
					return []record.Revocation{{Serial: "02", Identity: "spiffe://contiv/master/m2", Until: time.Date(2000, 1, 1, 6, 0, 0, 0, time.UTC)}}, nil
				}
				return []record.Revocation{}, nil // the one that is revoked
			}})
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go k.Run(ctx)
		time.Sleep(time.Minute) // of the bubble's clock, which begins at 2000-01-01
		now.want(t, "after a round", "02")
		mu.Lock()
		for _, url := range []string{"https://m1", "https://m2", "https://m3"} {
			if asked[url] == 0 {
				t.Errorf("want %s asked, got %v", url, asked)
			}
		}
		mu.Unlock()
		time.Sleep(8 * time.Hour)
		now.want(t, "after its end", "")
	})
}
