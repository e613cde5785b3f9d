// SPDX-License-Identifier: Apache-2.0

package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/agent/checkpoint"
	"github.com/contiv/contiv/daemon/channel"
)

var quiet = slog.New(slog.DiscardHandler)

// item returns a record.
func item(key, value string, revision uint64) channel.Item {
	return channel.Item{Key: key, Value: []byte(value), Revision: revision}
}

// update returns a change of the cluster's shard.
func update(full bool, gone []string, items ...channel.Item) channel.Update {
	return channel.Update{Shard: channel.Cluster, Full: full, Items: items, Gone: gone}
}

func at(revision uint64) channel.Mark { return channel.Mark{Revision: revision, Complete: revision} }

// text returns a batch as text.
func text(b channel.Batch) string {
	var out []string
	for _, u := range b.Updates {
		words := []string{string(u.Shard)}
		if u.Full {
			words = append(words, "full")
		}
		for _, i := range u.Items {
			words = append(words, i.Key+"="+string(i.Value))
		}
		for _, key := range u.Gone {
			words = append(words, "-"+key)
		}
		out = append(out, strings.Join(words, " "))
	}
	return fmt.Sprintf("%s @%d", strings.Join(out, "; "), b.Revision)
}

// open opens the file, closes it, and returns its contents.
func open(t *testing.T, path string) channel.Batch {
	t.Helper()
	f, saved, err := checkpoint.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	return saved
}

// The file has all received records after any end of the process, and at any size.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "records")
	f, saved, err := checkpoint.Open(path)
	if err != nil || len(saved.Updates) != 0 {
		t.Fatalf("a new file: want nothing, got %s, %v", text(saved), err)
	}
	blue := channel.Update{Shard: channel.Tenant("blue"), Full: true, Items: []channel.Item{item("x", "1", 1)}}
	for _, b := range []channel.Batch{
		{Updates: []channel.Update{update(true, nil, item("a", "1", 1), item("b", "1", 1)), blue}, Mark: at(1)},
		{Updates: []channel.Update{update(false, []string{"a"}, item("c", "2", 2))}, Mark: at(2)},
		{Left: []channel.Shard{channel.Tenant("blue")}, Mark: at(3)},
	} {
		if err := f.Append(&b); err != nil {
			t.Fatal(err)
		}
	}
	const want = "cluster full b=1 c=2 @3"
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("want only a file for its owner, got %v, %v", info.Mode(), err)
	}
	f.Close()
	if got := text(open(t, path)); got != want {
		t.Errorf("want %s, got %s", want, got)
	}
	// After many changes, the file takes only the space of the present records.
	f, _, err = checkpoint.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("v", 900)
	for i := range 5000 {
		b := channel.Batch{Updates: []channel.Update{update(false, nil, item("c", fmt.Sprint(i, long), uint64(i)))}, Mark: at(uint64(i))}
		if err := f.Append(&b); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Size() > 2<<20 {
		t.Errorf("after 5 MB of changes: want 2 MB at most, got %d, %v", info.Size(), err)
	}
	f.Close()
	if got := open(t, path); got.Revision != 4999 || !strings.HasPrefix(string(got.Updates[0].Items[1].Value), "4999") {
		t.Errorf("after many changes: want the last, got revision %d", got.Revision)
	}
	// The store was recreated.
	f, _, err = checkpoint.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	reset := channel.Batch{Updates: []channel.Update{{Shard: channel.Kubernetes, Full: true}}, Mark: channel.Mark{Revision: 1, Reset: true}}
	if err := f.Append(&reset); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if got := text(open(t, path)); got != "kubernetes full @1" {
		t.Errorf("after a reset: want only its shards, got %s", got)
	}
	if f, _, err = checkpoint.Open(path); err != nil || f.Clear() != nil {
		t.Fatal(err)
	}
	f.Close()
	if got := open(t, path); len(got.Updates) != 0 {
		t.Errorf("cleared: want nothing, got %s", text(got))
	}
}

// A file that cannot be written is deleted, since it would be outdated.
func TestNoFolder(t *testing.T) {
	if _, _, err := checkpoint.Open(filepath.Join(t.TempDir(), "none", "records")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no directory: want it reported, got %v", err)
	}
}

// follower yields the batches that a test sends.
type follower struct {
	yields chan any // a batch or an error
	shards []channel.Shard
	mark   channel.Mark
}

func (f *follower) Resume(shards []channel.Shard, mark channel.Mark) { f.shards, f.mark = shards, mark }

func (f *follower) Follow(ctx context.Context) iter.Seq2[channel.Batch, error] {
	return func(yield func(channel.Batch, error) bool) {
		for {
			select {
			case <-ctx.Done():
				return
			case v := <-f.yields:
				err, _ := v.(error)
				b, _ := v.(channel.Batch)
				if !yield(b, err) {
					return
				}
			}
		}
	}
}

// Saved records are held until a netmaster sends the changes since, and are yielded together with these; if none does, they are yielded
// separately.
func TestSource(t *testing.T) {
	saved := func() channel.Batch {
		return channel.Batch{Updates: []channel.Update{update(true, nil, item("a", "1", 1))}, Mark: at(1)}
	}
	next := channel.Batch{Updates: []channel.Update{update(false, nil, item("b", "2", 2))}, Mark: at(2)}
	reset := channel.Batch{Updates: []channel.Update{update(true, nil, item("z", "1", 1))}, Mark: channel.Mark{Revision: 1, Reset: true}}
	away := errors.New("no netmaster is reached")
	for _, row := range []struct {
		name    string
		saved   channel.Batch
		timeout time.Duration
		sends   []any
		want    []string
	}{
		{"nothing saved", channel.Batch{}, 0, []any{next}, []string{"cluster b=2 @2"}},
		{"a netmaster answers", saved(), time.Hour, []any{next, next}, []string{"cluster full a=1; cluster b=2 @2", "cluster b=2 @2"}},
		{"after an outage", saved(), time.Hour, []any{away, next}, []string{"cluster full a=1; cluster b=2 @2"}},
		{"the store is another one", saved(), time.Hour, []any{reset}, []string{"cluster full z=1 @1"}},
		{"none answers", saved(), 0, []any{nil, nil, away, next}, []string{"cluster full a=1 @1", "none has answered yet", away.Error(), "cluster b=2 @2"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "records")
			f, _, err := checkpoint.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			from := &follower{yields: make(chan any)}
			s := &checkpoint.Source{Follower: from, File: f, Saved: row.saved, Grace: row.timeout, Log: quiet}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			came := make(chan string)
			go func() {
				defer close(came)
				for b, err := range s.Follow(ctx) {
					if err != nil {
						came <- err.Error()
					} else {
						came <- text(b)
					}
				}
			}()
			var got []string
			for i, v := range row.sends {
				if v != nil {
					from.yields <- v
				}
				if len(row.want) == len(row.sends) || i > 0 {
					got = append(got, <-came)
				}
				if i == 0 && len(row.saved.Updates) > 0 && (!reflect.DeepEqual(from.shards, []channel.Shard{channel.Cluster}) || from.mark != at(1)) {
					t.Errorf("want it resumed at 1, got %v, %+v", from.shards, from.mark)
				}
			}
			cancel()
			if _, more := <-came; more {
				t.Error("after the end: want nothing more")
			}
			if !reflect.DeepEqual(got, row.want) {
				t.Errorf("want %q, got %q", row.want, got)
			}
		})
	}
}
