package page

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Pipeline is the flow tables of one host's switch, in the order in which packets pass them.
type Pipeline struct {
	host string
	grid grid
}

// NewPipeline makes the page of a host.
func NewPipeline(host string) *Pipeline { return &Pipeline{host: host} }

// Name is the crumb.
func (p *Pipeline) Name() string { return "flows of " + p.host }

// Command prints all flows of the host.
func (p *Pipeline) Command() string { return "netctl flows " + p.host }

// Keys are those of a table.
func (p *Pipeline) Keys() []theme.Key { return theme.FlowKeys() }

func (p *Pipeline) question() feed.Question { return feed.Question{Topic: feed.Flows, Host: p.host} }

// Questions are the host's flows.
func (p *Pipeline) Questions(*feed.Snapshot) []feed.Question {
	return []feed.Question{p.question()}
}

func (p *Pipeline) headers() []string {
	return []string{"Table", "No", "Flows", "Never hit", "Shadowed", "Pkt/s", "Byte/s", "Drop/s", "Packets"}
}

// flowTable sums up the flows of one table.
type flowTable struct {
	name, id             string
	flows, never, shadow int
	packets              uint64
	rate, bytes, drops   float64
	rated                bool
}

// flowTables sums up flows by table, ordered by the tables' numbers.
func flowTables(flows []model.Flow) []flowTable {
	at, out := map[string]int{}, []flowTable{}
	for i := range flows {
		f := &flows[i]
		n, ok := at[f.TableID]
		if !ok {
			n = len(out)
			at[f.TableID], out = n, append(out, flowTable{name: f.Table, id: f.TableID})
		}
		t := &out[n]
		t.flows++
		t.packets += f.Packets
		if f.Packets == 0 {
			t.never++
		}
		if f.Shadow != "" {
			t.shadow++
		}
		if f.Rate == nil {
			continue
		}
		t.rated = true
		t.rate, t.bytes = t.rate+f.Rate.Packets, t.bytes+f.Rate.Bytes
		if f.Drop {
			t.drops += f.Rate.Packets
		}
	}
	slices.SortFunc(out, func(a, b flowTable) int {
		x, _ := strconv.Atoi(a.id)
		y, _ := strconv.Atoi(b.id)
		return cmp.Compare(x, y)
	})
	return out
}

func (p *Pipeline) rows(c Canvas, flows []model.Flow) []widget.Row {
	var rows []widget.Row
	for _, t := range flowTables(flows) {
		rate := func(v float64) string {
			if !t.rated {
				return "?"
			}
			return widget.Humane(v)
		}
		role := theme.Plain
		switch {
		case t.drops > 0:
			role = theme.Bad
		case t.rate > 0:
			role = theme.Good
		}
		rows = append(rows, widget.Row{ID: t.id, Role: role, Cells: []string{cmp.Or(t.name, t.id), t.id, strconv.Itoa(t.flows), strconv.Itoa(t.never),
			strconv.Itoa(t.shadow), rate(t.rate), rate(t.bytes), rate(t.drops), widget.Humane(float64(t.packets))}})
	}
	return p.grid.arrange(c, rows)
}

// Key moves; enter lists the flows of a table.
func (p *Pipeline) Key(key string, c Canvas, s *feed.Snapshot) Action {
	flows, _, _ := feed.Of[[]model.Flow](s, p.question())
	rows := p.rows(c, flows)
	r, ok := p.grid.Selected(rows)
	switch {
	case key == "enter" && ok:
		return Action{Go: NewFlowList(p.host, r.Cells[0])}
	case key == "w" || key == "t":
		return Action{Go: NewWhy("", "", "")}
	case key == "v":
		return Action{Go: NewFlowList(p.host, "")}
	}
	p.grid.key(key, c, p.headers(), rows)
	return Action{}
}

// View draws the sums and the tables.
func (p *Pipeline) View(c Canvas, s *feed.Snapshot) []string {
	t := c.Theme
	flows, a, ok := feed.Of[[]model.Flow](s, p.question())
	out := []string{}
	if line := waiting(c, a, p.host); line != "" {
		out = append(out, line)
	}
	if !ok {
		return out
	}
	all, rated := flowTable{}, false
	for i, one := range flowTables(flows) {
		all.never, all.shadow = all.never+one.never, all.shadow+one.shadow
		all.drops, rated = all.drops+one.drops, rated || one.rated
		if i == 0 { // every packet begins in the first table, and meets one flow in each that it comes through
			all.rate = one.rate
		}
	}
	line := fmt.Sprintf("%d flows  %d never hit %s  %d shadowed", len(flows), all.never, t.Glyphs.Dark, all.shadow)
	switch {
	case !rated:
		line += "  rates after the second sample"
	case all.drops > 0:
		line += fmt.Sprintf("  %s pkt/s  %s", widget.Humane(all.rate), t.Paint(theme.Bad, t.Glyphs.Cross+" drops "+widget.Humane(all.drops)+"/s"))
	default:
		line += fmt.Sprintf("  %s pkt/s  no drops", widget.Humane(all.rate))
	}
	out = append(out, line, "")
	return append(out, p.grid.view(c, p.headers(), p.rows(c, flows), c.Height-len(out), "the switch has no flows")...)
}
