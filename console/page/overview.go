// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
	"github.com/contiv/contiv/netctl/term"
)

func overviewEntry() Entry {
	return Entry{Name: "overview", Short: "over", Aliases: []string{"over", "nodes", "node", "hosts", "host"}, About: "masters and hosts, load, usage and recent events",
		Make: Overview, Open: func(path []string, view string) *Page {
			switch {
			case len(path) != 1:
				return nil
			case view == "drift":
				return Host(path[0])
			case view != "":
				return nil
			}
			return Node(path[0])
		}, Offer: func(s *feed.Snapshot, _ string, add func(string)) {
			for _, n := range agents(s) {
				add("/" + n.Name)
				add("/" + n.Name + ":drift")
			}
		}}
}

// overview is the body of the leader, the state of each host, and the last events.
type overview struct{ list[*model.Node] }

// Overview makes the first page.
func Overview() *Page {
	b := &overview{list[*model.Node]{
		headers: func(c Canvas) []string { return model.ViewHosts().Headers(roomy(c)) },
		empty:   noNodes("no agents registered"),
		items:   agents,
		id:      nodeName,
		row: func(c Canvas, s *feed.Snapshot, n *model.Node) widget.Row {
			state, role := stateOf(c, s, n)
			return widget.Row{Role: role, Cells: term.ViewRow(model.ViewHosts(), roomy(c), n, map[string]string{"State": state, "Up": since(n.Since, c.Now)})}
		},
	}}
	return &Page{Name: "overview", Command: "netctl node ls", Asks: overviewQuestions, Body: b, Keys: []Key{
		b.on("enter", "open the page of the host", func(n *model.Node) Action { return open(Node(n.Name)) }).hint("enter", "open"),
		b.on("m", "list the endpoints on the host", func(n *model.Node) Action { return open(endpointsOf(n.Name)) }).hint("m", "endpoints"),
		b.on("f", "show the flows of the host", func(n *model.Node) Action { return open(FlowTables(n.Name)) }).hint("f", "flows"),
		b.on("t", "show problems of the host", func(n *model.Node) Action { return open(Host(n.Name)) }).hint("t", "problems"),
	}}
}

// roomy reports whether there is room for the wide columns of hosts: their lag says more than their revisions.
func roomy(c Canvas) bool { return hostsWidth(c) >= 100 }

// hostsWidth is the width of the table of hosts.
func hostsWidth(c Canvas) int {
	if c.Width < besideFrom {
		return c.Width
	}
	return min(c.Width*11/20, besideFrom-1)
}

// How wide and high the overview is where its sections are beside the hosts, and where they are lines below them.
const (
	besideFrom = 160
	roomFrom   = 24 // lines of the page from which nothing is left out
)

// View draws masters, hosts, how busy the cluster is, what is refused, the fullest networks, the findings and the newest events.
func (b *overview) View(c Canvas, s *feed.Snapshot) []string {
	if s.Past() {
		b.show(c, s) // no hosts
		return b.past(c, s)
	}
	if c.Width >= besideFrom {
		return b.wide(c, s)
	}
	t := c.Theme
	out := b.masters(c, s)
	b.show(c, s)
	low := []section{busy(c, s.Rates), busiest(c, s), refusedLately(c, s), fullest(c, s)}
	gaps, objects := 2, 1
	if c.Height >= roomFrom {
		low = append(low, worstFindings(c, s))
	} else { // the second line of the screen has the worst finding
		gaps, objects = 0, 0
	}
	hosts, events := b.table.Len(), lastEvents(c, s, c.Height)
	rest := c.Height - len(out) - len(low) - gaps - objects - 3 // for the hosts, their header, and events
	height := max(2, min(hosts+1, rest-max(1, min(len(events), rest/3))))
	title := t.Paint(theme.Title, "HOSTS")
	if height <= hosts {
		title += t.Paint(theme.Dim, fmt.Sprintf("    %d of %d in view; S sorts by state", height-1, hosts))
	}
	if c.Height >= roomFrom || len(out)+len(low)+hosts+5 < c.Height {
		out = append(out, "")
	}
	out = b.draw(c, s, append(out, title), height)
	if gaps > 0 {
		out = append(out, "")
	}
	for i := range low {
		out = append(out, low[i].inLine(c))
	}
	if objects > 0 {
		out = append(out, widget.Parts(t, t.Paint(theme.Title, "OBJECTS  "), "  ", counts(s), c.Width), "")
	}
	return b.events(c, append(out, t.Paint(theme.Title, "LAST EVENTS")), events)
}

