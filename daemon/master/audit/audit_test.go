// SPDX-License-Identifier: Apache-2.0

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
	"unicode"

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

// The refusals of one client displace no login, and no refusal of other clients.
func TestFlood(t *testing.T) {
	l := start(t, 40)
	l.Record(model.AuditEvent{Verb: "login", User: "ann", Proof: "session", From: "192.0.2.1"})
	l.Record(model.AuditEvent{Verb: "refused", From: "192.0.2.2", Target: "GET /", Status: 403})
	flush(t, l)
	for n := range 200 {
		for i := range 30 {
			l.Record(model.AuditEvent{Verb: "refused", From: "198.51.100.1", Target: fmt.Sprintf("GET /%d/%d", n, i), Status: 401})
		}
		flush(t, l)
	}
	all := l.List(audit.Filter{})
	if len(all) > 40 || len(l.List(audit.Filter{User: "ann"})) != 1 || all[0].User != "ann" || all[1].From != "192.0.2.2" {
		t.Errorf("of %d events the first are %+v", len(all), all[:2])
	}
}

// Equal events are recorded as one event with a count.
func TestAlike(t *testing.T) {
	l := start(t, 0)
	for range 5 {
		l.Record(model.AuditEvent{Verb: "login", User: "ann", From: "192.0.2.1", Status: 401})
	}
	l.Record(model.AuditEvent{Verb: "login", User: "bob", From: "192.0.2.1", Status: 401})
	flush(t, l)
	all := l.List(audit.Filter{})
	if len(all) != 2 || all[0].Times != 5 || all[0].Last == nil || all[1].User != "bob" || all[1].Number <= all[0].Number {
		t.Errorf("got %+v", all)
	}
	if got := l.List(audit.Filter{Limit: 1}); len(got) != 1 || got[0].User != "bob" {
		t.Errorf("the newest: got %+v", got)
	}
}

// The reads of a polling client are one event per hour with a count, which displaces no change of the same user. Several netmasters share
// the event.
func TestPolledReads(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	now := time.Date(2030, 1, 1, 9, 10, 0, 0, time.UTC)
	lines := &sink{}
	open := func() *audit.Log {
		return audit.New(audit.Config{Commit: w.Commit, Catalog: w.Catalog, Keep: 8, Sinks: []audit.Sink{lines}, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return now }})
	}
	l := open()
	read := func(l *audit.Log, target string) {
		l.Record(model.AuditEvent{Verb: "relay", User: "ann", Proof: "session", From: "192.0.2.1", Target: target})
	}
	for _, deed := range []string{"capture", "repair", "hand-over"} {
		l.Record(model.AuditEvent{Verb: deed, User: "ann", Proof: "session"})
	}
	for range 1000 {
		read(l, "/api/v1/agents/h1/rules")
		read(l, "/api/v1/agents/h2/rules")
		flush(t, l)
		now = now.Add(time.Second)
	}
	before := w.Commit.LastWrite()
	for range 100 {
		read(l, "/api/v1/agents/h1/rules")
		flush(t, l)
	}
	if after := w.Commit.LastWrite(); after != before {
		t.Errorf("reading again wrote revisions %d to %d", before, after)
	}
	other := open() // of another netmaster, or after a failover
	read(other, "/api/v1/agents/h1/rules")
	flush(t, other)
	now = now.Add(time.Hour)
	flush(t, l)
	var got []string
	for _, e := range l.List(audit.Filter{}) {
		got = append(got, fmt.Sprintf("%s %s %d", e.Verb, e.Target, e.Times))
	}
	want := "capture  0, repair  0, hand-over  0, relay /api/v1/agents/h1/rules 1101, relay /api/v1/agents/h2/rules 1000"
	if all := strings.Join(got, ", "); all != want {
		t.Errorf("want %s\ngot  %s", want, all)
	}
	if lines.n != 3+2+1+2 { // deeds, the first reads, the one of the other, what was counted
		t.Errorf("got %d lines in the sink", lines.n)
	}
	for range 20 { // with a number of hours, reads push out reads
		read(l, "/api/v1/agents/h1/rules")
		flush(t, l)
		now = now.Add(time.Hour)
	}
	if all := l.List(audit.Filter{}); len(all) != 8 || all[0].Verb != "capture" || all[2].Verb != "hand-over" {
		t.Errorf("want the deeds to stay, got %+v", all)
	}
}

