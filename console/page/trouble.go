package page

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Trouble is what is wrong with one host: what its agent says of itself, and what its switch does not hold as it should.
type Trouble struct {
	host string
	grid grid
}

// NewTrouble makes the page of a host.
func NewTrouble(host string) *Trouble { return &Trouble{host: host} }

// Name is the crumb.
func (p *Trouble) Name() string { return "trouble of " + p.host }

// Command prints the same.
func (p *Trouble) Command() string { return "netctl drift " + p.host }

// Keys are those of rows.
func (p *Trouble) Keys() []theme.Key {
	return append(theme.MoveKeys(), theme.Key{Keys: "f", Does: "the flows of the host"})
}

func (p *Trouble) question() feed.Question { return feed.Question{Topic: feed.Drift, Host: p.host} }

// Questions are what differs on the host.
func (p *Trouble) Questions(*feed.Snapshot) []feed.Question { return []feed.Question{p.question()} }

func (p *Trouble) headers() []string { return []string{"When", "Sort", "Owner", "What"} }

// rows are what differs now, and below it what did.
func (p *Trouble) rows(c Canvas, d *model.Drift) []widget.Row {
	var rows []widget.Row
	add := func(when string, role theme.Role, list []model.Difference) {
		for i, x := range list {
			rows = append(rows, widget.Row{ID: when + strconv.Itoa(i) + x.Owner, Role: role, Cells: []string{cmp.Or(when, since(x.At, c.Now)+" ago"), x.Sort,
				cmp.Or(x.Owner, "none"), x.Text()}})
		}
	}
	add("now", theme.Bad, d.Now)
	found := slices.Clone(d.Found)
	slices.Reverse(found)
	add("", theme.Dim, found)
	return p.grid.arrange(c, rows)
}

// Key moves; enter shows a difference whole, f the host's flows.
func (p *Trouble) Key(key string, c Canvas, s *feed.Snapshot) Action {
	d, _, _ := feed.Of[model.Drift](s, p.question())
	rows := p.rows(c, &d)
	r, ok := p.grid.Selected(rows)
	switch {
	case key == "f":
		return Action{Go: NewPipeline(p.host)}
	case key == "enter" && ok:
		return Action{Go: NewText(r.Cells[2], p.Command(), r.Cells[1]+" of "+r.Cells[2]+", "+r.Cells[0]+"\n\n"+r.Cells[3])}
	}
	p.grid.key(key, c, p.headers(), rows)
	return Action{}
}

// View draws what the agent says, and what differs.
func (p *Trouble) View(c Canvas, s *feed.Snapshot) []string {
	t := c.Theme
	var out []string
	at := slices.IndexFunc(s.Nodes, func(n model.Node) bool { return n.Role == model.RoleAgent && n.Name == p.host })
	if at < 0 {
		out = append(out, t.Paint(theme.Dim, nothing(s, s.Nodes != nil, "no host "+p.host+" is registered or carries endpoints")))
	} else {
		n := &s.Nodes[at]
		state, role := nodeState(t, *n)
		out = append(out, t.Paint(role, state))
		for i, f := range hostFacts(t, n) {
			if hostHeaders()[i] != "State" && hostHeaders()[i] != "Host" {
				out = append(out, "  "+widget.Fit(t, hostHeaders()[i], 11)+f)
			}
		}
		for _, u := range n.Uplinks {
			out = append(out, "  "+widget.Fit(t, "uplink", 11)+widget.Bare(u.String()))
		}
		if n.Reason != "" {
			out = append(out, widget.Wrap("  "+n.Reason, c.Width, 2)...)
		}
	}
	d, a, ok := feed.Of[model.Drift](s, p.question())
	out = append(out, "", t.Paint(theme.Title, "WHAT DIFFERS on its switch, now and before"))
	if line := waiting(c, a, p.host); line != "" {
		out = append(out, line)
	}
	if !ok {
		return out
	}
	return append(out, p.grid.view(c, p.headers(), p.rows(c, &d), max(2, c.Height-len(out)), "nothing differs, and nothing did since its agent began")...)
}