// wide draws masters, hosts and events at the left, and the other sections at the right.
func (b *overview) wide(c Canvas, s *feed.Snapshot) []string {
	left, right := c, c
	left.Width = hostsWidth(c)
	right.Width = c.Width - left.Width - 3
	t := c.Theme
	out := b.masters(left, s)
	b.show(left, s)
	hosts, events := b.table.Len(), lastEvents(left, s, c.Height)
	rest := c.Height - len(out) - 4
	height := max(2, min(hosts+1, rest-max(1, min(len(events), rest/3))))
	title := t.Paint(theme.Title, "HOSTS")
	if height <= hosts {
		title += t.Paint(theme.Dim, fmt.Sprintf("    %d of %d in view; S sorts by state", height-1, hosts))
	}
	out = b.draw(left, s, append(out, "", title), height)
	out = b.events(left, append(out, "", t.Paint(theme.Title, "LAST EVENTS")), events)
	sections := []section{worstFindings(right, s), busy(right, s.Rates), busiest(right, s), refusedLately(right, s), fullest(right, s)}
	lines := max(3, (c.Height-len(sections)-1)/len(sections))
	var beside []string
	for i := range sections {
		beside = append(append(beside, sections[i].inBlock(right, lines)...), "")
	}
	beside = append(beside, widget.Parts(t, t.Paint(theme.Title, "OBJECTS  "), "  ", counts(s), right.Width))
	return widget.Beside(t, out, beside, left.Width, c.Height)
}

// masters draws the masters and the store.
func (b *overview) masters(c Canvas, s *feed.Snapshot) []string {
	t := c.Theme
	out := []string{t.Paint(theme.Title, "MASTERS")}
	for _, n := range masters(s) {
		state, role := stateOf(c, s, n)
		out = append(out, t.Paint(role, "  "+widget.Fit(t, n.Name, 18)+widget.Fit(t, string(s.RoleOf(n)), 10)+widget.Fit(t, "since "+since(n.Since, c.Now), 12)+
			widget.Fit(t, progress(n), 18)+state))
	}
	return append(out, store(c, s)...)
}

// past draws what is known of an earlier moment: the fullest networks, objects, open findings and the last events before it.
func (b *overview) past(c Canvas, s *feed.Snapshot) []string {
	t, full := c.Theme, fullest(c, s)
	out := []string{t.Paint(theme.Title, "HOSTS    ") + t.Paint(theme.Dim, "hosts, leaders and rates of an earlier moment are not recorded"), "", full.inLine(c),
		widget.Parts(t, t.Paint(theme.Title, "OBJECTS  "), "  ", counts(s), c.Width), "", t.Paint(theme.Title, "FINDINGS THAT WERE OPEN")}
	h, a, ok := feed.Of[model.Health](s, HealthQuestion())
	switch {
	case !ok:
		out = append(out, "  "+answerState(c, a, "netmaster"))
	case len(h.Findings) == 0:
		out = append(out, t.Paint(theme.Dim, "  none"))
	}
	const most = 5
	for i := range min(most, len(h.Findings)) {
		f := &h.Findings[i]
		_, role := wordOf(f)
		out = append(out, t.Paint(role, "  "+widget.Fit(t, string(f.Severity), 9)+subjectOf(f)+": "+f.Evidence))
	}
	if n := len(h.Findings) - most; n > 0 {
		out = append(out, t.Paint(theme.Dim, fmt.Sprintf("  and %d more", n)))
	}
	return b.events(c, append(out, "", t.Paint(theme.Title, "LAST EVENTS BEFORE")), lastEvents(c, s, c.Height))
}

// events adds the events that fit.
func (b *overview) events(c Canvas, out, events []string) []string {
	if len(events) == 0 {
		text := "none known"
		if c.Filter != nil {
			text = "nothing matches the filter"
		}
		events = []string{c.Theme.Paint(theme.Dim, "  "+text)}
	}
	out = append(out, events[max(0, len(events)-max(0, c.Height-len(out))):]...)
	return out[:min(len(out), c.Height)]
}

