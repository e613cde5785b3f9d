package page

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Leader is the masters: who leads, since when, what was written last.
type Leader struct{}

// NewLeader makes the page.
func NewLeader() *Leader { return &Leader{} }

// Name is the crumb.
func (p *Leader) Name() string { return "leader" }

// Command prints the nodes with their addresses.
func (p *Leader) Command() string { return "netctl node ls -o wide" }

// Keys are none.
func (p *Leader) Keys() []theme.Key { return nil }

// Key does nothing.
func (p *Leader) Key(string, Canvas, *feed.Snapshot) Action { return Action{} }

// View draws the masters, and says what the API does not tell.
func (p *Leader) View(c Canvas, s *feed.Snapshot) []string {
	t := c.Theme
	out := []string{t.Paint(theme.Title, widget.Fit(t, "MASTER", 22)+widget.Fit(t, "ROLE", 10)+widget.Fit(t, "SINCE", 32)+"LAST FENCED WRITE")}
	for _, n := range s.Nodes {
		if n.Role == model.RoleAgent {
			continue
		}
		wrote, since := "-", "process "+n.Since
		if n.Role == model.RoleLeader {
			wrote, since = progress(n), "leads   "+n.Since
		}
		_, role := nodeState(t, n)
		line := widget.Fit(t, n.Address, 22) + widget.Fit(t, string(n.Role), 10) + widget.Fit(t, since, 32) + wrote
		if n.Reason != "" {
			line += "  " + n.Reason
		}
		out = append(out, t.Paint(role, line))
	}
	return append(out, "",
		t.Paint(theme.Dim, "Lease time left    not available: netmaster does not tell it over the API"),
		t.Paint(theme.Dim, "Earlier terms      not available: netmaster does not tell them over the API"))
}
