// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/trust"
)

// standIn is a fake netmaster of a host's cluster, and the fake agent of the host.
type standIn struct {
	host     *Host
	mu       sync.Mutex // of drained and aboard, while drains may overlap
	aboard   []string   // endpoints on the host
	broken   bool       // it refuses everything
	runs     int        // requests to leave that it refuses, because the agent counts as running
	departed []model.DepartRequest
	stopped  []string
	removed  []Env // settings by which the agent was uninstalled
	drained  []model.DrainRequest
	busy     bool // the runtime deletes no container

	slow  time.Duration // that a drain takes if its host waits for the answer; if the host gives up, the drain comes after its end
	ended chan struct{} // closed when a drain was ended
}

// Start does nothing.
func (s *standIn) Start(context.Context, string) (string, error) { return "", nil }

// Log returns an empty log.
func (*standIn) Log(context.Context, string, time.Time) (string, error) { return "", nil }

// Stop records the daemon.
func (s *standIn) Stop(_ context.Context, daemon string) (string, error) {
	s.stopped = append(s.stopped, daemon)
	return "stopped " + daemon, nil
}

func (s *standIn) uninstall(_ context.Context, settings Env) ([]string, error) {
	s.removed = append(s.removed, settings)
	return []string{"restored net.ipv4.ip_forward=0", "remains: kernel setting x: someone has set it to 2 since"}, nil
}

// ServeHTTP answers as netmaster does to a host that leaves.
func (s *standIn) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	answer := func(v any) { _ = json.NewEncoder(w).Encode(v) }
	switch {
	case s.broken:
		w.WriteHeader(http.StatusNotFound)
	case q.Method == http.MethodGet && q.URL.Path == "/api/v1/leave":
		answer(model.HostEndpoints{Host: q.URL.Query().Get("host"), Endpoints: s.aboard})
	case q.Method == http.MethodPost && q.URL.Path == "/api/v1/drain":
		var request model.DrainRequest
		if err := json.NewDecoder(q.Body).Decode(&request); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if s.slow > 0 && request.End {
			defer close(s.ended)
		} else if s.slow > 0 {
			select {
			case <-time.After(s.slow):
			case <-q.Context().Done():
				<-s.ended
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.drained = append(s.drained, request)
		answer(model.HostEndpoints{Host: request.Host, Endpoints: s.aboard})
		if !s.busy && !request.End && len(s.aboard) > 0 {
			s.aboard = s.aboard[1:] // the runtime deletes one
		}
	case q.Method == http.MethodPost && q.URL.Path == "/api/v1/leave":
		var request model.DepartRequest
		if err := json.NewDecoder(q.Body).Decode(&request); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if s.runs > 0 {
			s.runs--
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusConflict)
			answer(model.Errorf(model.CodeInUse, "host", "the agent of host h2 runs").Problem())
			return
		}
		s.departed = append(s.departed, request)
		answer(model.Departed{Revoked: []string{"1"}})
	default:
		w.WriteHeader(http.StatusTeapot)
	}
}

