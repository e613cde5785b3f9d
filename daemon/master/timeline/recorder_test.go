// SPDX-License-Identifier: Apache-2.0

package timeline_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/master/timeline"
)

// world is a timeline with a clock and findings that the test sets.
type world struct {
	*enginetest.World
	now    time.Time
	found  []model.Finding
	silent map[string]bool
	keep   int
}

func start(t *testing.T) *world {
	return &world{World: enginetest.Start(t, enginetest.Options{}), now: time.Date(2030, 1, 2, 3, 0, 0, 0, time.UTC)}
}

// leader returns the recorder of a new term.
func (w *world) leader() *timeline.Recorder {
	return timeline.New(timeline.Config{Commit: w.Commit, Catalog: w.Catalog, Keep: w.keep, Now: func() time.Time { return w.now }, Log: slog.New(slog.DiscardHandler),
		Found: func(context.Context) ([]model.Finding, map[string]bool) { return w.found, w.silent }})
}

// code returns a code that another version may report.
func code(text string) (c model.FindingCode) {
	_ = c.UnmarshalText([]byte(text)) // takes any text
	return c
}

// look advances the clock by a second and records these findings: each is "code host object", an error unless a severity follows.
func (w *world) look(t *testing.T, k *timeline.Recorder, found ...string) {
	t.Helper()
	w.now, w.found = w.now.Add(time.Second), nil
	for _, text := range found {
		f := strings.Fields(text)
		f = append(f, string(model.SeverityError))
		w.found = append(w.found, model.Finding{Code: code(f[0]), Host: f[1], Object: f[2], Severity: model.Severity(f[3]), Evidence: "it is so"})
	}
	if err := k.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// The result has the events of the timeline, one per line.
func (w *world) told(f timeline.Filter) string {
	var out []string
	w.Catalog.View(func(v *catalog.View) {
		for _, e := range timeline.List(v, f) {
			out = append(out, fmt.Sprintf("%s %s %s %s", e.Time.Format("04:05"), e.Verb(), e.Object, e.Text()))
		}
	})
	return strings.Join(out, "\n")
}

// A finding's start and end are recorded once, across changes of the leader.
func TestTimeline(t *testing.T) {
	w := start(t)
	k := w.leader()
	w.look(t, k)
	w.look(t, k, "mtu h1 host/h1")
	w.look(t, k, "mtu h1 host/h1", "loss h1 host/h2")
	w.look(t, k, "mtu h1 host/h1", "loss h1 host/h2")
	k = w.leader() // continues
	w.look(t, k, "loss h1 host/h2")
	w.silent = map[string]bool{"h1": true} // what is not known is not over
	w.look(t, k)
	w.silent = nil
	w.look(t, k, "loss h1 host/h2", "gone h2 endpoint/t:n:c")
	w.look(t, w.leader())
	want := `00:02 found host/h1 mtu: it is so
00:03 found host/h2 loss on h1: it is so
00:05 ended host/h1 mtu
00:07 found endpoint/t:n:c gone on h2: it is so
00:08 ended endpoint/t:n:c gone on h2
00:08 ended host/h2 loss on h1`
	if got := w.told(timeline.Filter{}); got != want {
		t.Errorf("want\n%s\ngot\n%s", want, got)
	}
	for _, r := range []struct {
		f    timeline.Filter
		want int
	}{
		{timeline.Filter{Code: "mtu"}, 2}, {timeline.Filter{Host: "h1"}, 4}, {timeline.Filter{Host: "h2"}, 4}, {timeline.Filter{Object: "endpoint/t:n:c"}, 2},
		{timeline.Filter{Since: w.now.Add(-2 * time.Second)}, 3}, {timeline.Filter{Limit: 1}, 1}, {timeline.Filter{Sees: func(o string) bool { return o == "host/h1" }}, 2},
	} {
		if got := w.told(r.f); strings.Count(got, "\n")+1 != r.want {
			t.Errorf("%+v: want %d events, got\n%s", r.f, r.want, got)
		}
	}
}

// A warning that becomes an error is recorded as a new event; notes are not recorded.
func TestSeverities(t *testing.T) {
	w := start(t)
	k := w.leader()
	w.look(t, k, "lag h1 host/h1 warning", "refuses h1 rule/r note")
	w.look(t, k, "lag h1 host/h1 warning", "refuses h1 rule/r note")
	w.look(t, k, "lag h1 host/h1")
	w.look(t, w.leader(), "lag h1 host/h1")
	w.look(t, w.leader(), "lag h1 host/h1 warning")
	w.look(t, w.leader())
	want := "00:01 found host/h1 lag: it is so\n00:03 found host/h1 lag: it is so\n00:06 ended host/h1 lag"
	if got := w.told(timeline.Filter{}); got != want {
		t.Errorf("want\n%s\ngot\n%s", want, got)
	}
	w.Catalog.View(func(v *catalog.View) {
		if list := timeline.List(v, timeline.Filter{}); list[0].Severity != model.SeverityWarning || list[1].Severity != model.SeverityError {
			t.Errorf("want a warning and an error, got %+v", list)
		}
	})
}

// A flapping finding is recorded a few times, and then once with a count when it stops.
func TestFlapping(t *testing.T) {
	w := start(t)
	k := w.leader()
	for range 50 {
		w.look(t, k, "loss h1 host/h2")
		w.look(t, k)
	}
	if got := strings.Count(w.told(timeline.Filter{}), "\n") + 1; got != 6 {
		t.Errorf("want 6 events, got %d", got)
	}
	w.look(t, k, "loss h1 host/h2")
	w.now = w.now.Add(11 * time.Minute)
	w.look(t, k, "loss h1 host/h2")
	if got := w.told(timeline.Filter{Limit: 1}); !strings.HasSuffix(got, "found host/h2 loss on h1 (came and went 48 times): it is so") {
		t.Errorf("want how often it came and went, got %s", got)
	}
}

// The timeline keeps a limited number of events, the newest.
func TestBound(t *testing.T) {
	w := start(t)
	w.keep = 10
	k := w.leader()
	for i := range 8 {
		w.look(t, k, fmt.Sprintf("loss h1 host/h%d", i))
	}
	lines := strings.Split(w.told(timeline.Filter{}), "\n")
	if len(lines) != 10 || !strings.HasSuffix(lines[9], "found host/h7 loss on h1: it is so") {
		t.Errorf("want the last 10 events, got\n%s", strings.Join(lines, "\n"))
	}
}

// Later leaders report the start of a finding as the leader of that time recorded it.
func TestBegun(t *testing.T) {
	w := start(t)
	k := w.leader()
	found := model.Finding{Code: code("empty"), Object: "service/s", Severity: model.SeverityWarning, Since: "2030-01-02T02:59:50Z", Evidence: "it is so"}
	since := func() (out string) {
		w.Catalog.View(func(v *catalog.View) { out = timeline.Begun(v).Since(&found) })
		return out
	}
	look := func(list ...model.Finding) {
		t.Helper()
		w.now, w.found = w.now.Add(time.Minute), list
		if err := k.Look(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := since(); got != "" {
		t.Errorf("before it is written down: got %q", got)
	}
	look(found)
	found.Severity = model.SeverityError
	k = w.leader()
	look(found)
	if got := since(); got != "2030-01-02T02:59:50Z" {
		t.Errorf("want when it began first, got %q", got)
	}
	look()
	if got := since(); got != "" {
		t.Errorf("it has ended: got %q", got)
	}
	found.Since = ""
	look(found)
	if got := since(); got != "2030-01-02T03:04:00Z" {
		t.Errorf("want when it was found, of a finding that does not say it, got %q", got)
	}
}
