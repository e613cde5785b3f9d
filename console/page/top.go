// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rates"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// pastWidth is how many values of the past a row shows, which leaves room for long names.
const pastWidth = 16

func topEntry() Entry {
	return Entry{Name: "top", Short: "top", Aliases: []string{"rates", "traffic", "busiest"}, About: "traffic rates of endpoints, groups, hosts and rules",
		Make: func() *Page { return Top(rates.Endpoints) }, Open: openTop, Offer: func(_ *feed.Snapshot, _ string, add func(string)) {
			for _, l := range rates.Levels() {
				add("/" + string(l))
			}
		}}
}

func openTop(path []string, view string) *Page {
	if len(path) != 1 || view != "" || !slices.Contains(rates.Levels(), rates.Level(path[0])) {
		return nil
	}
	return Top(rates.Level(path[0]))
}

// trendsQuestion requests the traffic per second.
func trendsQuestion() feed.Question { return feed.Question{Topic: feed.TrendsNow} }

// Top makes the page of what passes per second, most first.
func Top(level rates.Level) *Page {
	head := strings.TrimSuffix(string(level), "s")
	headers := []string{strings.ToUpper(head[:1]) + head[1:], "Container", "Host", "TX bit/s", "TX pkt/s", "RX bit/s", "RX pkt/s", "Past"}
	switch level {
	case rates.Rules:
		headers = []string{headers[0], "Pkt/s", "Bit/s", "Past"}
	case rates.Groups, rates.Hosts:
		headers = slices.Delete(headers, 1, 3)
	}
	scale := 0.0 // the highest value of the past
	unit := "bit/s"
	if level == rates.Rules {
		unit = "pkt/s"
	}
	l := &list[*rates.Line]{
		headers: func(Canvas) []string {
			return append(headers[:len(headers)-1:len(headers)-1], "Past 0-"+pastOf(level, scale)+" "+unit)
		},
		empty: func(*feed.Snapshot) string { return "no counters: there are no " + string(level) },
		above: trendsAbove,
		items: func(s *feed.Snapshot) (out []*rates.Line) {
			t, _, _ := feed.Of[feed.Trends](s, trendsQuestion())
			scale = 0
			for i := range t.Lines[level] {
				line := &t.Lines[level][i]
				out, scale = append(out, line), max(scale, rates.Top(line.Past[max(0, len(line.Past)-pastWidth):]))
			}
			return out
		},
		id: func(r *rates.Line) string { return r.Name },
		row: func(c Canvas, _ *feed.Snapshot, r *rates.Line) widget.Row {
			return widget.Row{Cells: topCells(c, level, r, scale)}
		},
	}
	l.table.Volatile = slices.IndexFunc(headers, func(h string) bool { return strings.HasSuffix(h, "/s") }) + 1 // a rate is new with every look
	return &Page{Name: "top " + string(level), Live: true, Command: "netctl top " + string(level), Asks: asks(trendsQuestion()), Body: l, Beside: l.beside(func(r *rates.Line) *Page { return openSubject(level, r.Name).Go }), Keys: []Key{
		l.on("enter", "open its page", func(r *rates.Line) Action { return openSubject(level, r.Name) }).hint("enter", "open"),
		on("t", "show the next of endpoints, groups, hosts, rules", func(string, Canvas, *feed.Snapshot) Action {
			all := rates.Levels()
			return open(Top(all[(slices.Index(all, level)+1)%len(all)]))
		}).hint("t", "next level"),
		on("o", "show opened, closed and refused connections", func(string, Canvas, *feed.Snapshot) Action { return open(Observe(false)) }).hint("o", "connections"),
	}}
}

// pastOf is a value of the past: bits, or packets of a rule.
func pastOf(level rates.Level, v float64) string {
	if level != rates.Rules {
		v *= 8
	}
	return widget.SI(v)
}

// topCells are the cells of a line. All lines have one scale for their past.
func topCells(c Canvas, level rates.Level, r *rates.Line, scale float64) []string {
	past := widget.SparkTo(c.Theme, r.Past, pastWidth, scale)
	bits := func(f rates.Flow) string { return widget.SI(8 * f.Bytes) }
	switch level {
	case rates.Rules:
		return []string{r.Name, widget.SI(r.Sent.Packets), bits(r.Sent), past}
	case rates.Endpoints:
		return []string{r.Name, r.Container, r.On, bits(r.Sent), widget.SI(r.Sent.Packets), bits(r.Received), widget.SI(r.Received.Packets), past}
	}
	return []string{r.Name, bits(r.Sent), widget.SI(r.Sent.Packets), bits(r.Received), widget.SI(r.Received.Packets), past}
}

// openSubject opens what a line is about.
func openSubject(level rates.Level, name string) Action {
	switch level {
	case rates.Endpoints:
		return open(openObject(model.KindEndpoint(), name, ""))
	case rates.Groups:
		return open(openObject(model.KindEndpointGroup(), name, ""))
	case rates.Rules:
		return open(openObject(model.KindRule(), name, ""))
	}
	return open(Node(name))
}

// trendsAbove lists the hosts without rates, and the reasons.
func trendsAbove(c Canvas, s *feed.Snapshot) (lines []string, ready bool) {
	lines, ready = answered(trendsQuestion(), "netmaster")(c, s)
	t, _, _ := feed.Of[feed.Trends](s, trendsQuestion())
	if ready && !t.Known {
		return append(lines, c.Theme.Paint(theme.Dim, "not measured yet: rates require two samples")), false
	}
	silent := slices.Sorted(maps.Keys(t.Silent))
	for i, host := range silent {
		if i == namesAtOnce {
			lines = append(lines, c.Theme.Paint(theme.Warn, fmt.Sprintf("and %d more hosts are not sampled", len(silent)-i)))
			break
		}
		lines = append(lines, c.Theme.Paint(theme.Warn, fmt.Sprintf("host %s is not sampled; its traffic is not included: %s", host, t.Silent[host])))
	}
	return lines, ready
}
