// SPDX-License-Identifier: Apache-2.0

package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/page"
	"github.com/contiv/contiv/console/recording"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// minutes is a recording of five minutes in which a tenant comes every ten seconds.
func minutes(t testing.TB) (*feed.Player, time.Time) {
	t.Helper()
	begin := time.Date(2030, 1, 2, 23, 58, 0, 0, time.UTC)
	all := []feed.Input{{At: begin, Event: &model.Event{Type: model.EventSync, Revision: 1}}}
	for i := range 30 {
		name := fmt.Sprintf("t%02d", i+1)
		at := begin.Add(time.Duration(i+1) * 10 * time.Second)
		all = append(all,
			feed.Input{At: at, Event: &model.Event{Type: model.EventPut, Kind: "tenant", Key: name, Object: []byte(`{"tenantName":"` + name + `"}`), Revision: uint64(i + 2)}},
			feed.Input{At: at, Happened: &feed.HappenedInput{Changes: []model.HistoryEntry{{Sequence: uint64(i + 1), Time: at, Verb: "create", Kind: "tenant", Key: name, Revision: uint64(i + 2)}}}})
	}
	p, err := feed.NewPlayer("http://m", all)
	if err != nil {
		t.Fatal(err)
	}
	return p, begin
}

// playing is a console that plays the recording, on the tenants.
func playing(t testing.TB) *Model {
	t.Helper()
	p, begin := minutes(t)
	m := New(t.Context(), p, mono(t, false), page.Table(model.KindTenant()), begin)
	m.replay = newPlayback(p, begin, "the recording is truncated")
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	m.Update(m.replay.fetch()())
	return m
}

// pass lets time go by, in beats of half a second.
func pass(m *Model, d time.Duration) {
	now := m.replay.lastTick
	if now.IsZero() {
		now = time.Unix(1e9, 0)
		m.replay.tick(now)
		m.Update(seekedMsg{m.replay.at, m.replay.player.Seek(m.replay.at)})
	}
	for range d / (500 * time.Millisecond) {
		now = now.Add(500 * time.Millisecond)
		m.Update(replayTickMsg(now))
		m.Update(seekedMsg{m.replay.at, m.replay.player.Seek(m.replay.at)})
	}
}

func TestPlayback(t *testing.T) {
	tests := []struct {
		name      string
		keys      []string
		pass      time.Duration
		want, not string
	}{
		{"the beginning", nil, 0, "RECORDING  ▶ x1        2030-01-02 23:58:00  0:00 of 5:00", "t01"},
		{"time passes", nil, 25 * time.Second, "23:58:25  0:25 of 5:00", "t03"},
		{"and shows what came", nil, 25 * time.Second, "t02", "t03"},
		{"paused", []string{"p"}, 25 * time.Second, "‖ paused    2030-01-02 23:58:00", "t01"},
		{"paused and on", []string{"p", "p"}, 10 * time.Second, "t01", "t02"},
		{"faster", []string{">", ">", ">"}, 5 * time.Second, "▶ x8        2030-01-02 23:58:40", "t05"},
		{"slower", []string{"<", "<", "<"}, 40 * time.Second, "▶ x0.25     2030-01-02 23:58:10", "t02"},
		{"forward", []string{"p", ".", "."}, 0, "t02", "t03"},
		{"forward and back", []string{"p", ".", ".", ","}, 0, "t01", "t02"},
		{"a minute forward", []string{"p", "}"}, 0, "t06", "t07"},
		{"a minute back", []string{"p", "}", "}", "{"}, 0, "t06", "t07"},
		{"not before the beginning", []string{"p", "{"}, 0, "0:00 of 5:00", "t01"},
		{"not after the end", []string{"}", "}", "}", "}", "}", "}"}, time.Second, "the recording is truncated", "t31"},
		{"from the start again", []string{"p", "}", "}", "}", "}", "}", "p"}, 10 * time.Second, "t01", "t02"},
		{"to an offset", append(typed("p@35s"), "enter"), 0, "t03", "t04"},
		{"to one from the end", append(typed("p@-15s"), "enter"), 0, "t28", "t29"},
		{"to a time of the next day", append(typed("p@00:00:05"), "enter"), 0, "t12", "t13"},
		{"to nowhere", append(typed("p@noon"), "enter"), 0, `got "noon", want a time`, ""},
		{"to somewhere else", append(typed("p@2h"), "enter"), 0, "is outside the recording", ""},
		{"keys are in the help", []string{"?"}, 0, "THE RECORDING", ""},
		{"other pages", []string{"7"}, 20 * time.Second, "tenant t02", "t03"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := playing(t)
			for _, key := range tt.keys {
				if press(m, key); m.replay.busy { // the answer to a key may be a moment that is looked up
					m.Update(seekedMsg{m.replay.at, m.replay.player.Seek(m.replay.at)})
				}
			}
			pass(m, tt.pass)
			frame := Plain(m.Frame())
			if !strings.Contains(frame, tt.want) || tt.not != "" && strings.Contains(frame, tt.not) {
				t.Errorf("want %q without %q, got:\n%s", tt.want, tt.not, frame)
			}
		})
	}
}

