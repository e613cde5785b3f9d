// SPDX-License-Identifier: Apache-2.0

package alert

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	prometheus "github.com/prometheus/common/model"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/master/timeline"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// manager is an Alertmanager: it accepts valid alerts, or refuses them.
type manager struct {
	*httptest.Server
	mu       sync.Mutex
	refuses  string
	requests int
	got      []*prometheus.Alert
	came     chan struct{} // holds one after a request
}

func listen(t *testing.T) *manager {
	m := &manager{came: make(chan struct{}, 1)}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

func (m *manager) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer func() {
		select {
		case m.came <- struct{}{}:
		default:
		}
	}()
	m.requests++
	var list []*prometheus.Alert
	d := json.NewDecoder(q.Body)
	d.DisallowUnknownFields()
	err := d.Decode(&list)
	for _, a := range list {
		if err == nil {
			err = a.Validate()
		}
	}
	switch {
	case m.refuses != "":
		http.Error(w, m.refuses, http.StatusServiceUnavailable)
	case err != nil || q.Method != http.MethodPost || q.URL.Path != path || list == nil || q.Header.Get("Content-Type") != "application/json":
		http.Error(w, fmt.Sprintf("%s %s: %v", q.Method, q.URL, err), http.StatusBadRequest)
	default:
		m.got = append(m.got, list...)
	}
}

// take returns what came since its last call: "firing|resolved SEVERITY alertname object@host STARTS".
func (m *manager) take(now time.Time) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for _, a := range m.got {
		out = append(out, fmt.Sprintf("%s %s %s %s@%s %s", a.StatusAt(now), a.Labels["severity"], a.Labels["alertname"], a.Labels["object"], a.Labels["host"], a.StartsAt.Format("04:05")))
	}
	m.got = nil
	slices.Sort(out)
	return strings.Join(out, "\n")
}

func (m *manager) refuse(why string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refuses = why
}

// world is a cluster with a timeline, a clock and findings that the test sets.
type world struct {
	*enginetest.World
	t        *testing.T
	now      time.Time
	found    []model.Finding
	recorder *timeline.Recorder
	notifier *Notifier
	to       *manager
}

func start(t *testing.T) *world {
	w := &world{World: enginetest.Start(t, enginetest.Options{}), t: t, now: time.Date(2030, 1, 2, 3, 0, 0, 0, time.UTC), to: listen(t)}
	w.leader()
	return w
}