// sink counts the events that it receives.
type sink struct{ n int }

func (s *sink) Write(model.AuditEvent) error { s.n++; return nil }

// An event that another netmaster does not accept waits.
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
	l.Record(model.AuditEvent{Verb: "capture", User: "ann"})
	if err := l.Flush(t.Context()); err == nil || len(told) != 0 {
		t.Fatalf("a leader that is away: %v", err)
	}
	broken = false
	flush(t, l)
	if len(told) != 1 || told[0].User != "ann" {
		t.Errorf("got %+v", told)
	}
}

// Each event is a line of the file. The file may be moved at any time, and only its owner may read it.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit")
	f, err := audit.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	l := start(t, 0, f)
	l.Record(model.AuditEvent{Verb: "login", User: "ann"})
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	l.Record(model.AuditEvent{Verb: "login", User: "bob\nmallory"})
	for name, user := range map[string]string{path + ".1": "ann", path: "bob\ufffdmallory"} {
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

// For any name that a client sends, the store records a short line, and the events of others after it.
func TestHostile(t *testing.T) {
	l := start(t, 0)
	long := strings.Repeat("A", 1<<20)
	for i := range 3 {
		l.Record(model.AuditEvent{Verb: "login", User: fmt.Sprint("u", i, long), From: "192.0.2.1", Status: 401, Why: long, Target: long, Via: long, Proof: ""})
	}
	l.Record(model.AuditEvent{Verb: "login", User: "u\x1b]0;pwn\a\x1b[2J\nx", From: "192.0.2.1" + long, Status: 401})
	l.Add(model.AuditEvent{Verb: long, User: long, Proof: long, From: "192.0.2.3", Status: 401})
	l.Record(model.AuditEvent{Verb: "login", User: "ann", Proof: "session", From: "192.0.2.2"})
	flush(t, l)
	all := l.List(audit.Filter{})
	text, err := json.Marshal(all)
	if err != nil || len(all) != 6 || all[5].User != "ann" || len(text) > 6*1200 || l.Dropped() != 0 {
		t.Fatalf("%d events in %d bytes, %d dropped, %v", len(all), len(text), l.Dropped(), err)
	}
	if strings.ContainsFunc(all[3].User, unicode.IsControl) || !strings.HasPrefix(all[3].User, "u\ufffd]0;pwn") {
		t.Errorf("got %q", all[3].User)
	}
}

// An event that can never be stored is dropped and counted; the other events are stored.
func TestPoison(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	var passed []string
	away := true
	l := audit.New(audit.Config{Commit: w.Commit, Catalog: w.Catalog, Log: slog.New(slog.DiscardHandler), Pass: func(_ context.Context, part []model.AuditEvent) error {
		for _, e := range part {
			if e.Verb == "poison" {
				return model.Errorf(model.CodeTooLarge, "", "it is larger than may be")
			}
			if e.Verb == "late" && away {
				return fmt.Errorf("away")
			}
		}
		for _, e := range part {
			passed = append(passed, e.User)
		}
		return nil
	}})
	w.Stop() // from here on it does not lead
	for i := range 9 {
		verb := "login"
		switch i {
		case 0, 5:
			verb = "poison"
		case 8:
			verb = "late"
		}
		l.Record(model.AuditEvent{Verb: verb, User: fmt.Sprint("u", i), From: fmt.Sprint("192.0.2.", i)})
	}
	if err := l.Flush(t.Context()); err == nil {
		t.Fatal("the leader was away at the end")
	}
	away = false
	flush(t, l)
	if got := strings.Join(passed, " "); got != "u1 u2 u3 u4 u6 u7 u8" || l.Dropped() != 2 {
		t.Errorf("passed %s, %d dropped", got, l.Dropped())
	}
}
