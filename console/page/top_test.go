// SPDX-License-Identifier: Apache-2.0

package page

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/contiv/contiv/api/rates"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Rates are new with every look, and are not marked as a change; an endpoint that is on another host now is.
func TestTopMarksChanges(t *testing.T) {
	th, err := theme.New("mono", true)
	if err != nil {
		t.Fatal(err)
	}
	look := func(level rates.Level, host string, packets float64) *feed.Snapshot {
		line := rates.Line{Name: "acme:blue:web", On: host, Sent: rates.Flow{Packets: packets, Bytes: 100 * packets}, Past: []float64{1, packets}}
		return &feed.Snapshot{Answers: map[feed.Question]feed.Answer{trendsQuestion(): {At: time.Unix(1, 0), Value: feed.Trends{Known: true, Lines: map[rates.Level][]rates.Line{level: {{Name: "under the cursor"}, line}}}}}}
	}
	for _, level := range rates.Levels() {
		p := Top(level)
		row := func(second int64, s *feed.Snapshot) string {
			c := Canvas{Width: 120, Height: 10, Theme: th, Now: time.Unix(second, 0), Background: &widget.Background{Ready: func() {}}}
			for _, line := range p.Body.View(c, s) {
				if text := ansi.Strip(line); strings.Contains(text, "acme:blue:web") {
					return text
				}
			}
			t.Fatalf("%s: no row", level)
			return ""
		}
		row(10, look(level, "h1", 5))
		if got := row(12, look(level, "h1", 7)); strings.Contains(got, th.Glyphs.Fresh) {
			t.Errorf("%s: a rate is marked as a change: %q", level, got)
		}
		if got := row(14, look(level, "h2", 7)); level == rates.Endpoints && !strings.Contains(got, th.Glyphs.Fresh) {
			t.Errorf("%s: another host is not marked: %q", level, got)
		}
	}
}
