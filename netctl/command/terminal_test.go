// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/netctl/term"
)

// atTerminal runs a command line on a terminal of 80 cells in Berlin.
func atTerminal(t *testing.T, url, line string, environment map[string]string) result {
	t.Helper()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	f := &Factory{
		Streams: term.Streams{In: strings.NewReader(""), Out: &out, Err: &errs, OutTTY: true, ErrTTY: true, Zone: berlin, Now: func() time.Time { return time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC) },
			Screen: term.Screen{Width: 80, Colour: environment["NO_COLOR"] == "", Zone: berlin}},
		Home: t.TempDir(), Tick: func(time.Duration) <-chan time.Time { return nil },
		Getenv: func(name string) string {
			if name == "NETMASTER" {
				return url
			}
			return environment[name]
		},
	}
	return result{Run(t.Context(), f, strings.Fields(line)), out.String(), errs.String()}
}

// On a terminal, tables fit to it, states have colours, times are local, and results go through the pager, except changes and with --no-pager.
func TestOnTerminal(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	for _, line := range []string{"network create n1 -s 10.1.1.0/24", "policy create p", "policy rule-add p 1 --direction in --action deny"} {
		if got := netctl(t, t.Context(), m.URL, strings.Fields(line)...); got.code != 0 {
			t.Fatalf("%s: %+v", line, got)
		}
	}
	pager := filepath.Join(t.TempDir(), "pager")
	if err := os.WriteFile(pager, []byte("#!/bin/sh\necho \"[$LESS $1]\"; cat\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	paged := map[string]string{"PAGER": pager + " -x", "NO_COLOR": "1"}
	for _, row := range []struct {
		line        string
		environment map[string]string
		want, not   string
	}{
		{"get rules", nil, "\x1b[31mdeny\x1b[0m", ""},
		{"get rules", map[string]string{"NO_COLOR": "1"}, "deny\n", "\x1b"},
		{"get rules -o json", nil, "\"action\": \"deny\"", "\x1b"},
		{"network ls", nil, "default  n1", "IPv6Gateway"},
		{"network ls -o wide", nil, "IPv6Gateway  Cfgd Tag", ""},
		{"history --limit 1", map[string]string{"NO_COLOR": "1"}, " CE", "T0"},
		{"--utc history --limit 1", map[string]string{"NO_COLOR": "1"}, " UTC", "T0"},
		{"history --limit 1 -o csv", nil, "Z,", " CE"},
		{"network ls", paged, "[FRX -x]\nTenant", ""},
		{"--no-pager network ls", paged, "Tenant", "FRX"},
		{"network create n2 -s 10.1.2.0/24", paged, "Creating network", "FRX"},
		{"tenant ls", map[string]string{"PAGER": "no-such-program"}, "default\n", ""},
	} {
		got := atTerminal(t, m.URL, row.line, row.environment)
		if got.code != 0 || !strings.Contains(got.out, row.want) || row.not != "" && strings.Contains(got.out, row.not) {
			t.Errorf("netctl %s with %v: want %q and not %q, got %+v", row.line, row.environment, row.want, row.not, got)
		}
		if strings.Contains(row.line, "-o ") {
			continue
		}
		for line := range strings.Lines(got.out) {
			if plain := strings.NewReplacer("\x1b[31m", "", "\x1b[32m", "", "\x1b[33m", "", "\x1b[0m", "").Replace(strings.TrimSuffix(line, "\n")); len([]rune(plain)) > 80 {
				t.Errorf("netctl %s: a line is wider than the terminal: %q", row.line, line)
			}
		}
	}
}

// Each time that a command prints is accepted by the flags of times, as local time on a terminal.
func TestPrintedTimesAreAccepted(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	netctl(t, t.Context(), m.URL, "tenant", "create", "blue")
	for _, when := range []string{"2030-01-02T03:04:05Z", "2030-01-02 04:04:05 CET", "2030-01-02 04:04", "04:04", "04:04:05", "yesterday", "10m", "1d", "2030-01-01"} {
		for _, line := range []string{"history --since", "audit --since", "observe --since", "diff --from", "get tenants --at", "ip show 10.1.1.1 --at", "history tenant blue --at"} {
			args := append(strings.Fields(line), when)
			var out, errs bytes.Buffer
			berlin, err := time.LoadLocation("Europe/Berlin")
			if err != nil {
				t.Fatal(err)
			}
			f := &Factory{Streams: term.Streams{Out: &out, Err: &errs, Zone: berlin, Now: func() time.Time { return time.Date(2030, 1, 2, 3, 5, 0, 0, time.UTC) }}, Home: t.TempDir(),
				Getenv: func(name string) string { return map[string]string{"NETMASTER": m.URL}[name] }}
			if code := Run(t.Context(), f, args); code == term.Usage {
				t.Errorf("netctl %s %q: %s", line, when, errs.String())
			}
		}
	}
}

// A command that waits for more than a second shows it on the terminal, and removes that line before its output.
func TestShowsThatItWorks(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	ticks := make(chan time.Time, 1)
	answered := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ticks <- time.Time{}
		<-answered
		http.Redirect(w, r, m.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer slow.Close()
	var out bytes.Buffer
	errs := &notifying{drawn: answered}
	f := &Factory{Streams: term.Streams{Out: &out, Err: errs, ErrTTY: true, Now: time.Now}, Home: t.TempDir(), Tick: func(time.Duration) <-chan time.Time { return ticks },
		Getenv: func(name string) string { return map[string]string{"NETMASTER": slow.URL}[name] }}
	code := Run(t.Context(), f, []string{"tenant", "ls", "-q"})
	if want := "\r\x1b[Knetctl tenant ls: waiting for netmaster (0 s)"; code != 0 || out.String() != "default\n" || !strings.HasPrefix(errs.text.String(), want) || !strings.HasSuffix(errs.text.String(), "\r\x1b[K") {
		t.Errorf("want %q and the line removed, got exit %d, %q and %q", want, code, out.String(), errs.text.String())
	}
}

// notifying closes a channel with its first text.
type notifying struct {
	once  sync.Once
	drawn chan struct{}
	text  bytes.Buffer
}

func (n *notifying) Write(p []byte) (int, error) {
	n.once.Do(func() { close(n.drawn) })
	return n.text.Write(p)
}
