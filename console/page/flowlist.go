// SPDX-License-Identifier: Apache-2.0

package page

import (
	"cmp"
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

// flowView is a choice among the flows.
type flowView struct {
	name, title, flag string // in paths, in the crumb, of netctl
	keeps             func(f *model.Flow) bool
}

func flowViews() []flowView {
	return []flowView{
		{"all", "", "", func(*model.Flow) bool { return true }},
		{"drops", " drops", " --drops", func(f *model.Flow) bool { return f.Drop && f.Packets > 0 }},
		{"never", " never hit", " --never", func(f *model.Flow) bool { return f.Packets == 0 }},
		{"shadowed", " shadowed", " --shadowed", func(f *model.Flow) bool { return f.Shadow != "" }},
	}
}

// flowList makes the page of the flows of a table of a host, by name or number, "" being all, in a view, "" being all too; nil: there is no
// such view.
func flowList(host, table, view string) *Page {
	command := "netctl flows " + host
	if table != "" {
		command += " --table " + table
	}
	at := slices.IndexFunc(flowViews(), func(v flowView) bool { return v.name == cmp.Or(view, "all") })
	if at < 0 {
		return nil
	}
	return flowsPage(host, cmp.Or(table, "all tables"), command, at, table == "", func(f *model.Flow) bool { return table == "" || f.Table == table || f.TableID == table })
}

// endpointFlows makes the page that follows one endpoint through the tables of its host.
func endpointFlows(e *feed.Endpoint) *Page {
	owner := "endpoint/" + e.Key
	return flowsPage(e.HomingHost, e.EndpointID, "netctl flows "+e.HomingHost+" --owner "+owner, 0, true, func(f *model.Flow) bool { return f.Owner == owner })
}

// narrow is the width below which columns of lesser weight are left out.
const narrow = 110

// flowsPage makes the page of the flows of a host that selects chooses, of several tables or one, at first in a view.
func flowsPage(host, what, command string, view int, several bool, selects func(*model.Flow) bool) *Page {
	q := feed.Question{Topic: feed.Flows, Host: host}
	p := &Page{Asks: asks(q), Live: true}
	choose := func(to int) {
		view = to % len(flowViews())
		p.Name, p.Command = what+" on "+host+flowViews()[view].title, command+flowViews()[view].flag
	}
	choose(view)
	// shown are the columns for which there is room.
	shown := func(c Canvas, all []string) (out []string) {
		for i, x := range all {
			if lesser := i == 5 || i == 8; (several || i > 0) && (c.Width >= narrow || !lesser) {
				out = append(out, x)
			}
		}
		return out
	}
	l := &list[*model.Flow]{
		headers: func(c Canvas) []string {
			return shown(c, []string{"Table", "Prio", "Match", "Does", "Pkt/s", "Byte/s", "Packets", "Owner", "Age", "Mark"})
		},
		above: answered(q, host),
		empty: func(*feed.Snapshot) string { return "no matching flows" },
	}
	l.source = func(src *widget.Source[*model.Flow], c Canvas, s *feed.Snapshot) {
		flows, _, _ := feed.Of[[]model.Flow](s, q)
		keeps := flowViews()[view].keeps
		src.Size, src.Version = len(flows), flowsVersion{src.Version, view}
		src.Load = func() widget.Content[*model.Flow] {
			out := widget.Content[*model.Flow]{ID: func(f *model.Flow) string { return f.TableID + " " + f.Flow }}
			for i := range flows {
				if f := &flows[i]; selects(f) && keeps(f) {
					out.Items = append(out.Items, f)
				}
			}
			out.Row = func(f *model.Flow) widget.Row {
				row := flowRow(c.Theme, f)
				row.Cells = shown(c, row.Cells)
				return row
			}
			return out
		}
	}
	p.Body = l
	p.Keys = []Key{
		l.on("enter d", "show all details of the flow", func(f *model.Flow) Action { return open(Text("flow", p.Command+" -o wide", flowText(f))) }).hint("enter", "details"),
		on("v", "show all flows, drops, never hit or shadowed ones", func(string, Canvas, *feed.Snapshot) Action { choose(view + 1); return Action{} }).hint("v", "view"),
		on("w t", "trace a packet that matches the flow: whether it passes, and why", func(_ string, c Canvas, s *feed.Snapshot) Action {
			l.show(c, s)
			if f, ok := l.table.Selected(); ok {
				return open(whyFlow(f))
			}
			return open(Why("", "", ""))
		}).hint("w", "why"),
	}
	return p
}

// flowsVersion is what the rows of flows follow from.
type flowsVersion struct {
	seen any
	view int
}

func flowRow(t *theme.Theme, f *model.Flow) widget.Row {
	packets, bytes, role, mark := "?", "?", theme.Plain, ""
	if f.Rate != nil {
		packets, bytes = widget.SI(f.Rate.Packets), widget.SI(f.Rate.Bytes)
	}
	total := widget.SI(float64(f.Packets))
	if f.Packets == 0 {
		total = "never"
	}
	switch {
	case f.Shadow != "":
		role, mark = theme.Warn, t.Glyphs.Dark+" shadowed"
	case f.Drop && f.Rate != nil && f.Rate.Packets > 0:
		role, mark = theme.Bad, t.Glyphs.Cross+" drops"
	case f.Packets == 0:
		role, mark = theme.Dim, t.Glyphs.Dark
	case f.Drop:
		role, mark = theme.Bad, t.Glyphs.Cross
	case f.Rate != nil && f.Rate.Packets > 0:
		role = theme.Good
	}
	return widget.Row{Role: role, Cells: []string{cmp.Or(f.Table, f.TableID), strconv.Itoa(int(f.Priority)), f.Match, f.Does,
		packets, bytes, total, cmp.Or(f.Owner, "none"), Age(time.Duration(f.Age) * time.Second), mark}}
}

// flowText is all that is known of a flow.
func flowText(f *model.Flow) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-12s %s\n", name, value)
		}
	}
	line("table", strings.TrimSpace(f.Table+" "+f.TableID))
	line("priority", strconv.Itoa(int(f.Priority)))
	line("match", f.Match)
	line("does", f.Does)
	line("caused by", cmp.Or(f.Owner, "no existing object"))
	line("feature", f.Feature)
	line("packets", number(f.Packets))
	line("bytes", number(f.Bytes))
	if f.Rate != nil {
		line("rate", fmt.Sprintf("%.1f packets/s, %.1f bytes/s", f.Rate.Packets, f.Rate.Bytes))
	}
	line("age", (time.Duration(f.Age) * time.Second).String())
	line("as ovs-ofctl", f.Flow)
	if f.Shadow != "" {
		line("shadowed", "no packet reaches it; it is shadowed by this flow with a higher priority:")
		line("", "")
		line("by", f.Shadow)
	}
	return b.String()
}