// leader begins the term of another netmaster.
func (w *world) leader() {
	s := Settings{Receivers: []string{w.to.URL}, Labels: []string{"cluster=lab"}}
	c, err := s.Open(Config{Commit: w.Commit, Catalog: w.Catalog, Now: func() time.Time { return w.now }, Generator: "https://192.0.2.1/", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		w.t.Fatal(err)
	}
	w.notifier = New(c)
	w.recorder = timeline.New(timeline.Config{Commit: w.Commit, Catalog: w.Catalog, Now: c.Now, Recorded: func(list []model.Finding) { w.notifier.Update(list) }, Log: c.Log,
		Found: func(context.Context) ([]model.Finding, map[string]bool) { return w.found, nil }})
}

// find advances the clock by a second and records findings, each "severity code host object", and a "<" before the code of its cause.
func (w *world) find(found ...string) {
	w.t.Helper()
	w.now, w.found = w.now.Add(time.Second), nil
	for _, text := range found {
		text, cause, _ := strings.Cut(text, " < ")
		part := strings.Fields(text)
		f := model.Finding{Severity: model.Severity(part[0]), Code: code(part[1]), Host: part[2], Object: part[3], Evidence: "it is so", Remedy: "do this", Next: "netctl look"}
		if cause != "" {
			f.CausedBy = &model.FindingRef{Code: code(cause), Object: "host/h1"}
		}
		w.found = append(w.found, f)
	}
	if err := w.recorder.Look(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

func code(text string) (c model.FindingCode) {
	_ = c.UnmarshalText([]byte(text)) // accepts any text
	return c
}

// round sends what differs, and compares what the receiver gets.
func (w *world) round(what string, want ...string) {
	w.t.Helper()
	if err := w.notifier.deliveries[0].round(w.t.Context(), w.now, false); err != nil {
		w.t.Fatalf("%s: %v", what, err)
	}
	if got := w.to.take(w.now); got != strings.Join(want, "\n") {
		w.t.Errorf("%s: got\n%s\nwant\n%s", what, got, strings.Join(want, "\n"))
	}
}

// put writes a record, or deletes it.
func (w *world) put(key string, value any) {
	w.t.Helper()
	at, err := w.Commit.Do(w.t.Context(), func(tx *commit.Tx) error {
		if value == nil {
			tx.Delete(key)
			return nil
		}
		return tx.Put(key, value)
	})
	if err == nil {
		err = w.Catalog.Wait(w.t.Context(), at)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// Each alert is sent once for each of its states, with the times of the timeline, whichever netmaster leads.
func TestStates(t *testing.T) {
	w := start(t)
	w.round("before the first look")
	w.find("warning mtu-differs h1 host/h1")
	w.round("begins", "firing warning ContivMtuDiffers host/h1@h1 00:01")
	w.find("warning mtu-differs h1 host/h1")
	w.round("stays")
	w.leader()
	w.find("warning mtu-differs h1 host/h1", "error drift h2 host/h2")
	w.round("another leader", "firing critical ContivDrift host/h2@h2 00:03")
	w.find("error mtu-differs h1 host/h1", "error drift h2 host/h2")
	w.round("becomes an error", "firing critical ContivMtuDiffers host/h1@h1 00:01", "resolved warning ContivMtuDiffers host/h1@h1 00:01")
	w.find("error mtu-differs h1 host/h1") // the leader ends before it sends this
	w.leader()
	w.find("error mtu-differs h1 host/h1")
	w.to.refuse("")
	w.round("ends between two leaders", "resolved critical ContivDrift host/h2@h2 00:03")
	w.find()
	w.round("ends", "resolved critical ContivMtuDiffers host/h1@h1 00:01")
	w.find()
	w.round("has ended")
	w.find("error mtu-differs h1 host/h1")
	w.round("begins again", "firing critical ContivMtuDiffers host/h1@h1 00:09")
}

// A finding that follows from another one has no alert of its own, but keeps one until it ends; one that is acknowledged has none.
func TestCauses(t *testing.T) {
	w := start(t)
	w.find("error switch-silent h1 host/h1", "error tunnel-loss h2 host/h1 < switch-silent")
	w.round("with its cause", "firing critical ContivSwitchSilent host/h1@h1 00:01")
	w.find("error tunnel-loss h2 host/h1")
	w.round("without its cause", "firing critical ContivTunnelLoss host/h1@h2 00:01", "resolved critical ContivSwitchSilent host/h1@h1 00:01")
	w.find("error vtep-down h1 host/h1", "error tunnel-loss h2 host/h1 < vtep-down")
	w.round("another cause", "firing critical ContivVtepDown host/h1@h1 00:03")
	key := record.Acknowledgements + record.AcknowledgementKey("vtep-down", "host/h1")
	w.put(key, &record.Acknowledgement{Key: record.AcknowledgementKey("vtep-down", "host/h1"), Code: "vtep-down", Object: "host/h1", Reason: "known", Until: w.now.Add(time.Minute)})
	w.round("acknowledged", "resolved critical ContivVtepDown host/h1@h1 00:03")
	w.round("still")
	w.put(key, nil)
	w.round("not acknowledged any more", "firing critical ContivVtepDown host/h1@h1 00:03")
}

// Alerts have labels that identify them, annotations for people, and ends that a receiver which gets nothing more applies.
func TestAlert(t *testing.T) {
	w := start(t)
	w.find("error drift h1 host/h1")
	if err := w.notifier.deliveries[0].round(t.Context(), w.now, false); err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(w.to.got[0])
	want := `{"labels":{"alertname":"ContivDrift","cluster":"lab","code":"drift","host":"h1","object":"host/h1","severity":"critical"},` +
		`"annotations":{"command":"netctl look","description":"do this","summary":"it is so"},` +
		`"startsAt":"2030-01-02T03:00:01Z","endsAt":"2030-01-02T03:04:01Z","generatorURL":"https://192.0.2.1/"}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s %v\nwant %s", got, err, want)
	}
	w.to.take(w.now)
	w.now = w.now.Add(time.Minute)
	if err := w.notifier.deliveries[0].round(t.Context(), w.now, true); err != nil {
		t.Fatal(err)
	}
	if n := w.notifier.Sent(); len(w.to.got) != 1 || !w.to.got[0].EndsAt.Equal(w.now.Add(4*time.Minute)) || n != 2 {
		t.Errorf("again: got %v, %d sent", w.to.got, n)
	}
}

// A receiver that fails has a record with the time and the reason of its first failure, until it accepts a request, even one without alerts.
func TestFailure(t *testing.T) {
	w := start(t)
	failing := func() (out []*record.AlertReceiver) {
		w.Catalog.View(func(v *catalog.View) { out = v.AlertReceivers() })
		return out
	}
	d := w.notifier.deliveries[0]
	w.to.refuse("no room\x1b[31m")
	w.find("error drift h1 host/h1")
	for range 2 {
		if err := d.round(t.Context(), w.now, false); err == nil {
			t.Fatal("want an error")
		}
	}
	if err := w.Catalog.Wait(t.Context(), w.notifier.last(t)); err != nil {
		t.Fatal(err)
	}
	list := failing()
	if len(list) != 1 || list[0].URL != w.to.URL+path || !list[0].Since.Equal(w.now) || !strings.Contains(list[0].Error, "503") || strings.Contains(list[0].Error, "\x1b") {
		t.Fatalf("got %+v", list)
	}
	if w.notifier.Waiting() != 1 || w.notifier.Failed() != 2 {
		t.Errorf("got %v waiting, %d failed", w.notifier.Waiting(), w.notifier.Failed())
	}
	w.leader() // it continues
	w.find()
	w.to.refuse("")
	w.round("accepts requests again, when the finding has ended")
	if list := failing(); len(list) != 0 || w.to.requests != 3 {
		t.Errorf("got %+v after %d requests", list, w.to.requests)
	}
}

// Records of a receiver that is not configured any more are deleted.
func TestForget(t *testing.T) {
	w := start(t)
	a := &record.Alert{Key: record.AlertKey("gone", "drift", "h1", "host/h1"), Receiver: "gone", Code: "drift", Object: "host/h1", Severity: "error"}
	w.put(record.Alerts+a.Key, a)
	w.put(record.AlertReceivers+"gone", &record.AlertReceiver{ID: "gone", URL: "http://gone"})
	w.find("error drift h1 host/h1")
	w.round("begins", "firing critical ContivDrift host/h1@h1 00:01")
	if err := w.notifier.forget(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Catalog.Wait(t.Context(), w.notifier.last(t)); err != nil {
		t.Fatal(err)
	}
	w.Catalog.View(func(v *catalog.View) {
		if list := v.Alerts(); len(list) != 1 || list[0].Receiver == "gone" || len(v.AlertReceivers()) != 0 {
			t.Errorf("got %+v, %+v", list, v.AlertReceivers())
		}
	})
}

// last returns the revision of an empty commit, which comes after all others.
func (n *Notifier) last(t *testing.T) store.Revision {
	t.Helper()
	at, err := n.Commit.Do(t.Context(), func(tx *commit.Tx) error { return tx.Put(record.Alerts+"x", &record.Alert{Key: "x", Receiver: "x"}) })
	if err == nil {
		at, err = n.Commit.Do(t.Context(), func(tx *commit.Tx) error { tx.Delete(record.Alerts + "x"); return nil })
	}
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// In a term, changes are sent at once, refused requests are repeated, and firing alerts too.
func TestRun(t *testing.T) {
	w := start(t)
	w.notifier.Now, w.notifier.Pause, w.notifier.Resend = time.Now, time.Millisecond, 50*time.Millisecond
	w.now = time.Now()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { w.notifier.Run(ctx); close(ended) }()
	w.to.refuse("not yet")
	w.find("error drift h1 host/h1")
	until := func(ok func() bool) {
		t.Helper()
		late := time.After(10 * time.Second)
		for {
			w.to.mu.Lock()
			done := ok()
			w.to.mu.Unlock()
			if done {
				return
			}
			select {
			case <-w.to.came:
			case <-late:
				t.Fatalf("got %d requests, %v", w.to.requests, w.to.got)
			}
		}
	}
	until(func() bool { return w.to.requests > 2 })
	w.to.refuse("")
	until(func() bool { return len(w.to.got) > 2 })
	w.find()
	until(func() bool { return w.to.got[len(w.to.got)-1].Annotations["summary"] == "the finding has ended" })
	cancel()
	<-ended
}
