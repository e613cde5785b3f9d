// SPDX-License-Identifier: Apache-2.0

package page

import (
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// AtMoment returns the command that prints at an earlier moment what a command prints now. A command without such a form is returned with
// a note.
func AtMoment(command string, at time.Time) string {
	words := strings.Fields(command)
	suffix := " --at " + at.UTC().Format(time.RFC3339)
	if len(words) < 2 {
		return command
	}
	switch words[1] {
	case "get", "why", "ip", "matrix":
		return command + suffix
	}
	if k, ok := model.KindOf(words[1]); ok && len(words) > 2 && slices.Contains([]string{"ls", "inspect"}, words[2]) && k.Owner == "" {
		return strings.TrimSpace("netctl get "+words[1]+" "+strings.Join(words[3:], " ")) + suffix
	}
	return command + "   (of the present)"
}

// unrecorded is drawn instead of a page whose content is known only for the present.
func unrecorded(c Canvas, p *Page) []string {
	out := []string{"", " " + c.Theme.Paint(theme.Warn, p.Name+": not recorded for an earlier moment."), ""}
	for _, line := range []string{
		" Recorded are objects of Contiv, endpoints, the owners of addresses, changes and findings.",
		" Hosts, leaders, flows, rates, connections, logs and objects of Kubernetes are known only for the present.", "", " :now returns to the present.",
	} {
		out = append(out, widget.Wrap(line, c.Width, 1)...)
	}
	return out
}

// View draws the page, or that it cannot be known of the moment that the snapshot shows.
func (p *Page) View(c Canvas, s *feed.Snapshot) []string {
	if s.Past() && p.Live {
		return unrecorded(c, p)
	}
	return p.Body.View(c, s)
}
