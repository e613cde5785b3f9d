// SPDX-License-Identifier: Apache-2.0

package app

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/console/page"
)

// clickOn clicks on the first place of a text on the screen.
func clickOn(t *testing.T, m *Model, text string) {
	t.Helper()
	for y, line := range strings.Split(Plain(m.Frame()), "\n") {
		if before, _, ok := strings.Cut(line, text); ok {
			m.Update(tea.MouseClickMsg{Button: tea.MouseLeft, X: len([]rune(before)), Y: y})
			return
		}
	}
	t.Fatalf("%q is not on the screen:\n%s", text, Plain(m.Frame()))
}

func TestMouse(t *testing.T) {
	tests := []struct {
		name      string
		keys      []string
		clicks    []string
		want, not string
	}{
		{"a row", []string{"8"}, []string{"green.default"}, "▶ mail", ""},
		{"a row after lines of another kind", []string{":", "f", "l", "o", "w", "s", "enter", "enter"}, []string{"policy_in"}, "▶ policy_in", ""},
		{"a host of the overview", nil, []string{"h2  "}, "▶ h2", ""},
		{"a header sorts", []string{"8"}, []string{"Network"}, "Network▲", ""},
		{"again, the other way", []string{"8"}, []string{"Network", "Network"}, "Network▼", ""},
		{"a tab", nil, []string{"0 leader"}, "$ netctl leader", ""},
		{"a crumb", []string{"9", "enter", "esc", "]"}, []string{"tables"}, "$ netctl explain", ""},
		{"the program's name", []string{"9"}, []string{"contiv"}, "MASTERS", ""},
		{"the second line", []string{"9"}, []string{"CATCHING"}, "node h2", ""},
		{"a line of the tree", []string{"2"}, []string{"group web"}, "endpointGroup acme:web", ""},
		{"help", nil, []string{"? help"}, "EVERYWHERE", ""},
		{"ends help", []string{"?"}, []string{"EVERYWHERE"}, "MASTERS", "EVERYWHERE"},
		{"nothing while something is typed", []string{"8", ":"}, []string{"0 leader"}, "endpoints", "TERMS"},
		{"a cell of the matrix", []string{"6"}, []string{"◐ tcp 5432"}, "web to db", "netctl rule ls"},
		{"a cell of the matrix of pods", to("podmatrix"), []string{"◐ tcp 80", "◐ tcp 80"}, "pods of cl +1", "mail"},
		{"the cell under the cursor: its rules", []string{"6"}, []string{"◐ tcp 5432", "◐ tcp 5432"}, "Packets", "web to db"},
		{"beside the cells of the matrix", []string{"6"}, []string{"from \\ to"}, "db to db", "Packets"},
		{"an address", to("addresses/acme/blue"), []string{"hxppS"}, "▶ 10.1.1.3 ", ""},
		{"the address under the cursor: who had it", to("addresses/acme/blue"), []string{"hxppS", "hxppS"}, "10.1.1.3", "G gateway"},
		{"beyond the addresses", to("addresses/acme/blue"), []string{"G gateway"}, "▶ 10.1.1.0 ", ""},
		{"a block", to("addresses/acme/blue:blocks"), []string{"▁", "▁"}, "hxppS", "a cell is"},
		{"an inner page", to("endpoint/web-1:flows"), []string{"Match"}, "Match▲", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, _ := still(t, mono(t, false), page.Overview(), 120, 40)
			press(m, tt.keys...)
			for _, text := range tt.clicks {
				clickOn(t, m, text)
			}
			if frame := Plain(m.Frame()); !strings.Contains(frame, tt.want) || strings.Contains(frame, tt.not) && tt.not != "" {
				t.Errorf("want %q without %q, got:\n%s", tt.want, tt.not, frame)
			}
		})
	}
}

// The wheel moves; wherever is clicked, the screen stays a screen.
func TestWheelAndAnyClick(t *testing.T) {
	m, _ := still(t, mono(t, false), page.Overview(), 80, 24)
	press(m, "8")
	m.Update(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	if frame := Plain(m.Frame()); !strings.Contains(frame, "▶ mail") {
		t.Errorf("want the last row after three steps, got:\n%s", frame)
	}
	m.Update(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	if frame := Plain(m.Frame()); !strings.Contains(frame, "▶ db") {
		t.Errorf("want the first row again, got:\n%s", frame)
	}
	for _, screen := range screens() {
		m, _ := still(t, mono(t, false), screen.make(), 80, 24)
		for y := range 24 {
			for x := 0; x < 80; x += 9 {
				m.Update(tea.MouseClickMsg{Button: tea.MouseLeft, X: x, Y: y})
				m.Update(tea.MouseClickMsg{Button: tea.MouseRight, X: x, Y: y})
			}
		}
		if lines := strings.Count(m.Frame(), "\n"); lines != 23 {
			t.Errorf("%s: want 24 lines, got %d", screen.name, lines+1)
		}
	}
}

// The terminal keeps the mouse until it is asked for.
func TestMouseIsOffAtFirst(t *testing.T) {
	m, _ := still(t, mono(t, false), page.Overview(), 80, 24)
	if m.View().MouseMode != tea.MouseModeNone {
		t.Error("want the mouse left to the terminal")
	}
	m.Update(tea.KeyPressMsg{Code: 't', Mod: tea.ModCtrl})
	if m.View().MouseMode != tea.MouseModeCellMotion || !strings.Contains(Plain(m.Frame()), "the mouse controls the console") {
		t.Errorf("want the mouse taken, got:\n%s", Plain(m.Frame()))
	}
	m.Update(tea.KeyPressMsg{Code: 't', Mod: tea.ModCtrl})
	if m.View().MouseMode != tea.MouseModeNone {
		t.Error("want the mouse given back")
	}
}
