// SPDX-License-Identifier: Apache-2.0

package app

import (
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/page"
)

// footerOf returns the last three lines of a frame.
func footerOf(m *Model) []string {
	lines := strings.Split(Plain(m.Frame()), "\n")
	return lines[len(lines)-3:]
}

// Every page names keys of its own above the tabs, each of which it has, and those that work everywhere, however narrow the terminal is.
func TestHints(t *testing.T) {
	for _, screen := range screens() {
		for _, width := range []int{minWidth, 120, 200} {
			m, _ := still(t, mono(t, false), screen.make(), width, minHeight)
			line := footerOf(m)[0]
			if wrong := exact(m.Frame(), width, minHeight); wrong != "" {
				t.Errorf("%s, width %d: %s", screen.name, width, wrong)
			}
			own := 0
			for _, k := range m.page().Help() {
				short, word := k.Hint(false)
				switch {
				case short == "":
					continue
				case strings.Contains(line, short+" "+word):
					own++
				}
				if short != "up/down" && !hasKey(k.Binding, short) {
					t.Errorf("%s: the hint names the key %s, want one of %v", screen.name, short, k.Keys())
				}
			}
			if own == 0 || !strings.Contains(line, ": go to") {
				t.Errorf("%s, width %d: want keys of the page and of all pages, got %q", screen.name, width, line)
			}
		}
	}
}

func hasKey(b key.Binding, name string) bool {
	for _, k := range b.Keys() {
		if k == name {
			return true
		}
	}
	return false
}

// The number keys open the ten pages that the tabs name, and none twice in a row; the help has the numbers too.
func TestNumberKeys(t *testing.T) {
	want := strings.Fields("overview topology addresses top findings matrix events endpoints tables leader")
	m, _ := still(t, mono(t, false), page.Table(model.KindTenant()), minWidth, minHeight)
	tabs := footerOf(m)[1]
	if !strings.HasSuffix(tabs, "? help") {
		t.Errorf("want all tabs and the help in %d cells, got %q", minWidth, tabs)
	}
	for i, e := range page.Numbered() {
		digit := page.NumberKey(i)
		if e.Name != want[i] || !strings.Contains(tabs, " "+digit+" "+e.Short+" ") {
			t.Errorf("key %s: got page %s and tabs %q, want %s", digit, e.Name, tabs, want[i])
		}
		press(m, digit, digit)
		if m.at != i+1 || !e.Shows(m.page()) {
			t.Errorf("%s pressed twice: got page %q at %d of the history, want %s at %d", digit, m.page().Name, m.at, e.Name, i+1)
		}
	}
	press(m, "?")
	if help := strings.Join(m.help.lines, "\n"); !strings.Contains(help, "0 leader") || !strings.Contains(help, "1 overview") {
		t.Errorf("the help lacks the numbers:\n%s", help)
	}
}

// Back returns to the exact page: its selection, its filter, its order and its place, whichever way led on.
func TestBackIsExact(t *testing.T) {
	for _, way := range [][]string{{"enter"}, {"d"}, {"y"}, {"4"}, {":", "w", "h", "y", "enter"}, {"t"}, {"w"}} {
		m, _ := still(t, mono(t, false), page.Table(model.KindEndpoint()), 120, minHeight)
		press(m, append(filter("acme"), "N", "N", "j", "space")...)
		m.Frame()
		press(m, "k", "j")
		before := Plain(m.Frame())
		press(m, way...)
		if Plain(m.Frame()) == before {
			t.Errorf("%v led nowhere", way)
		}
		if press(m, "esc"); Plain(m.Frame()) != before {
			t.Errorf("%v and esc: want\n%s\ngot\n%s", way, before, Plain(m.Frame()))
		}
		if strings.Contains(strings.Join(way, ""), "w") {
			continue // the page types
		}
		press(m, way...)
		if press(m, "-"); Plain(m.Frame()) != before || m.at != 0 {
			t.Errorf("%v and -: want the page before in its place of the history, got\n%s", way, Plain(m.Frame()))
		}
	}
}
