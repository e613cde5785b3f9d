// SPDX-License-Identifier: Apache-2.0

package preferences

import (
	"reflect"
	"strings"
	"testing"

	"github.com/contiv/contiv/configfile"
	"github.com/contiv/contiv/console/theme"
)

func section(t *testing.T, text string) []configfile.Entry {
	t.Helper()
	all, problems := configfile.ParseMap([]byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return all
}

func TestRead(t *testing.T) {
	got, err := Read("config.yaml", section(t, `
theme: solar
ascii: true
skins:
  solar: {base: light, good: "#859900", bad: 9}
hotkeys: {f5: lost}
views:
  lost: {page: endpoints, filter: "!established"}
`))
	want := &Preferences{Theme: "solar", ASCII: true, Skins: map[string]theme.Skin{"solar": {Base: "light", Styles: map[string]string{"good": "#859900", "bad": "9"}}},
		Hotkeys: map[string]string{"f5": "lost"}, Views: map[string]View{"lost": {Page: "endpoints", Filter: "!established"}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if th, err := got.Look("solar", false); err != nil || th.Name != "solar" || th.Base != "light" {
		t.Errorf("the skin: got %v, %v", th, err)
	}
	if _, err := got.Look("sun", false); err == nil || !strings.Contains(err.Error(), "or a skin") {
		t.Errorf("an unknown skin: got %v", err)
	}
}

func TestRead_Wrong(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"them: dark", "config.yaml:1: console: unknown key them, want one of ascii, hotkeys, mouse, skins, theme, views: did you mean theme?"},
		{"ascii: 1", "ascii: got a whole number (1), want a boolean"},
		{"skins: {a: {god: 1}}", `skins: a: got a style of "god"`},
		{"views: {a: {filter: x}}", "views: a: got no page: add page: PATH"},
		{"hotkeys: [f5]", "hotkeys: got a list, want a map"},
		{"hotkeys: {f5: [a]}", "f5: got a list, want text"},
	} {
		if _, err := Read("config.yaml", section(t, row.text)); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v, want %s", row.text, err, row.want)
		}
	}
}