// A slow look-up of a moment blocks nothing: a moment requested meanwhile is looked up after it.
func TestPlaybackWaitsForNothing(t *testing.T) {
	m := playing(t)
	press(m, "p")
	late := m.replay.fetch() // in progress
	for range 5 {
		if cmd := m.handle(tea.KeyPressMsg{Text: ".", Code: '.'}); cmd != nil {
			t.Fatal("want one moment looked up at a time")
		}
	}
	next := m.handle(late())
	if next == nil {
		t.Fatal("want a look-up of the moment requested meanwhile")
	}
	m.Update(next())
	if frame := Plain(m.Frame()); !strings.Contains(frame, "t05") {
		t.Errorf("want 50 s, got:\n%s", frame)
	}
}

// A recording of a real netmaster shows on every page what the console showed.
func TestReplayShowsEveryPage(t *testing.T) {
	master := mastertest.Start(t, mastertest.Options{})
	if _, err := master.Networks().Put(t.Context(), &model.Network{TenantName: "default", NetworkName: "blue", Encap: "vxlan", Subnet: "10.1.1.0/28"}); err != nil {
		t.Fatal(err)
	}
	master.Endpoint(t, "default", "blue", "", "web", "")
	path := filepath.Join(t.TempDir(), "recording")
	w, err := recording.Create(path, 1<<20, recording.Header{})
	if err != nil {
		t.Fatal(err)
	}
	f := feed.New(master.Client, time.Now)
	f.Record(w.Put)
	shown, err := f.Once(t.Context(), nil)
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	// The recording may be a moment younger than the snapshot: both are drawn at its end.
	p, err := play(&options{replay: path, once: true})
	if err != nil {
		t.Fatal(err)
	}
	shown.Base = p.player.Seek(p.at).Base
	for _, screen := range page.Entries() {
		before, after := New(t.Context(), p.player, mono(t, false), screen.Make(), p.at), New(t.Context(), p.player, mono(t, false), screen.Make(), p.at)
		before.Update(shown)
		after.Update(p.player.Seek(p.at))
		before.now, after.now = p.at, p.at
		if a, b := Plain(before.Frame()), Plain(after.Frame()); a != b {
			t.Errorf("%s: want:\n%s\ngot:\n%s", screen.Name, a, b)
		}
	}
	var out strings.Builder
	cmd := NewCommand(strings.NewReader(""), &out, func(string) string { return "" }, func() string { return "" })
	cmd.SetArgs([]string{"--replay", path, "--once", "--screen", "endpoints"})
	if err := cmd.ExecuteContext(t.Context()); err != nil || !strings.Contains(out.String(), "web") || !strings.Contains(out.String(), "RECORDING") {
		t.Errorf("want the endpoint of the recording, got %v:\n%s", err, out.String())
	}
}

func TestRecordingOptions(t *testing.T) {
	foreign := filepath.Join(t.TempDir(), "foreign")
	if err := os.WriteFile(foreign, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		args string
		want string
	}{
		{"--at 10s --record b", "which does not change"},
		{"--at soon", "--at: got soon, want a time"},
		{"--replay a --record b", "exclude each other"},
		{"--replay a --write", "cannot be changed"},
		{"--replay /nonexistent/a", "open the recording"},
		{"--replay " + foreign, "not a recording"},
		{"--record " + foreign + " --once", "already exists"},
		{"--record a --record-limit 0 --once", "at least 1"},
	}
	for _, tt := range tests {
		cmd := NewCommand(strings.NewReader(""), &strings.Builder{}, func(string) string { return "" }, func() string { return "" })
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs(strings.Fields(tt.args))
		if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: want an error with %q, got %v", tt.args, tt.want, err)
		}
	}
}

type state struct {
	bytes int64
	full  bool
	err   error
}

func (s state) State() (int64, bool, error) { return s.bytes, s.full, s.err }

func TestRecordingIsTold(t *testing.T) {
	for _, tt := range []struct {
		state state
		want  string
	}{{state{bytes: 3 << 19}, "● recording, 1.5 MiB ───"}, {state{full: true}, "has stopped"}, {state{err: errors.New("no space")}, "✗ not recorded: no space"}} {
		m, _ := still(t, mono(t, false), page.Overview(), 120, 40)
		if m.recorder = tt.state; !strings.Contains(Plain(m.Frame()), tt.want) {
			t.Errorf("want %q, got:\n%s", tt.want, Plain(m.Frame()))
		}
	}
}
