package page

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// FlowList is flows of one host's switch: those of a table, or those that have to do with an endpoint, through all
// tables.
type FlowList struct {
	host, table string
	endpoint    string // id "network.tenant-endpoint"; "": any
	called      string // the endpoint's short name
	view        flowView
	grid        grid
}

// flowView chooses among the flows.
type flowView uint8

const (
	viewAll flowView = iota
	viewDrops
	viewNever
	viewShadowed
)

func (v flowView) String() string { return [...]string{"", "drops", "never hit", "shadowed"}[v] }

func (v flowView) keeps(f *model.Flow) bool {
	switch v {
	case viewDrops:
		return f.Drop && f.Packets > 0
	case viewNever:
		return f.Packets == 0
	case viewShadowed:
		return f.Shadow != ""
	}
	return true
}

// NewFlowList makes the page of a table of a host; "" is all tables.
func NewFlowList(host, table string) *FlowList { return &FlowList{host: host, table: table} }

// NewFlowListOf makes the page of a table of a host, "" being all, with a choice of flows: all, drops, never or shadowed.
// Any other choice is all.
func NewFlowListOf(host, table, choice string) *FlowList {
	view := map[string]flowView{"drops": viewDrops, "never": viewNever, "shadowed": viewShadowed}[choice]
	return &FlowList{host: host, table: table, view: view}
}

// NewEndpointFlows makes the page that follows one endpoint through the tables of its host.
func NewEndpointFlows(e *model.EndpointOper) *FlowList {
	return &FlowList{host: e.HomingHost, endpoint: e.Key, called: e.EndpointID}
}

// Name is the crumb.
func (p *FlowList) Name() string {
	return strings.TrimSpace(cmp.Or(p.called, p.table, "all tables") + " on " + p.host + " " + p.view.String())
}

// Command prints the same flows.
func (p *FlowList) Command() string {
	out := "netctl flows " + p.host
	if p.table != "" {
		out += " --table " + p.table
	}
	if p.endpoint != "" {
		out += " --owner endpoint/" + p.endpoint
	}
	return out + [...]string{"", " --drops", " --never", " --shadowed"}[p.view]
}

// Keys are those of a table and of flows.
func (p *FlowList) Keys() []theme.Key { return theme.FlowKeys() }

func (p *FlowList) question() feed.Question { return feed.Question{Topic: feed.Flows, Host: p.host} }

// Questions are the host's flows.
func (p *FlowList) Questions(*feed.Snapshot) []feed.Question {
	return []feed.Question{p.question()}
}

// narrow is the width below which columns of lesser weight are left out.
const narrow = 110

// columns are the headers, and which of a row's cells they show.
func (p *FlowList) columns(c Canvas) (headers []string, cells []int) {
	for i, h := range []string{"Table", "Prio", "Match", "Does", "Pkt/s", "Byte/s", "Packets", "Owner", "Age", "Mark"} {
		if h == "Table" && p.table != "" || c.Width < narrow && (h == "Byte/s" || h == "Age") {
			continue
		}
		headers, cells = append(headers, h), append(cells, i)
	}
	return headers, cells
}

func (p *FlowList) headers(c Canvas) []string {
	headers, _ := p.columns(c)
	return headers
}

func (p *FlowList) selects(f *model.Flow) bool {
	return (p.table == "" || f.Table == p.table || f.TableID == p.table) && (p.endpoint == "" || f.Owner == "endpoint/"+p.endpoint) && p.view.keeps(f)
}

func (p *FlowList) rows(c Canvas, flows []model.Flow) []widget.Row {
	var rows []widget.Row
	_, cells := p.columns(c)
	for i := range flows {
		if f := &flows[i]; p.selects(f) {
			row := flowRow(c.Theme, f)
			all := row.Cells
			row.Cells = make([]string, 0, len(cells))
			for _, n := range cells {
				row.Cells = append(row.Cells, all[n])
			}
			rows = append(rows, row)
		}
	}
	return p.grid.arrange(c, rows)
}

func flowRow(t *theme.Theme, f *model.Flow) widget.Row {
	packets, bytes, role, mark := "?", "?", theme.Plain, ""
	if f.Rate != nil {
		packets, bytes = widget.Humane(f.Rate.Packets), widget.Humane(f.Rate.Bytes)
	}
	total := widget.Humane(float64(f.Packets))
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
	return widget.Row{ID: f.TableID + " " + f.Flow, Role: role, Cells: []string{cmp.Or(f.Table, f.TableID), strconv.Itoa(int(f.Priority)), f.Match, f.Does,
		packets, bytes, total, cmp.Or(f.Owner, "nobody"), Age(time.Duration(f.Age) * time.Second), mark}}
}

// Key moves, changes the choice of flows, or goes into one.
func (p *FlowList) Key(key string, c Canvas, s *feed.Snapshot) Action {
	flows, _, _ := feed.Of[[]model.Flow](s, p.question())
	rows := p.rows(c, flows)
	r, ok := p.grid.Selected(rows)
	switch {
	case key == "v":
		p.view = (p.view + 1) % (viewShadowed + 1)
	case key == "w" || key == "t":
		for i := range flows {
			if f := &flows[i]; ok && f.TableID+" "+f.Flow == r.ID {
				return Action{Go: whyFlow(f)}
			}
		}
		return Action{Go: NewWhy("", "", "")}
	case (key == "enter" || key == "d") && ok:
		for i := range flows {
			if f := &flows[i]; f.TableID+" "+f.Flow == r.ID {
				return Action{Go: NewText("flow", p.Command()+" -o wide", flowText(f))}
			}
		}
	default:
		p.grid.key(key, c, p.headers(c), rows)
	}
	return Action{}
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
	line("caused by", cmp.Or(f.Owner, "no object that is there now"))
	line("feature", f.Feature)
	line("packets", number(f.Packets))
	line("bytes", number(f.Bytes))
	if f.Rate != nil {
		line("rate", fmt.Sprintf("%.1f packets/s, %.1f bytes/s", f.Rate.Packets, f.Rate.Bytes))
	}
	line("age", (time.Duration(f.Age) * time.Second).String())
	line("as ovs-ofctl", f.Flow)
	if f.Shadow != "" {
		line("shadowed", "no packet reaches it; this flow of a higher priority takes all of them:")
		line("", "")
		line("by", f.Shadow)
	}
	return b.String()
}

// View draws the flows.
func (p *FlowList) View(c Canvas, s *feed.Snapshot) []string {
	flows, a, ok := feed.Of[[]model.Flow](s, p.question())
	var out []string
	if line := waiting(c, a, p.host); line != "" {
		out = append(out, line)
	}
	if !ok {
		return out
	}
	return append(out, p.grid.view(c, p.headers(c), p.rows(c, flows), c.Height-len(out), "no such flows")...)
}