// leaderQuestion is the question for the line about the store.
func leaderQuestion() feed.Question { return feed.Question{Topic: feed.Leader} }

// store describes the leader's lease, and how fast the members of the store answer.
func store(c Canvas, s *feed.Snapshot) []string {
	t := c.Theme
	l, a, ok := feed.Of[model.Leadership](s, leaderQuestion())
	if !ok {
		if a.Err == "" {
			return nil // the request follows
		}
		return []string{t.Paint(theme.Bad, t.Glyphs.Cross+" the store: "+a.Err)}
	}
	name, _, _ := strings.Cut(l.Store.Name, " http")
	role, line := theme.Plain, fmt.Sprintf("%s, read in %.0f ms", name, l.Store.ReadMillis)
	if n := len(l.Store.Members); n > 0 {
		well := 0
		for _, m := range l.Store.Members {
			if m.Error == "" {
				well++
			}
		}
		if line += fmt.Sprintf(", %d of %d members", well, n); well < n {
			role = theme.Bad
		}
	}
	lease := ", no leader"
	if lead := s.Lead(); lead.Address != "" {
		lease = fmt.Sprintf(", term %d", max(l.Term, lead.Term))
	} else {
		role = theme.Bad
	}
	for _, x := range l.Leases {
		if x.Key == l.Key {
			lease += fmt.Sprintf(", lease %.0f of %.0f s", x.Left, x.Seconds)
		}
	}
	return []string{t.Paint(theme.Title, "STORE    ") + t.Paint(role, line+lease)}
}

// progress is how far a master is: the leader by its last fenced write, a follower by what it has read.
func progress(n *model.Node) string {
	switch {
	case !n.Answered():
		return "at revision ?"
	case n.Role != model.RoleLeader:
		return "at revision " + number(n.Revision)
	case n.Wrote == 0:
		return "no write yet"
	}
	return "wrote " + number(n.Wrote)
}

func counts(s *feed.Snapshot) []string {
	if !s.Synced {
		return []string{nothing(s, false, "")}
	}
	var parts []string
	for _, k := range model.Kinds() {
		if n := amount(s, k); n > 0 && !k.Command.Single {
			parts = append(parts, k.Count(n))
		}
	}
	return parts
}

func nodeState(t *theme.Theme, n *model.Node) (string, theme.Role) {
	switch {
	case n.Errors > 0, !n.Ready:
		return t.Glyphs.Cross + " " + n.Reason, theme.Bad
	case n.Lag > 0:
		return t.Glyphs.Half + " lagging", theme.Warn
	case n.Missing > 0:
		return t.Glyphs.Half + " " + strconv.Itoa(n.Missing) + " missing", theme.Warn
	case n.Differs > 0:
		return t.Glyphs.Half + " " + strconv.Itoa(n.Differs) + " differ", theme.Warn
	case uplinkProblem(n) != "":
		return t.Glyphs.Half + " " + uplinkProblem(n), theme.Warn
	case n.Kubernetes.Problem() != "":
		return t.Glyphs.Half + " " + n.Kubernetes.Problem(), theme.Warn
	case n.Docker != nil && n.Docker.Problem() != "":
		return t.Glyphs.Half + " " + n.Docker.Problem(), theme.Warn
	case n.Role == model.RoleAgent:
		return t.Glyphs.Dot + " programmed", theme.Good
	}
	return t.Glyphs.Dot + " ready", theme.Good
}

// stateOf is nodeState for display: the last known state if no netmaster answers.
func stateOf(c Canvas, s *feed.Snapshot, n *model.Node) (string, theme.Role) {
	state, role := nodeState(c.Theme, n)
	if !Lost(s, c.Now) {
		return state, role
	}
	if _, text, ok := strings.Cut(state, " "); ok && role != theme.Bad {
		state = c.Theme.Glyphs.Half + " was " + text
	}
	return state, theme.Dim
}

// uplinkProblem names the first uplink of an agent that cannot be used, "" when all can.
func uplinkProblem(n *model.Node) string {
	for _, u := range n.Uplinks {
		if u.Problem() != "" {
			return "uplink " + widget.Bare(u.String())
		}
	}
	return ""
}
