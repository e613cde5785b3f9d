package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Overview is the first page: who leads, how each host does, what happened last.
type Overview struct {
	hosts  grid
	agents []*model.Node // of the snapshot from
	from   *feed.Snapshot
	made   []widget.Row // of all agents, as it looked at the second at
	at     int64
	free   counted
}

// NewOverview makes the page.
func NewOverview() *Overview { return &Overview{} }

// Name is the crumb.
func (p *Overview) Name() string { return "overview" }

// Command prints the nodes.
func (p *Overview) Command() string { return "netctl node ls" }

// Keys are those of a table.
func (p *Overview) Keys() []theme.Key {
	return append(theme.MoveKeys(), theme.Key{Keys: "f", Does: "the flows of the host"})
}

func hostHeaders() []string {
	return []string{"Host", "State", "Revision", "Lag", "Endpoints", "Flows", "Errors", "VTEP", "Up"}
}

// Key moves among the hosts; enter lists the endpoints of one, f looks into its switch.
func (p *Overview) Key(key string, c Canvas, s *feed.Snapshot) Action {
	rows := p.rows(c, s)
	r, ok := p.hosts.SelectedOf(rows)
	switch {
	case key == "enter" && ok:
		t := NewTable(model.KindEndpoint())
		t.scope, t.where = r.ID, func(field func(string) any) bool { return field("homingHost") == r.ID }
		t.command = "netctl endpoint ls --host " + r.ID
		return Action{Go: t}
	case key == "f" && ok:
		return Action{Go: NewPipeline(r.ID)}
	}
	p.hosts.keyOf(key, c, hostHeaders(), rows)
	return Action{}
}

// rows are the hosts'. Only those on the screen are made, unless a filter or the order needs all.
func (p *Overview) rows(c Canvas, s *feed.Snapshot) widget.Rows {
	if p.from != s {
		p.agents, p.made, p.from = p.agents[:0], nil, s
		for i := range s.Nodes {
			if s.Nodes[i].Role == model.RoleAgent {
				p.agents = append(p.agents, &s.Nodes[i])
			}
		}
	}
	lazy := hostRows{c, p.agents}
	if column, _, _ := p.hosts.Order(c.Now); column == 0 && c.Filter == nil {
		return lazy
	}
	if p.made == nil || p.at != c.Now.Unix() {
		p.made, p.at = make([]widget.Row, len(p.agents)), c.Now.Unix()
		for i := range p.made {
			p.made[i] = lazy.At(i)
		}
	}
	return widget.List(p.hosts.arrange(c, p.made))
}

// hostRows makes the rows of hosts.
type hostRows struct {
	canvas Canvas
	agents []*model.Node
}

// Len is the number of hosts.
func (h hostRows) Len() int { return len(h.agents) }

// At makes a host's row.
func (h hostRows) At(i int) widget.Row {
	n := h.agents[i]
	state, role := nodeState(h.canvas.Theme, *n)
	return widget.Row{ID: n.Name, Role: role, Cells: []string{n.Name, state, number(n.Revision), number(n.Lag),
		strconv.Itoa(n.Ports), strconv.Itoa(n.Flows), strconv.Itoa(n.Errors), n.VTEP, since(n.Since, h.canvas.Now)}}
}

// Find is the number of the host of that name; negative when there is none.
func (h hostRows) Find(id string) int {
	return slices.IndexFunc(h.agents, func(n *model.Node) bool { return n.Name == id })
}

// View draws masters, hosts, how busy the cluster is, the fullest networks and the newest events.
func (p *Overview) View(c Canvas, s *feed.Snapshot) []string {
	t := c.Theme
	out := []string{t.Paint(theme.Title, "MASTERS")}
	for _, n := range s.Nodes {
		if n.Role == model.RoleAgent {
			continue
		}
		state, role := nodeState(t, n)
		out = append(out, t.Paint(role, "  "+widget.Fit(t, n.Name, 18)+widget.Fit(t, string(n.Role), 10)+widget.Fit(t, "since "+since(n.Since, c.Now), 12)+
			widget.Fit(t, progress(n), 18)+state))
	}
	out = append(out, store(c, s)...)
	rows := p.rows(c, s)
	kept := keptEvents(s.Events, c.Filter)
	rest := c.Height - len(out) - 8 // for the hosts, their header, and events
	height := max(2, min(rows.Len()+1, rest-max(1, min(len(kept), rest/3))))
	title := t.Paint(theme.Title, "HOSTS")
	if height <= rows.Len() {
		title += t.Paint(theme.Dim, fmt.Sprintf("    %d of %d in view; S sorts by state", height-1, rows.Len()))
	}
	out = append(out, "", title)
	out = append(out, p.hosts.viewOf(c, hostHeaders(), rows, height, "no agent is registered")...)
	out = append(out, "", pulse(c, s.Pulse), p.fullest(c, s), widget.Parts(t, t.Paint(theme.Title, "OBJECTS  "), "  ", counts(s), c.Width), "", t.Paint(theme.Title, "LAST EVENTS"))
	room := max(0, c.Height-len(out))
	if len(kept) == 0 {
		kept, out = nil, append(out, t.Paint(theme.Dim, "  none that are known"))
	}
	for i := max(0, len(kept)-room); i < len(kept); i++ {
		out = append(out, eventLine(t, &kept[i]))
	}
	return out[:min(len(out), c.Height)]
}

