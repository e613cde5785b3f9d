// SPDX-License-Identifier: Apache-2.0

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

// FlowTables makes the page of the flow tables of one host's switch, in the order in which packets pass them.
func FlowTables(host string) *Page {
	q := feed.Question{Topic: feed.Flows, Host: host}
	l := &list[*flowTable]{
		headers: columns("Table", "No", "Flows", "Never hit", "Shadowed", "Pkt/s", "Byte/s", "Drop/s", "Packets"),
		empty:   func(*feed.Snapshot) string { return "the switch has no flows" },
		items: func(s *feed.Snapshot) []*flowTable {
			flows, _, _ := feed.Of[[]model.Flow](s, q)
			return flowTables(flows)
		},
		id:  func(t *flowTable) string { return t.id },
		row: func(_ Canvas, _ *feed.Snapshot, t *flowTable) widget.Row { return t.row() },
	}
	l.above = func(c Canvas, s *feed.Snapshot) ([]string, bool) {
		lines, ready := answered(q, host)(c, s)
		if ready {
			flows, _, _ := feed.Of[[]model.Flow](s, q)
			lines = append(lines, flowSums(c.Theme, flows), "")
		}
		return lines, ready
	}
	return &Page{Name: "flows of " + host, Live: true, Command: "netctl flows " + host, Asks: asks(q), Body: l, Keys: []Key{
		l.on("enter", "show the flows of the table", func(t *flowTable) Action { return open(flowList(host, cmp.Or(t.name, t.id), "")) }).hint("enter", "flows"),
		on("v", "show the flows of all tables", func(string, Canvas, *feed.Snapshot) Action { return open(flowList(host, "", "")) }).hint("v", "all flows"),
		on("w t", "trace a packet: whether it passes, and why", func(string, Canvas, *feed.Snapshot) Action { return open(Why("", "", "")) }).hint("w", "why"),
	}}
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
func flowTables(flows []model.Flow) (out []*flowTable) {
	at := map[string]*flowTable{}
	for i := range flows {
		f := &flows[i]
		t := at[f.TableID]
		if t == nil {
			t = &flowTable{name: f.Table, id: f.TableID}
			at[f.TableID], out = t, append(out, t)
		}
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
	slices.SortFunc(out, func(a, b *flowTable) int {
		x, _ := strconv.Atoi(a.id)
		y, _ := strconv.Atoi(b.id)
		return cmp.Compare(x, y)
	})
	return out
}

func (t *flowTable) row() widget.Row {
	rate := func(v float64) string {
		if !t.rated {
			return "?"
		}
		return widget.SI(v)
	}
	role := theme.Plain
	switch {
	case t.drops > 0:
		role = theme.Bad
	case t.rate > 0:
		role = theme.Good
	}
	return widget.Row{Role: role, Cells: []string{cmp.Or(t.name, t.id), t.id, strconv.Itoa(t.flows), strconv.Itoa(t.never), strconv.Itoa(t.shadow),
		rate(t.rate), rate(t.bytes), rate(t.drops), widget.SI(float64(t.packets))}}
}

// if i == 0 { // every packet starts in the first table, and matches one flow in each table that it visits
func flowSums(t *theme.Theme, flows []model.Flow) string {
	var sum flowTable
	for i, one := range flowTables(flows) {
		sum.never, sum.shadow = sum.never+one.never, sum.shadow+one.shadow
		sum.drops, sum.rated = sum.drops+one.drops, sum.rated || one.rated
		if i == 0 { // every packet begins in the first table, and meets one flow in each that it comes through
			sum.rate = one.rate
		}
	}
	line := fmt.Sprintf("%d flows  %d never hit %s  %d shadowed", len(flows), sum.never, t.Glyphs.Dark, sum.shadow)
	switch {
	case !sum.rated:
		return line + "  rates after the second sample"
	case sum.drops > 0:
		return line + fmt.Sprintf("  %s pkt/s  %s", widget.SI(sum.rate), t.Paint(theme.Bad, t.Glyphs.Cross+" drops "+widget.SI(sum.drops)+"/s"))
	}
	return line + fmt.Sprintf("  %s pkt/s  no drops", widget.SI(sum.rate))
}
