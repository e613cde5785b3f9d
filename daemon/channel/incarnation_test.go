// SPDX-License-Identifier: Apache-2.0

package channel_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
)

func lineage(c string, before ...string) record.Incarnation {
	out := record.Incarnation{ID: strings.Repeat(c, 26), Cause: record.CauseInit}
	for _, b := range before {
		out.Predecessors = append(out.Predecessors, strings.Repeat(b, 26))
	}
	return out
}

// of starts a fake netmaster with an incarnation of the store.
func of(t *testing.T, i record.Incarnation, revision uint64) string {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, q *http.Request) {
		text, err := json.Marshal(i)
		if err != nil {
			t.Error(err)
		}
		if i.ID != "" {
			w.Header().Set(model.IncarnationRecord, string(text))
		}
		_, _ = w.Write(channel.EncodeMark(channel.Mark{Revision: revision, Incarnation: i.ID}, nil))
		_ = http.NewResponseController(w).Flush()
		<-q.Context().Done()
	})
}

// An agent follows a netmaster whose store is the one that its host knows, or follows that; it takes nothing from one with another store,
// and continues with the next.
func TestAnother(t *testing.T) {
	known := strings.Repeat("b", 26)
	for _, row := range []struct {
		name   string
		known  string
		store  record.Incarnation
		follow bool
	}{
		{"none known", "", lineage("b"), true},
		{"the known one", known, lineage("b"), true},
		{"a successor", known, lineage("c", "b", "a"), true},
		{"a netmaster of an earlier build", known, record.Incarnation{}, true},
		{"another", known, lineage("x"), false},
		{"one of before", known, lineage("a"), false},
	} {
		t.Run(row.name, func(t *testing.T) {
			url := of(t, row.store, 7)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			opened := 0
			c := channel.NewClient(channel.Options{Host: "h1", Masters: func(context.Context) []string { return []string{url} }, HTTP: channel.NewHTTP(nil),
				Hooks: channel.Hooks{Opened: func(record.Incarnation) { opened++ }}, Log: slog.New(slog.DiscardHandler)})
			c.Know(row.known)
			for b, err := range c.Follow(ctx) {
				another, is := errors.AsType[*channel.Another](err)
				if (err == nil) != row.follow || is == row.follow {
					t.Fatalf("want it followed: %t, got revision %d, %v", row.follow, b.Revision, err)
				}
				if is && (another.Known != known || another.Incarnation != row.store.ID || len(c.Others()) != 1 || opened != 0 || c.Incarnation() != known) {
					t.Errorf("want the known and the other incarnation, got %+v, %v, %d, %s", another, c.Others(), opened, c.Incarnation())
				}
				if !is && (len(c.Others()) != 0 || opened != 1 || row.store.ID != "" && c.Incarnation() != row.store.ID) {
					t.Errorf("want incarnation %s known, got %s, %v", row.store.ID, c.Incarnation(), c.Others())
				}
				break
			}
		})
	}
	t.Run("of two", func(t *testing.T) {
		urls := []string{of(t, lineage("x"), 9), of(t, lineage("b"), 7)}
		for range 10 {
			c := channel.NewClient(channel.Options{Host: "h1", Masters: func(context.Context) []string { return urls }, HTTP: channel.NewHTTP(nil), Log: slog.New(slog.DiscardHandler)})
			c.Know(known)
			for b, err := range c.Follow(t.Context()) {
				if err != nil || b.Revision != 7 || c.With() != urls[1] {
					t.Fatalf("want the one of this host's cluster without an outage, got %d, %v", b.Revision, err)
				}
				break
			}
		}
	})
}

// The requests of an agent carry the incarnation that its host knows.
func TestClaiming(t *testing.T) {
	var got string
	url := serve(t, func(_ http.ResponseWriter, q *http.Request) { got = q.Header.Get(model.KnownIncarnationHeader) })
	way := channel.NewHTTP(nil)
	known := ""
	way.Transport = &channel.Claiming{Base: way.Transport, Known: func() string { return known }}
	for _, known = range []string{"", "abc"} {
		answer, err := way.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if got != known {
			t.Errorf("want %q, got %q", known, got)
		}
	}
}
