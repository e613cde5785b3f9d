package page

import (
	"fmt"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Handover chooses the netmaster that is to lead, says what that means, and has it done when told to.
type Handover struct {
	grid grid
	to   string // under the cursor, as it was drawn last
}

// NewHandover makes the page.
func NewHandover() *Handover { return &Handover{} }

// Name is the crumb.
func (p *Handover) Name() string { return "hand over?" }

// Command does the same.
func (p *Handover) Command() string {
	if p.to == "" {
		return "netctl leader handover"
	}
	return "netctl leader handover --to " + p.to
}

// Keys choose and confirm.
func (p *Handover) Keys() []theme.Key { return theme.HandoverKeys() }

func (p *Handover) headers() []string { return []string{"Address", "Revision", "State"} }

// rows are the followers.
func (p *Handover) rows(c Canvas, s *feed.Snapshot) []widget.Row {
	var rows []widget.Row
	for _, n := range s.Nodes {
		if n.Role == model.RoleFollower {
			state, role := nodeState(c.Theme, n)
			rows = append(rows, widget.Row{ID: n.Address, Role: role, Cells: []string{n.Address, said(&n, number(n.Revision)), state}})
		}
	}
	return p.grid.arrange(c, rows)
}

// Key chooses; Y hands over to the follower under the cursor.
func (p *Handover) Key(key string, c Canvas, s *feed.Snapshot) Action {
	rows := p.rows(c, s)
	r, ok := p.grid.Selected(rows)
	switch {
	case key == "Y" && ok:
		return Action{HandOver: &HandOver{To: r.ID}}
	case key == "Y":
		return Action{Notice: "there is no other netmaster to hand over to"}
	}
	p.grid.key(key, c, p.headers(), rows)
	return Action{}
}

// View draws the followers and what happens.
func (p *Handover) View(c Canvas, s *feed.Snapshot) []string {
	t := c.Theme
	leader := "nobody"
	for _, n := range s.Nodes {
		if n.Role == model.RoleLeader {
			leader = n.Address
		}
	}
	rows := p.rows(c, s)
	out := []string{t.Paint(theme.Title, "Hand leadership over"), "", fmt.Sprintf("%s leads now. Who is to lead?", leader), ""}
	out = append(out, p.grid.view(c, p.headers(), rows, min(len(rows)+1, max(2, c.Height-12)), nothing(s, s.Nodes != nil, "there is no other netmaster"))...)
	if r, ok := p.grid.Selected(rows); ok {
		p.to = r.ID
	}
	return append(out, "", "The leader finishes what it writes and gives the lock back; the others leave",
		"it to the one under the cursor. Changes that come meanwhile wait for the new",
		"leader, as a rule less than a second; packets and reads go on. A netmaster that",
		"does not know everything yet is refused, and nothing is changed. The history",
		"tells who asked.", "",
		t.Paint(theme.Title, "Y hands over, esc leaves everything as it is."))
}
