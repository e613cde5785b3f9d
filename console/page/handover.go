// SPDX-License-Identifier: Apache-2.0

package page

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
	"github.com/contiv/contiv/netctl/term"
)

// handover is the body of a page that chooses the netmaster which is to lead.
type handover struct {
	list[*model.Node]
	page *Page
}

// Handover makes a page that chooses the new leader, describes the consequences, and hands over after a confirmation.
func Handover() *Page {
	b := &handover{}
	b.list = list[*model.Node]{
		headers: columns(model.ViewSuccessors().Headers(true)...),
		empty:   noNodes("no other netmaster"),
		items:   followers,
		id:      func(n *model.Node) string { return n.Address },
		row: func(c Canvas, s *feed.Snapshot, n *model.Node) widget.Row {
			state, role := stateOf(c, s, n)
			return widget.Row{Role: role, Cells: term.ViewRow(model.ViewSuccessors(), true, n, map[string]string{"State": state})}
		},
	}
	b.page = &Page{Name: "hand over?", Command: "netctl leader handover", Body: b, Keys: []Key{
		on("Y", "transfer leadership to the selected netmaster", func(_ string, c Canvas, s *feed.Snapshot) Action {
			b.show(c, s)
			if n, ok := b.table.Selected(); ok {
				return Action{HandOver: &HandOver{To: n.Address}}
			}
			return Action{Notice: "no other netmaster to hand over to"}
		}).hint("Y", "transfer"),
		documented("esc", "cancel").hint("esc", "cancel"),
	}}
	return b.page
}

func followers(s *feed.Snapshot) (out []*model.Node) {
	for _, n := range masters(s) {
		if s.RoleOf(n) == model.RoleFollower {
			out = append(out, n)
		}
	}
	return out
}

// Keys move.
func (*handover) Keys() []Key { return moveKeys() }

// View draws the followers and what happens.
func (b *handover) View(c Canvas, s *feed.Snapshot) []string {
	t, leader := c.Theme, "no netmaster"
	if lead := s.Lead(); lead.Address != "" {
		leader = lead.Address
	}
	out := []string{t.Paint(theme.Title, "Transfer leadership"), "", leader + " is the leader. Select the new leader.", ""}
	out = b.draw(c, s, out, min(len(followers(s))+1, max(2, c.Height-12)))
	if n, ok := b.table.Selected(); ok {
		b.page.Command = "netctl leader handover --to " + n.Address
	}
	return append(out, "", "The leader finishes pending writes and releases the lock to the selected",
		"netmaster. Changes that arrive meanwhile wait for the new leader, usually less",
		"than a second; packets and reads are not affected. A netmaster that is not up",
		"to date is refused, and nothing changes. The history",
		"shows who requested it.", "",
		t.Paint(theme.Title, "Y transfer, esc cancel"))
}
