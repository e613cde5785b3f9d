package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Leader is who leads and who waits, the terms before, the leases and the store.
type Leader struct {
	top   int
	grids [4]grid
}

// NewLeader makes the page.
func NewLeader() *Leader { return &Leader{} }

// Name is the crumb.
func (p *Leader) Name() string { return "leader" }

// Command prints the same.
func (p *Leader) Command() string { return "netctl leader" }

// Keys scroll, and hand over.
func (p *Leader) Keys() []theme.Key { return theme.LeaderKeys() }

func (p *Leader) question() feed.Question { return feed.Question{Topic: feed.Leadership} }

// Questions are the lock and the store.
func (p *Leader) Questions(*feed.Snapshot) []feed.Question { return []feed.Question{p.question()} }

// Key scrolls, or begins to hand over.
func (p *Leader) Key(key string, c Canvas, s *feed.Snapshot) Action {
	if key == "T" {
		if !c.Write {
			return Action{Notice: "this console only reads; start it with --write to hand leadership over"}
		}
		return Action{Go: NewHandover()}
	}
	scroll(&p.top, key, c.Height)
	p.top = max(0, min(p.top, len(p.lines(c, s))-c.Height))
	return Action{}
}

// View draws the window.
func (p *Leader) View(c Canvas, s *feed.Snapshot) []string {
	shown, _ := widget.Scroll(p.lines(c, s), p.top, c.Height)
	return shown
}

func (p *Leader) lines(c Canvas, s *feed.Snapshot) []string {
	t := c.Theme
	l, a, ok := feed.Of[model.Leadership](s, p.question())
	var out []string
	if line := waiting(c, a, "netmaster"); line != "" {
		out = append(out, line)
	}
	if ok {
		out = append(out, p.lock(c, l)...)
	}
	out = append(out, "", t.Paint(theme.Title, "MASTERS"))
	out = append(out, p.section(c, 0, "Requests", []string{"Address", "Role", "State", "Revision", "Writes", "Refused as stale", "Watchers", "Requests"}, p.masters(c, s))...)
	if !ok {
		return out
	}
	out = append(out, "", t.Paint(theme.Title, "TERMS, the newest first"))
	out = append(out, p.section(c, 1, "Lasted", []string{"Term", "Leader", "Since", "Until", "Lasted", "Why it began"}, terms(c, l))...)
	out = append(out, "", t.Paint(theme.Title, "STORE  ")+fmt.Sprintf("%s, one read took %.1f ms", l.Store.Name, l.Store.ReadMillis))
	out = append(out, p.section(c, 2, "Answered in", []string{"Member", "Address", "Leads", "Version", "Database", "Answered in"}, members(c, l))...)
	out = append(out, "", t.Paint(theme.Title, "LEASES"))
	out = append(out, p.section(c, 3, "Left", []string{"Key", "Left", "Granted", "Filled"}, leases(c, l))...)
	return append(out, "", t.Paint(theme.Dim, "T hands leadership over to another netmaster (--write); netctl leader handover does the same."))
}

// section draws a small table whole, without a cursor. restless is the first of the columns that change with every look.
func (p *Leader) section(c Canvas, n int, restless string, headers []string, rows []widget.Row) []string {
	if len(rows) == 0 {
		return []string{c.Theme.Paint(theme.Dim, "  netmaster tells none")}
	}
	p.grids[n].Restless = slices.Index(headers, restless) + 1
	return p.grids[n].Still(c.Theme, headers, rows, c.Width, c.Now)
}

func (p *Leader) lock(c Canvas, l model.Leadership) []string {
	t := c.Theme
	line := t.Paint(theme.Bad, "nobody holds the lock")
	if l.Holder != "" {
		line = t.Paint(theme.Good, l.Holder+" leads") + fmt.Sprintf("  term %d", l.Term)
	}
	for _, x := range l.Leases {
		if x.Key == l.Key {
			line += fmt.Sprintf("  lease %.1f of %.1f s ", x.Left, x.Seconds) + widget.Bar(&theme.Theme{Glyphs: t.Glyphs}, int(x.Left*10), int(x.Seconds*10), 12)
		}
	}
	out := []string{line, t.Paint(theme.Dim, "lock "+l.Key)}
	if l.Reason != "" {
		out = append(out, t.Paint(theme.Warn, "incomplete: "+l.Reason))
	}
	return out
}

func (p *Leader) masters(c Canvas, s *feed.Snapshot) []widget.Row {
	var rows []widget.Row
	for _, n := range s.Nodes {
		if n.Role == model.RoleAgent {
			continue
		}
		state, role := nodeState(c.Theme, n)
		if n.Role == model.RoleFollower && n.Ready {
			state += ", waits for the lock"
		}
		rows = append(rows, widget.Row{ID: n.Address, Role: role, Cells: []string{n.Address, string(n.Role), state, said(&n, number(n.Revision)), said(&n, number(n.Writes)),
			said(&n, number(n.Stale)), said(&n, strconv.Itoa(n.Watchers)), said(&n, widget.Humane(float64(n.Requests)))}})
	}
	return rows
}

// narrowTerms is the width below which terms are dated without their year.
const narrowTerms = 110

func terms(c Canvas, l model.Leadership) []widget.Row {
	var rows []widget.Row
	layout := time.DateTime
	if c.Width < narrowTerms {
		layout = "01-02 15:04:05"
	}
	for i := len(l.Terms) - 1; i >= 0; i-- {
		x := l.Terms[i]
		until, end, role := "now", c.Now, theme.Good
		if x.Until != nil {
			until, end, role = x.Until.UTC().Format(layout), *x.Until, theme.Plain
		}
		why := x.Why
		if why == "" {
			why = "not recorded"
		}
		rows = append(rows, widget.Row{ID: number(x.Number), Role: role, Cells: []string{number(x.Number), x.Leader, x.Since.UTC().Format(layout), until,
			Age(end.Sub(x.Since)), why}})
	}
	return rows
}

func members(c Canvas, l model.Leadership) []widget.Row {
	var rows []widget.Row
	for _, m := range l.Store.Members {
		role, leads, took, version, size := theme.Good, "", fmt.Sprintf("%.1f ms", m.Millis), m.Version, fmt.Sprintf("%d KiB", m.Bytes>>10)
		if m.Leader {
			leads = "leads"
		}
		if m.Error != "" {
			role, took, version, size = theme.Bad, c.Theme.Glyphs.Cross+" "+m.Error, "?", "?"
		}
		rows = append(rows, widget.Row{ID: m.Name, Role: role, Cells: []string{m.Name, m.Address, leads, version, size, took}})
	}
	return rows
}

func leases(c Canvas, l model.Leadership) []widget.Row {
	var rows []widget.Row
	for _, x := range l.Leases {
		role := theme.Plain
		if x.Left < x.Seconds/3 {
			role = theme.Warn
		}
		bar := widget.Bar(&theme.Theme{Glyphs: c.Theme.Glyphs}, int(x.Left*10), int(x.Seconds*10), 10)
		rows = append(rows, widget.Row{ID: x.Key, Role: role, Cells: []string{strings.TrimPrefix(x.Key, "/contiv.io/"), fmt.Sprintf("%.1f s", x.Left), fmt.Sprintf("%.1f s", x.Seconds), bar}})
	}
	return rows
}
