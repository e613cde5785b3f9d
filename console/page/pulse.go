// SPDX-License-Identifier: Apache-2.0

package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rates"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// maxLoadEndpoints is the number of endpoints up to which the overview samples their counters: it is open all day.
const maxLoadEndpoints = 5000

// maxBusiest bounds the endpoints of a section.
const maxBusiest = 20

// section is a part of the overview: a title, and entries, the most important first.
type section struct {
	title string
	about string // of all entries, such as their unit
	parts []figure
	empty string
}

// figure is an entry of a section: what it is about, and its figures.
type figure struct{ name, text string }

// overviewQuestions are the questions of the overview: none of them writes, and counters are read only in clusters where that is cheap.
func overviewQuestions(s *feed.Snapshot) []feed.Question {
	if len(s.Endpoints) > maxLoadEndpoints {
		return []feed.Question{leaderQuestion()}
	}
	return []feed.Question{leaderQuestion(), loadQuestion()}
}

// loadQuestion requests the traffic per second, at the interval of the overview.
func loadQuestion() feed.Question { return feed.Question{Topic: feed.Load} }

// loadOf is the newest answer about traffic; why is the reason if there is none.
func loadOf(s *feed.Snapshot) (t feed.Trends, why string) {
	t, a, ok := feed.Of[feed.Trends](s, loadQuestion())
	switch {
	case len(s.Endpoints) > maxLoadEndpoints:
		return t, fmt.Sprintf("not sampled here with more than %d endpoints", maxLoadEndpoints)
	case a.Err != "":
		return t, "unknown: " + a.Err
	case !ok || !t.Known:
		return t, "not measured yet: rates require two samples"
	}
	return t, ""
}

// inLine draws a section in one line.
func (x *section) inLine(c Canvas) string {
	title := c.Theme.Paint(theme.Title, widget.Fit(c.Theme, x.title, 9))
	switch {
	case len(x.parts) == 0:
		return widget.Fit(c.Theme, title+c.Theme.Paint(theme.Dim, x.empty), c.Width)
	case x.about != "":
		title += c.Theme.Paint(theme.Dim, x.about) + "  "
	}
	var parts []string
	for _, e := range x.parts {
		parts = append(parts, strings.TrimSpace(e.name+" "+e.text))
	}
	return widget.Parts(c.Theme, title, "   ", parts, c.Width)
}

// inBlock draws a section in at most a number of lines: its title, and an entry in each other.
func (x *section) inBlock(c Canvas, lines int) []string {
	t := c.Theme
	out := []string{t.Paint(theme.Title, x.title) + t.Paint(theme.Dim, "  "+x.about)}
	if len(x.parts) == 0 {
		return append(out, t.Paint(theme.Dim, "  "+x.empty))
	}
	width := 0
	for _, e := range x.parts[:min(len(x.parts), lines-1)] {
		width = max(width, widget.Width(e.name))
	}
	width = min(width, c.Width-20)
	for i, e := range x.parts {
		if i == lines-2 && i < len(x.parts)-1 {
			return append(out, t.Paint(theme.Dim, fmt.Sprintf("  %s %d more", t.Glyphs.Ellipsis, len(x.parts)-i)))
		}
		if e.text == "" {
			out = append(out, widget.Fit(t, "  "+e.name, c.Width))
			continue
		}
		out = append(out, widget.Fit(t, "  "+widget.Fit(t, e.name, width)+" "+e.text, c.Width))
	}
	return out
}

// busy is how busy the cluster is. All its series have one scale.
func busy(c Canvas, p feed.Rates) section {
	out := section{title: "BUSY", empty: "not measured yet: rates require two samples"}
	if len(p.Requests) == 0 {
		return out
	}
	width := min(30, max(4, (c.Width-90)/3)) // beside the names, the figures, and the spaces between
	window := func(series []float64) []float64 { return series[max(0, len(series)-width):] }
	top := rates.Top(window(p.Endpoints), window(p.FlowMods), window(p.Requests))
	out.about = "per second, scale 0-" + widget.SI(max(top, 1))
	for _, x := range []struct {
		name   string
		series []float64
	}{{"endpoints", p.Endpoints}, {"flow changes", p.FlowMods}, {"requests", p.Requests}} {
		out.parts = append(out.parts, figure{x.name, c.Theme.Paint(theme.Good, widget.SparkTo(c.Theme, x.series, width, max(top, 1))) + " " + widget.SI(x.series[len(x.series)-1])})
	}
	return out
}

