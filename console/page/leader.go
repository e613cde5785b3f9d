// SPDX-License-Identifier: Apache-2.0

package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
	"github.com/contiv/contiv/netctl/term"
)

func leaderEntry() Entry {
	return Entry{Name: "leader", Short: "lead", Aliases: []string{"lead", "masters", "master", "store"}, About: "leader, earlier leaders, leases and store", Make: Leader}
}

// leadership is the question of Leader.
func leadership() feed.Question { return feed.Question{Topic: feed.Leadership} }

// masterPairs is the question how netmasters reach each other.
func masterPairs() feed.Question { return feed.Question{Topic: feed.MasterPairs} }

// leader is the body of the leader and the contenders, the terms before, the leases and the store.
type leader struct {
	text
	tables [5]widget.StaticTable
}

// Leader makes the page.
func Leader() *Page {
	b := &leader{}
	b.text.lines = b.lines
	return &Page{Name: "leader", Live: true, Command: "netctl leader", Asks: asks(leadership(), masterPairs()), Body: b, Keys: []Key{
		on("T", "transfer leadership to another netmaster (--write), after confirmation", func(_ string, c Canvas, _ *feed.Snapshot) Action {
			if !c.Write {
				return Action{Notice: "the console is read-only; start it with --write to transfer leadership"}
			}
			return open(Handover())
		}).hintWrite("T", "transfer"),
	}}
}

func (b *leader) lines(c Canvas, s *feed.Snapshot) []string {
	t := c.Theme
	l, a, ok := feed.Of[model.Leadership](s, leadership())
	var out []string
	if line := answerState(c, a, "netmaster"); line != "" {
		out = append(out, line)
	}
	if ok {
		out = append(out, b.lock(c, s, l)...)
	}
	out = append(out, "", t.Paint(theme.Title, "MASTERS"))
	out = append(out, b.section(c, 0, "Requests", model.ViewContenders().Headers(true), b.masters(c, s))...)
	if !ok {
		return out
	}
	out = append(out, "", t.Paint(theme.Title, "TERMS, newest first"))
	out = append(out, b.section(c, 1, "Lasted", model.ViewTerms().Headers(true), terms(c, l))...)
	out = append(out, "", t.Paint(theme.Title, "STORE  ")+fmt.Sprintf("%s, one read took %.1f ms", l.Store.Name, l.Store.ReadMillis))
	out = append(out, b.section(c, 2, "Answered in", []string{"Member", "Address", "Leads", "Version", "Database", "Answered in"}, members(c, l))...)
	if pairs := pairRows(s); len(pairs) > 0 {
		out = append(out, "", t.Paint(theme.Title, "BETWEEN MASTERS"))
		out = append(out, b.section(c, 4, "For", append([]string{"From -> to"}, term.PairHeaders()[2:]...), pairs)...)
	}
	out = append(out, "", t.Paint(theme.Title, "LEASES"))
	out = append(out, b.section(c, 3, "Left", []string{"Key", "Left", "Granted", "Filled"}, leases(c, l))...)
	return append(out, "", t.Paint(theme.Dim, "T transfers leadership to another netmaster (--write), as netctl leader handover does."))
}

// section draws a small table whole, without a cursor. volatile is the first of the columns that change with every look.
func (b *leader) section(c Canvas, n int, volatile string, headers []string, rows []widget.Row) []string {
	if len(rows) == 0 {
		return []string{c.Theme.Paint(theme.Dim, "  none")}
	}
	b.tables[n].Volatile = slices.Index(headers, volatile) + 1
	return b.tables[n].View(c.Theme, headers, rows, c.Width, c.Now)
}

func (b *leader) lock(c Canvas, s *feed.Snapshot, l model.Leadership) []string {
	t, lead := c.Theme, s.Lead()
	line := t.Paint(theme.Bad, "no netmaster holds the lock")
	if lead.Address != "" {
		line = t.Paint(theme.Good, lead.Address+" leads")
		if lead.Term > 0 {
			line += fmt.Sprintf("  term %d", lead.Term)
		}
	}
	if Lost(s, c.Now) { // an old answer proves nothing about the current leader
		line = t.Paint(theme.Dim, "leader unknown; at the last response of netmaster: "+cmp.Or(lead.Address, "none"))
	}
	for _, x := range l.Leases {
		if x.Key == l.Key && lead.Address == l.Holder && !Lost(s, c.Now) {
			line += fmt.Sprintf("  lease %.1f of %.1f s ", x.Left, x.Seconds) + widget.Bar(without(t), int(x.Left*10), int(x.Seconds*10), 12)
		}
	}
	out := []string{line, t.Paint(theme.Dim, "lock "+l.Key)}
	if l.Reason != "" {
		out = append(out, t.Paint(theme.Warn, "incomplete: "+l.Reason))
	}
	return out
}

func (b *leader) masters(c Canvas, s *feed.Snapshot) (rows []widget.Row) {
	for _, n := range masters(s) {
		state, role := stateOf(c, s, n)
		held := s.RoleOf(n)
		if held == model.RoleFollower && n.Ready && !Lost(s, c.Now) {
			state += ", waits for the lock"
		}
		requests := "?"
		if n.Answered() {
			requests = widget.SI(float64(n.Requests))
		}
		rows = append(rows, widget.Row{Role: role, Cells: term.ViewRow(model.ViewContenders(), true, n,
			map[string]string{"Role": string(held), "State": state, "Requests": requests})})
	}
	return rows
}

// pairRows are how netmasters reach each other, as far as it is known.
func pairRows(s *feed.Snapshot) (rows []widget.Row) {
	pairs, _, ok := feed.Of[model.MasterPairs](s, masterPairs())
	if !ok {
		return nil
	}
	for _, cells := range term.PairRows(&pairs) {
		role := theme.Plain
		if cells[2] != string(model.PairReached) {
			role = theme.Warn
		}
		rows = append(rows, widget.Row{Role: role, Cells: append([]string{cells[0] + " -> " + cells[1]}, cells[2:]...)})
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
	for i := range slices.Backward(l.Terms) {
		x := &l.Terms[i]
		until, end, role := "now", c.Now, theme.Good
		if x.Until != nil {
			until, end, role = x.Until.UTC().Format(layout), *x.Until, theme.Plain
		}
		rows = append(rows, widget.Row{Role: role, Cells: term.ViewRow(model.ViewTerms(), true, x, map[string]string{
			"Since": x.Since.UTC().Format(layout), "Until": until, "Lasted": Age(end.Sub(x.Since)), "Reason": cmp.Or(x.Why, "not recorded")})})
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
		switch m.Space {
		case "full":
			role, size = theme.Bad, size+" (full)"
		case "low":
			role, size = theme.Warn, size+" (low)"
		}
		if m.Error != "" {
			role, took, version, size = theme.Bad, c.Theme.Glyphs.Cross+" "+m.Error, "?", "?"
		}
		rows = append(rows, widget.Row{Role: role, Cells: []string{m.Name, m.Address, leads, version, size, took}})
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
		bar := widget.Bar(without(c.Theme), int(x.Left*10), int(x.Seconds*10), 10)
		rows = append(rows, widget.Row{Role: role, Cells: []string{strings.TrimPrefix(x.Key, "/contiv.io/"), fmt.Sprintf("%.1f s", x.Left), fmt.Sprintf("%.1f s", x.Seconds), bar}})
	}
	return rows
}
