// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Logs makes the page of the last log lines of a part of a host, the newest first.
func Logs(host, part string) *Page {
	q := feed.Question{Topic: feed.Logs, Host: host, Detail: part}
	b := &text{lines: func(c Canvas, s *feed.Snapshot) (out []string) {
		l, a, ok := feed.Of[model.LogLines](s, q)
		if line := answerState(c, a, part+" of "+host); line != "" {
			out = append(out, line)
		}
		if !ok {
			return out
		}
		head := fmt.Sprintf("%s of %s, newest first; from %s", part, host, l.From)
		if l.Ended {
			head += ": it did not answer, and has left these lines"
		}
		out = append(out, c.Theme.Paint(theme.Title, head), "")
		for i := len(l.Lines) - 1; i >= 0; i-- {
			role := theme.Plain
			switch line := l.Lines[i]; {
			case strings.Contains(line, "level=ERROR"), strings.HasPrefix(line, "panic: "), strings.HasPrefix(line, "fatal error: "):
				role = theme.Bad
			case strings.Contains(line, "level=WARN"):
				role = theme.Warn
			}
			out = append(out, c.Theme.Paint(role, widget.Bare(l.Lines[i])))
		}
		return out
	}}
	return &Page{Live: true, Name: "logs/" + host + "/" + part, Command: "netctl logs " + host + " " + part, Asks: asks(q), Body: b, Keys: []Key{
		on("n", "show the next part of the host: netmaster, then Open vSwitch", func(string, Canvas, *feed.Snapshot) Action {
			parts := model.LogParts()
			return open(Logs(host, parts[(slices.Index(parts, part)+1)%len(parts)]))
		}).hint("n", "next log"),
	}}
}