// busiest is the pairs with most new connections, if the connections have been requested by another page, and else the endpoints with most
// traffic.
func busiest(c Canvas, s *feed.Snapshot) section {
	if seen, a, ok := feed.Of[[]model.Observed](s, observedQuestion()); ok && c.Now.Sub(a.At) < time.Minute {
		out := section{title: "BUSIEST", about: "pairs, opened in 2m", empty: "no connections seen"}
		for _, t := range talkersOf(seen) {
			if t.opened > 0 {
				out.parts = append(out.parts, figure{widget.Bare(nameOfEnd(t.event.From) + " to " + nameOfEnd(t.event.To)), widget.Bare(t.traffic) + " " + number(t.opened)})
			}
		}
		return out
	}
	out := section{title: "BUSIEST", empty: "no traffic"}
	t, why := loadOf(s)
	if why != "" {
		out.empty = why + "; 4 shows top"
		return out
	}
	const width = 12
	lines := slices.DeleteFunc(slices.Clone(t.Lines[rates.Endpoints]), func(l rates.Line) bool { return l.Total() == 0 })
	slices.SortStableFunc(lines, func(a, b rates.Line) int { return cmp.Compare(b.Total(), a.Total()) })
	lines = lines[:min(len(lines), maxBusiest)]
	top := 1.0
	for i := range lines {
		top = max(top, rates.Top(lines[i].Past[max(0, len(lines[i].Past)-width):]))
	}
	if len(lines) > 0 {
		out.about = "endpoints, bit/s, scale 0-" + widget.SI(8*top)
	}
	for i := range lines {
		l := &lines[i]
		out.parts = append(out.parts, figure{widget.Bare(cmp.Or(l.Container, l.Name)), c.Theme.Paint(theme.Good, widget.SparkTo(c.Theme, l.Past, width, top)) + " " + widget.SI(8*l.Total())})
	}
	if n := len(t.Silent); n > 0 {
		out.about += fmt.Sprintf(" (%s not sampled)", count(n, "host"))
	}
	return out
}

// nameOfEnd is a short name of an end of a connection.
func nameOfEnd(e *model.ObservedEnd) string { return cmp.Or(e.Name, e.Endpoint, e.Address, "?") }

// refusedLately is the rules that have refused packets within the last minutes, those with most first.
func refusedLately(_ Canvas, s *feed.Snapshot) section {
	out := section{title: "REFUSED"}
	t, why := loadOf(s)
	if why == "" && t.Span == 0 {
		why = "not counted yet"
	}
	if why != "" {
		out.empty = why + "; see :observe/denied"
		return out
	}
	over := "in " + Age(t.Span)
	type refusal struct {
		rule string
		n    uint64
	}
	var all []refusal
	for _, r := range each[*model.Rule](s) {
		if n := t.Hits[r.ObjectKey()]; r.Action == "deny" && n > 0 {
			all = append(all, refusal{r.ObjectKey(), n})
		}
	}
	slices.SortFunc(all, func(a, b refusal) int { return cmp.Or(cmp.Compare(b.n, a.n), strings.Compare(a.rule, b.rule)) })
	out.about, out.empty = "packets "+over, "no packets by rules "+over
	for _, r := range all {
		out.parts = append(out.parts, figure{widget.Bare(r.rule), widget.SI(float64(r.n))})
	}
	if n := len(t.Silent); n > 0 {
		out.about, out.empty = out.about+fmt.Sprintf(" (%s not sampled)", count(n, "host")), out.empty+fmt.Sprintf(" (%s not sampled)", count(n, "host"))
	}
	return out
}

// fullest is the networks with the fewest free addresses, of those with an answer.
func fullest(c Canvas, s *feed.Snapshot) section {
	type pool struct {
		key         string
		used, total int
	}
	var pools []pool
	for key, p := range s.Pools {
		if total := p.Count + p.Free; total > 0 {
			pools = append(pools, pool{key, p.Count, total})
		}
	}
	out := section{title: "FULLEST", empty: "no addresses received yet"}
	if all := amount(s, model.KindNetwork()); len(pools) < all {
		out.about = fmt.Sprintf("of %d of %s", len(pools), count(all, "network"))
	}
	slices.SortFunc(pools, func(a, b pool) int { return cmp.Or(b.used*a.total-a.used*b.total, strings.Compare(a.key, b.key)) })
	for _, x := range pools[:min(len(pools), 20)] {
		out.parts = append(out.parts, figure{widget.Bare(x.key), fmt.Sprintf("%d %% %s", x.used*100/x.total, widget.Bar(c.Theme, x.used, x.total, 10))})
	}
	return out
}

// worstFindings is the findings, the worst first; what follows from another is counted with that one.
func worstFindings(c Canvas, s *feed.Snapshot) section {
	all := problems(s, c.Now)
	out := section{title: "FINDINGS", empty: "none"}
	numbers := map[theme.Role]int{}
	for _, p := range all {
		numbers[p.Role]++
		out.parts = append(out.parts, figure{name: c.Theme.Paint(p.Role, widget.Bare(p.Why))})
	}
	var words []string
	for _, x := range []struct {
		role theme.Role
		word string
	}{{theme.Bad, "error"}, {theme.Warn, "warning"}, {theme.Held, "other finding"}} {
		if n := numbers[x.role]; n > 0 {
			words = append(words, count(n, x.word))
		}
	}
	out.about = strings.Join(words, ", ")
	if len(all) > 0 {
		out.about += "; 5 shows them"
	}
	return out
}