// newStandIn returns a host with an agent, whose settings name the fake netmaster.
func newStandIn(t *testing.T) *standIn {
	t.Helper()
	s := &standIn{host: &Host{Root: t.TempDir(), Bin: "/usr/bin"}, aboard: []string{}}
	dir := s.host.Trust()
	a, err := trust.NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	certificate, _, err := a.PEM()
	if err == nil {
		err = dir.SaveAuthority(certificate, nil)
	}
	if err == nil {
		err = dir.Certify(a, trust.Identity{Role: trust.Agent, Name: "h2"}, time.Now())
	}
	masters := trust.Dir(t.TempDir())
	if err == nil {
		err = errors.Join(masters.SaveAuthority(certificate, nil), masters.Certify(a, trust.Identity{Role: trust.Master, Name: "h1"}, time.Now(), "127.0.0.1"))
	}
	if err != nil {
		t.Fatal(err)
	}
	held, err := trust.Open(masters, trust.Master)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(s)
	server.TLS = held.Server()
	server.StartTLS()
	t.Cleanup(server.Close)
	w := wish()
	if _, err := s.host.writeSettings(Netplugin, func() Env { return s.host.agentEnv(&w, []string{strings.TrimPrefix(server.URL, "https://")}) }).Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// leave has the host leave, and returns the printed lines.
func (s *standIn) leave(t *testing.T, change func(*Leave)) (output string, err error) {
	t.Helper()
	l := &Leave{Host: s.host, Label: "h2", Starter: s, Uninstall: s.uninstall}
	if change != nil {
		change(l)
	}
	var lines []string
	err = Run(t.Context(), l.Steps(), func(text string) { lines = append(lines, text) })
	return strings.Join(lines, "\n"), err
}

// A drained host accepts no new containers, and leaves when it has none; a host whose container stays accepts new ones again, and
// does not leave.
func TestDrain(t *testing.T) {
	s := newStandIn(t)
	s.aboard = []string{"default:blue:c1", "default:blue:c2"}
	var progress []string
	output, err := s.leave(t, func(l *Leave) {
		l.Drain, l.interval, l.Progress = time.Minute, time.Millisecond, func(line string) { progress = append(progress, line) }
	})
	want := []string{"2 containers are on this host: default:blue:c1, default:blue:c2", "1 containers are on this host: default:blue:c2"}
	if err != nil || !strings.Contains(output, "drained: no container is on this host") || !slices.Equal(progress, want) || len(s.departed) != 1 {
		t.Errorf("want %q and to leave, got %q, %v and\n%s", want, progress, err, output)
	}
	for _, request := range s.drained {
		if request.Host != "h2" || request.End {
			t.Errorf("want it drained until it leaves, got %+v", request)
		}
	}

	s = newStandIn(t)
	s.aboard, s.busy = []string{"default:blue:c1"}, true
	_, err = s.leave(t, func(l *Leave) { l.Drain, l.interval = 50*time.Millisecond, time.Millisecond })
	if err == nil || !strings.Contains(err.Error(), "1 containers are still on this host after 50ms: default:blue:c1") || len(s.departed) > 0 || !s.host.Member() {
		t.Errorf("a container that stays: want the host to stay, got %v, %v", err, s.departed)
	}
	if last := s.drained[len(s.drained)-1]; !last.End {
		t.Errorf("want the drain ended, got %+v", last)
	}

	s = newStandIn(t)
	s.aboard, s.busy, s.slow, s.ended = []string{"default:blue:c1"}, true, 100*time.Millisecond, make(chan struct{})
	if _, err = s.leave(t, func(l *Leave) { l.Drain, l.interval = 50*time.Millisecond, time.Millisecond }); err == nil {
		t.Error("a netmaster that answers late: want the host to stay")
	}
	if want := []model.DrainRequest{{Host: "h2"}, {Host: "h2", End: true}}; !slices.Equal(s.drained, want) {
		t.Errorf("a netmaster that answers late: want the end of the drain last, got %+v", s.drained)
	}
}

// A host that leaves reports that to the cluster, removes what was put on it, and lists what remains.
func TestLeave(t *testing.T) {
	s := newStandIn(t)
	if _, err := write(s.host.EnvFile(Netplugin), []byte("CONTIV_NETPLUGIN_LOG_LEVEL=debug\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	snapshot := filepath.Join(s.host.SnapshotDir(), "scheduled-1.contiv-snapshot")
	if _, err := write(snapshot, []byte("snapshot"), 0o600); err != nil {
		t.Fatal(err)
	}
	output, err := s.leave(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.departed, []model.DepartRequest{{Agent: "h2"}}) || !slices.Equal(s.stopped, []string{Netplugin, Netmaster}) {
		t.Errorf("want one report to the cluster and both daemons stopped, got %v, %v", s.departed, s.stopped)
	}
	if len(s.removed) != 1 || s.removed[0]["CONTIV_NETPLUGIN_HOST"] != "h1" || s.removed[0]["CONTIV_NETPLUGIN_LOG_LEVEL"] != "debug" {
		t.Errorf("want one uninstall by all settings, got %v", s.removed)
	}
	for _, want := range []string{"restored net.ipv4.ip_forward=0", "remains: kernel setting x", "remains: " + s.host.EnvFile(Netplugin) + ": you wrote it",
		"remains: " + s.host.SnapshotDir() + ": snapshots of the cluster's store"} {
		if !strings.Contains(output, want) {
			t.Errorf("want %q, got\n%s", want, output)
		}
	}
	if s.host.Member() {
		t.Error("want no certificates left")
	}
	var left []string
	_ = filepath.WalkDir(s.host.Root, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			left = append(left, path)
		}
		return err
	})
	if !slices.Equal(left, []string{s.host.EnvFile(Netplugin), snapshot}) {
		t.Errorf("want the operator's file only, got %v", left)
	}
}

// contiv leave names endpoints on the host and changes nothing; with --force it continues. Without an answer it changes nothing
// either.
func TestLeaveRefuses(t *testing.T) {
	for name, row := range map[string]struct {
		before func(*standIn)
		leave  func(*Leave)
		want   string // of the error; "": none
		output string
	}{
		"endpoints":      {before: func(s *standIn) { s.aboard = []string{"default:blue:c1"} }, want: "1 endpoints are on this host, and would lose their network: default:blue:c1; delete"},
		"many endpoints": {before: func(s *standIn) { s.aboard = strings.Split(strings.Repeat("x ", 10)+"x", " ") }, want: "x, x, x, x, x, x, x, x and 3 more"},
		"forced":         {before: func(s *standIn) { s.aboard = []string{"default:blue:c1"} }, leave: func(l *Leave) { l.Force = true }},
		"no answer":      {before: func(s *standIn) { s.broken = true }, want: "endpoints of this host are unknown"},
		"the last host":  {before: func(s *standIn) { s.broken = true }, leave: func(l *Leave) { l.Last = true }, output: "endpoints of this host are unknown"},
		"by hand":        {leave: func(l *Leave) { l.Uninstall = nil }, output: "/usr/bin/netplugin --uninstall once"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStandIn(t)
			if row.before != nil {
				row.before(s)
			}
			output, err := s.leave(t, row.leave)
			if row.want == "" {
				if err != nil || !strings.Contains(output, row.output) || s.host.Member() {
					t.Errorf("want to leave and %q, got %v and\n%s", row.output, err, output)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), "--force") {
				t.Errorf("want %q and the remedy, got %v", row.want, err)
			}
			if !s.host.Member() || len(s.stopped)+len(s.departed)+len(s.removed) > 0 {
				t.Errorf("want nothing changed, got %v, %v, %v", s.stopped, s.departed, s.removed)
			}
		})
	}
}

