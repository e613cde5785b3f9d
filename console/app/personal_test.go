// SPDX-License-Identifier: Apache-2.0

package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contiv/contiv/console/page"
	"github.com/contiv/contiv/console/preferences"
	"github.com/contiv/contiv/netctl/contexts"
)

// own is the preferences with a view and a key for it.
func own() *preferences.Preferences {
	return &preferences.Preferences{Views: map[string]preferences.View{"lost": {Page: "endpoints", Filter: "cart"}}, Hotkeys: map[string]string{"f5": "lost", "ctrl+e": "networks"}}
}

// A key of the user, and the name of a view behind ":", lead to its page with its filter.
func TestPersonal(t *testing.T) {
	for _, row := range []struct {
		name       string
		keys       []string
		page, text string // of the filter
	}{
		{"a key for a view", []string{"f5"}, "endpoints", "cart"},
		{"a key for a page", []string{"ctrl+e"}, "networks", ""},
		{"the name of a view", to("lost"), "endpoints", "cart"},
		{"its beginning", to("los"), "endpoints", "cart"},
	} {
		m := realModel(t, mono(t, false), page.Leader(), 100, 30)
		var err error
		if m.personal, err = newPersonal(own()); err != nil {
			t.Fatal(err)
		}
		press(m, row.keys...)
		text := ""
		if m.filter != nil {
			text = m.filter.Text
		}
		if m.page().Name != row.page || text != row.text {
			t.Errorf("%s: got page %q with filter %q, want %q with %q: %s", row.name, m.page().Name, text, row.page, row.text, m.notice)
		}
	}
}

func TestPersonal_Wrong(t *testing.T) {
	for _, row := range []struct {
		of   preferences.Preferences
		want string
	}{
		{preferences.Preferences{Views: map[string]preferences.View{"x": {Page: "nowhere"}}}, "console: views: x: "},
		{preferences.Preferences{Views: map[string]preferences.View{"x": {Page: "networks", Filter: "("}}}, "is not a regular expression"},
		{preferences.Preferences{Views: map[string]preferences.View{"networks": {Page: "overview"}}}, "want a name that no page has"},
		{preferences.Preferences{Hotkeys: map[string]string{"x": "networks"}}, `got the key "x", want f1`},
		{preferences.Preferences{Hotkeys: map[string]string{"ctrl+t": "networks"}}, "ctrl+t: the console has this key already: use the mouse"},
		{preferences.Preferences{Hotkeys: map[string]string{"f5": "nowhere"}}, "console: hotkeys: f5: "},
	} {
		if _, err := newPersonal(&row.of); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%v: got %v, want %s", row.of, err, row.want)
		}
	}
}

// ":save NAME" writes the page and its filter into the user's file, which keeps the rest, and the next console has the view.
func TestSave(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte("# mine\nconsole:\n  theme: light\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := realModel(t, mono(t, false), page.Leader(), 100, 30)
	m.personal.keep = keepIn(path)
	press(m, to("networks", filter("front", to("save fronts")...)...)...)
	if want := `saved: ":fronts"`; !strings.Contains(m.notice, want) {
		t.Fatalf("got the notice %q, want %s", m.notice, want)
	}
	config, err := contexts.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := preferences.Read(path, config.Console())
	if err != nil || p.Theme != "light" || p.Views["fronts"] != (preferences.View{Page: "networks", Filter: "front"}) {
		t.Errorf("got %+v, %v", p, err)
	}
	if text, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(text), "# mine\n") {
		t.Errorf("got %s, %v, want the comment kept", text, err)
	}
	for _, row := range []struct{ line, want string }{
		{"save", "want a name for the view"},
		{"save networks", "want a name that no page has"},
	} {
		press(m, to(row.line)...)
		if !strings.Contains(m.notice, row.want) {
			t.Errorf("%s: got the notice %q, want %s", row.line, m.notice, row.want)
		}
	}
}

func TestThemeOf(t *testing.T) {
	for _, row := range []struct{ term, colors, no, want string }{
		{"xterm-256color", "", "", "dark"},
		{"xterm", "truecolor", "", "dark"},
		{"linux", "", "", "sixteen"},
		{"dumb", "", "", "mono"},
		{"xterm-256color", "", "1", "mono"},
		{"", "", "", "dark"},
	} {
		got := themeOf(func(name string) string {
			return map[string]string{"TERM": row.term, "COLORTERM": row.colors, "NO_COLOR": row.no}[name]
		})
		if got != row.want {
			t.Errorf("TERM=%s COLORTERM=%s NO_COLOR=%s: got %s, want %s", row.term, row.colors, row.no, got, row.want)
		}
	}
}
