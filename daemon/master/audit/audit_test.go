package audit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/audit"
	"github.com/contiv/contiv/daemon/master/enginetest"
)

func start(t *testing.T, keep int, sinks ...audit.Sink) *audit.Log {
	t.Helper()
	w := enginetest.Start(t, enginetest.Options{})
	return audit.New(audit.Config{Commit: w.Commit, Catalog: w.Catalog, Keep: keep, Sinks: sinks, Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC) }})
}

func flush(t *testing.T, l *audit.Log) {
	t.Helper()
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Who is refused without end pushes out no login, and no refusal of others.
func TestFlood(t *testing.T) {
	l := start(t, 40)
	l.Note(model.AuditEvent{Verb: "login", User: "ann", Proof: "session", From: "192.0.2.1"})
	l.Note(model.AuditEvent{Verb: "refused", From: "192.0.2.2", Target: "GET /", Status: 403})
	flush(t, l)
	for n := range 200 {
		for i := range 30 {
			l.Note(model.AuditEvent{Verb: "refused", From: "198.51.100.1", Target: fmt.Sprintf("GET /%d/%d", n, i), Status: 401})
		}
		flush(t, l)
	}
	all := l.List(audit.Filter{})
	if len(all) > 40 || len(l.List(audit.Filter{User: "ann"})) != 1 || all[0].User != "ann" || all[1].From != "192.0.2.2" {
		t.Errorf("of %d events the first are %+v", len(all), all[:2])
	}
}

// What is alike is one event with a number.
func TestAlike(t *testing.T) {
	l := start(t, 0)
	for range 5 {
		l.Note(model.AuditEvent{Verb: "login", User: "ann", From: "192.0.2.1", Status: 401})
	}
	l.Note(model.AuditEvent{Verb: "login", User: "bob", From: "192.0.2.1", Status: 401})
	flush(t, l)
	all := l.List(audit.Filter{})
	if len(all) != 2 || all[0].Times != 5 || all[0].Last == nil || all[1].User != "bob" || all[1].Number <= all[0].Number {
		t.Errorf("got %+v", all)
	}
	if got := l.List(audit.Filter{Limit: 1}); len(got) != 1 || got[0].User != "bob" {
		t.Errorf("the newest: got %+v", got)
	}
}

// What another netmaster could not be told of waits.
func TestPass(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	var told []model.AuditEvent
	broken := true
	l := audit.New(audit.Config{Commit: w.Commit, Catalog: w.Catalog, Log: slog.New(slog.DiscardHandler), Pass: func(_ context.Context, part []model.AuditEvent) error {
		if broken {
			return fmt.Errorf("away")
		}
		told = append(told, part...)
		return nil
	}})
	w.Stop() // from here on it does not lead
	l.Note(model.AuditEvent{Verb: "capture", User: "ann"})
	if err := l.Flush(t.Context()); err == nil || len(told) != 0 {
		t.Fatalf("a leader that is away: %v", err)
	}
	broken = false
	flush(t, l)
	if len(told) != 1 || told[0].User != "ann" {
		t.Errorf("got %+v", told)
	}
}

// Each event is a line of the file, which may be moved away meanwhile and is its owner's alone.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit")
	f, err := audit.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	l := start(t, 0, f)
	l.Note(model.AuditEvent{Verb: "login", User: "ann"})
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	l.Note(model.AuditEvent{Verb: "login", User: "bob\nmallory"})
	for name, user := range map[string]string{path + ".1": "ann", path: "bob\nmallory"} {
		text, err := os.ReadFile(name)
		var e model.AuditEvent
		if err != nil || json.Unmarshal(text, &e) != nil || e.User != user || strings.Count(string(text), "\n") != 1 {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
}
