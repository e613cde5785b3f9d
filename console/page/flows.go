package page

import (
	"strconv"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Flows is the hosts whose switches can be looked into.
type Flows struct{ grid grid }

// NewFlows makes the page.
func NewFlows() *Flows { return &Flows{} }

// Name is the crumb.
func (p *Flows) Name() string { return "flows" }

// Command lists the hosts.
func (p *Flows) Command() string { return "netctl node ls" }

// Keys are those of a table.
func (p *Flows) Keys() []theme.Key { return theme.MoveKeys() }

func (p *Flows) headers() []string {
	return []string{"Host", "State", "Flows", "Endpoints", "Refused", "Changes sent", "Revision"}
}

func (p *Flows) rows(c Canvas, s *feed.Snapshot) []widget.Row {
	var rows []widget.Row
	for _, n := range s.Nodes {
		if n.Role != model.RoleAgent {
			continue
		}
		state, role := nodeState(c.Theme, n)
		rows = append(rows, widget.Row{ID: n.Name, Role: role, Cells: []string{n.Name, state, said(&n, strconv.Itoa(n.Flows)), portsOf(&n),
			said(&n, strconv.Itoa(n.Errors)), said(&n, number(n.FlowMods)), said(&n, number(n.Revision))}})
	}
	return p.grid.arrange(c, rows)
}

// Key moves; enter goes into the switch of a host.
func (p *Flows) Key(key string, c Canvas, s *feed.Snapshot) Action {
	rows := p.rows(c, s)
	if r, ok := p.grid.Selected(rows); ok && key == "enter" {
		return Action{Go: NewPipeline(r.ID)}
	}
	p.grid.key(key, c, p.headers(), rows)
	return Action{}
}

// View draws the hosts.
func (p *Flows) View(c Canvas, s *feed.Snapshot) []string {
	return p.grid.view(c, p.headers(), p.rows(c, s), c.Height, nothing(s, s.Nodes != nil, "no agent is registered"))
}