// An uninstall that fails keeps the settings and certificates that the next contiv leave needs.
func TestLeaveGoesOn(t *testing.T) {
	s := newStandIn(t)
	if _, err := s.leave(t, func(l *Leave) {
		l.Uninstall = func(context.Context, Env) ([]string, error) { return nil, errors.New("ovsdb-server does not answer") }
	}); err == nil || !strings.Contains(err.Error(), "uninstall: ovsdb-server does not answer") || !s.host.Member() || s.host.Settings(Netplugin) == nil {
		t.Errorf("want the error, and settings and certificates kept, got %v", err)
	}
	if _, err := s.leave(t, nil); err != nil || s.host.Member() || len(s.removed) != 1 {
		t.Errorf("want the rest removed, got %v", err)
	}
}

// An agent that contiv leave has stopped may count as running for some seconds: contiv leave waits. An agent that is started by hand
// may really run.
func TestLeaveWaitsForTheEnd(t *testing.T) {
	s := newStandIn(t)
	s.runs = 2
	if _, err := s.leave(t, func(l *Leave) { l.interval, l.Uninstall = time.Millisecond, nil }); err == nil || s.runs != 1 || !s.host.Member() {
		t.Errorf("by hand: want one request, which is refused, got %v, and %d more to refuse", err, s.runs)
	}
	s.runs = 2
	if _, err := s.leave(t, func(l *Leave) { l.interval = time.Millisecond }); err != nil || len(s.departed) != 1 || s.host.Member() {
		t.Errorf("want the host to leave after two refusals, got %v", err)
	}
}

func TestParseRelease(t *testing.T) {
	for text, want := range map[string]int{"systemd 252 (252.36-1~deb12u1)\n+PAM": 252, "systemd 257 (257.8)": 257, "": 0, "systemd": 0, "systemd x": 0, "runit 254": 0, "systemd -1": 0} {
		if got := parseRelease(text); got != want {
			t.Errorf("%q: want %d, got %d", text, want, got)
		}
	}
}

// A directory that stays after a host has left, such as a mount point, is not shared with netmaster's group any more.
func TestSharedDirectoryStays(t *testing.T) {
	h := &Host{Root: t.TempDir()}
	for path, mode := range map[string]os.FileMode{"/var/lib/contiv": os.ModeSticky | 0o775, "/etc/contiv": 0o700} {
		if err := os.MkdirAll(h.at(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.Chmod(h.at(path), mode), os.WriteFile(h.at(path+"/operators"), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	last := h.LastLines(Netplugin)
	if err := errors.Join(os.MkdirAll(filepath.Dir(last), 0o755), os.WriteFile(last, []byte("ended"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.removeDirs(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(last)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left: %v", last, err)
	}
	for path, want := range map[string]os.FileMode{"/var/lib/contiv": 0o755, "/etc/contiv": 0o700} {
		if info, err := os.Stat(h.at(path)); err != nil || info.Mode() != os.ModeDir|want {
			t.Errorf("%s: got %v, %v, want %v", path, info.Mode(), err, want)
		}
	}
}