// lead is what is asked for the line about the store.
func lead() feed.Question { return feed.Question{Topic: feed.Lead} }

// Questions are how long the leader's lease is, and how the store does.
func (p *Overview) Questions(*feed.Snapshot) []feed.Question { return []feed.Question{lead()} }

// store tells of the leader's lease, and how fast which members of the store answer.
func store(c Canvas, s *feed.Snapshot) []string {
	t := c.Theme
	l, a, ok := feed.Of[model.Leadership](s, lead())
	if !ok {
		if a.Err == "" {
			return nil // asked in a moment
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
	lease := ", nobody leads"
	if l.Holder != "" {
		lease = fmt.Sprintf(", term %d", l.Term)
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

// pulse draws how busy the cluster is, per second.
func pulse(c Canvas, p feed.Pulse) string {
	t, out := c.Theme, c.Theme.Paint(theme.Title, "BUSY     ")
	if len(p.Requests) == 0 {
		return out + t.Paint(theme.Dim, "not measured yet: rates need two looks")
	}
	width := min(30, max(4, (c.Width-68)/3)) // beside the names, the figures, and the spaces between
	for _, x := range []struct {
		name   string
		series []float64
	}{{"endpoints/s", p.Endpoints}, {"flow changes/s", p.FlowMods}, {"requests/s", p.Requests}} {
		out += x.name + " " + t.Paint(theme.Good, widget.Spark(t, x.series, width)) + " " + widget.Fit(t, widget.Humane(x.series[len(x.series)-1]), 6)
	}
	return out
}

// fullest tells of the two networks with the fewest addresses left, of those that have been asked.
func (p *Overview) fullest(c Canvas, s *feed.Snapshot) string {
	type pool struct {
		key         string
		used, total int
	}
	var top [2]pool
	fuller := func(a, b pool) bool {
		if b.total == 0 || a.used*b.total != b.used*a.total {
			return b.total == 0 || a.used*b.total > b.used*a.total
		}
		return a.key < b.key
	}
	for key, known := range s.Pools {
		switch x := (pool{key, known.Count, known.Count + p.free.of(known.Available)}); {
		case x.total == 0:
		case fuller(x, top[0]):
			top[0], top[1] = x, top[0]
		case fuller(x, top[1]):
			top[1] = x
		}
	}
	title, out := c.Theme.Paint(theme.Title, "FULLEST  "), []string(nil)
	if top[0].total == 0 {
		return title + c.Theme.Paint(theme.Dim, "no network has been asked yet")
	}
	for _, x := range top {
		if x.total > 0 {
			out = append(out, fmt.Sprintf("%s %s %d %%", x.key, widget.Bar(c.Theme, x.used, x.total, 10), x.used*100/x.total))
		}
	}
	return widget.Parts(c.Theme, title, "   ", out, c.Width)
}

// counted is how many addresses texts list, so that each is read once.
type counted map[string]int

func (m *counted) of(text string) int {
	n, known := (*m)[text]
	if !known {
		if n = widget.CountRanges(text); *m == nil || len(*m) > countedLimit {
			*m = counted{}
		}
		(*m)[text] = n
	}
	return n
}

// countedLimit is how many texts are remembered.
const countedLimit = 20000

// progress is how far a master is: the leader by its last fenced write, a follower by what it has read.
func progress(n model.Node) string {
	switch {
	case n.Role != model.RoleLeader:
		return "at revision " + number(n.Revision)
	case n.Wrote == 0:
		return "no write yet"
	}
	return "wrote " + number(n.Wrote)
}

func counts(s *feed.Snapshot) []string {
	parts := []string{strconv.Itoa(len(s.Endpoints)) + " endpoints"}
	for _, k := range model.Kinds() {
		if n := len(s.Objects[k.Name]); n > 0 && !k.InspectOnly && k != model.KindGlobal() {
			parts = append(parts, strconv.Itoa(n)+" "+k.Many)
		}
	}
	return parts
}

func nodeState(t *theme.Theme, n model.Node) (string, theme.Role) {
	switch {
	case n.Errors > 0:
		return t.Glyphs.Cross + " " + n.Reason, theme.Bad
	case !n.Ready:
		return t.Glyphs.Cross + " " + n.Reason, theme.Bad
	case n.Lag > 0:
		return t.Glyphs.Half + " lagging", theme.Warn
	case uplinkTrouble(&n) != "":
		return t.Glyphs.Half + " " + uplinkTrouble(&n), theme.Warn
	case n.Role == model.RoleAgent:
		return t.Glyphs.Dot + " programmed", theme.Good
	}
	return t.Glyphs.Dot + " ready", theme.Good
}

// uplinkTrouble names the first uplink of an agent that cannot be used, "" when all can.
func uplinkTrouble(n *model.Node) string {
	for _, u := range n.Uplinks {
		if u.Trouble() != "" {
			return "uplink " + widget.Bare(u.String())
		}
	}
	return ""
}

func number(n uint64) string { return strconv.FormatUint(n, 10) }
