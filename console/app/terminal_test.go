// SPDX-License-Identifier: Apache-2.0

package app

import (
	"fmt"
	"image/color"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/console/page"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// The key c hands the command of the last line to the terminal.
func TestCopy(t *testing.T) {
	m, _ := still(t, mono(t, false), page.Leader(), 100, 30)
	_, cmd := m.Update(tea.KeyPressMsg{Text: "c", Code: 'c'})
	if cmd == nil || fmt.Sprint(cmd()) != "netctl leader" {
		t.Errorf("want the command in the clipboard, got %v", cmd)
	}
	if !strings.Contains(m.Frame(), "copied (if the terminal allows it): netctl leader") {
		t.Errorf("want the frame to say so, got\n%s", m.Frame())
	}
}

func TestBackground(t *testing.T) {
	for _, tt := range []struct {
		name   string
		chosen bool
		ground color.Color
		want   string
	}{
		{"light", false, color.White, "light"},
		{"dark", false, color.Black, "dark"},
		{"chosen", true, color.White, "dark"},
	} {
		m, _ := still(t, look(t, "dark", false), page.Leader(), 100, 30)
		if !tt.chosen {
			m.light = look(t, "light", false)
		}
		m.Update(tea.BackgroundColorMsg{Color: tt.ground})
		if m.theme.Name != tt.want {
			t.Errorf("%s: want the theme %s, got %s", tt.name, tt.want, m.theme.Name)
		}
	}
}

// A master that is gone is passed over for the next.
func TestSeveralMasters(t *testing.T) {
	master := mastertest.Start(t, mastertest.Options{})
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	var out strings.Builder
	cmd := NewCommand(strings.NewReader(""), &out, func(string) string { return "" }, func() string { return "" })
	cmd.SetArgs([]string{"--once", "--screen", "tenants", "--netmaster", gone.URL + ", " + master.URL})
	cmd.SetOut(io.Discard)
	if err := cmd.ExecuteContext(t.Context()); err != nil || !strings.Contains(out.String(), "default") {
		t.Errorf("want the tenants of the second master, got %v:\n%s", err, out.String())
	}
	out.Reset()
	cmd.SetArgs([]string{"--once", "--svg", "--screen", "tenants", "--netmaster", master.URL})
	if err := cmd.ExecuteContext(t.Context()); err != nil || !strings.HasPrefix(out.String(), "<svg ") || !strings.Contains(out.String(), "default") {
		t.Errorf("want the tenants as an image, got %v:\n%s", err, out.String())
	}
	cmd.SetArgs([]string{"--once", "--netmaster", master.URL + ",there"})
	if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), `"there"`) {
		t.Errorf("want the wrong URL named, got %v", err)
	}
}

// While no master answers the frame says since when, and the next answer ends that.
func TestLossIsShownAndEnds(t *testing.T) {
	m, _ := still(t, mono(t, false), page.Overview(), 100, 30)
	s, now := fixed()
	lost := *s
	lost.Watching, lost.Err = false, "netmaster is gone"
	m.Update(&lost)
	m.Update(tickMsg(now.Add(7 * time.Second)))
	if f := m.Frame(); !strings.Contains(f, "CONNECTION LOST") || !strings.Contains(f, "the data is 7s old") {
		t.Errorf("want the loss with the age of the data, got\n%s", f)
	}
	for _, keys := range [][]string{{"1"}, to("flows"), {"0"}} { // what was so is not what is
		press(m, keys...)
		f := Plain(m.Frame())
		if !strings.Contains(f, "leader ?") || strings.Contains(f, "● ready") || strings.Contains(f, "● programmed") || strings.Contains(f, ":9999 leads") || !strings.Contains(f, " was ") {
			t.Errorf("page %s: want what nodes were, and that who leads is not known, got\n%s", keys, f)
		}
	}
	press(m, "1")
	again := *s
	again.Received = now.Add(8 * time.Second)
	m.Update(&again)
	if f := Plain(m.Frame()); strings.Contains(f, "LOST") || !strings.Contains(f, "leader 192.0.2.1") || !strings.Contains(f, "● ready") {
		t.Errorf("want the loss to be over, got\n%s", f)
	}
}
