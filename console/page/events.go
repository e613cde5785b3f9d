// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

func eventsEntry() Entry {
	return Entry{Name: "events", Short: "events", Aliases: []string{"event", "ev"}, About: "changes of objects and nodes", Make: Events}
}

// events is the body of the changes of objects and the findings, as in netctl events, and of the nodes' changes, oldest first.
type events struct {
	list[*feed.Event]
	held bool // the user reads: the newest does not move the cursor
}

// Events makes the page.
func Events() *Page {
	b := &events{list: list[*feed.Event]{
		headers: columns("Time", "Revision", "Type", "What"),
		empty:   func(*feed.Snapshot) string { return "no known events" },
		items: func(s *feed.Snapshot) (out []*feed.Event) {
			for i := range s.Events {
				out = append(out, &s.Events[i])
			}
			return out
		},
		id:  func(e *feed.Event) string { return fmt.Sprint(e.At.UnixNano(), e.Revision, e.Type, e.Kind, e.Key) },
		row: func(c Canvas, _ *feed.Snapshot, e *feed.Event) widget.Row { return eventRow(c, e) },
	}}
	b.follow = func() bool { return !b.held }
	return &Page{Name: "events", Command: "netctl events", Body: b, Keys: []Key{
		on("f", "follow new events, or stop", func(string, Canvas, *feed.Snapshot) Action { b.held = !b.held; return Action{} }).hint("f", "follow"),
		b.with("enter d", "show the object or the node", eventObject).hint("enter", "object"),
		b.with("H", "show the object's history", eventHistory).hint("H", "history"),
	}}
}

// Key moves, which ends following.
func (b *events) Key(msg tea.KeyPressMsg, c Canvas, s *feed.Snapshot) Action {
	b.show(c, s)
	b.held = b.table.Key(msg, b.headers(c), max(1, c.Height-1), c.Now) || b.held
	return Action{}
}

func (b *events) click(x, y int, c Canvas, s *feed.Snapshot) Action {
	b.held = true
	return b.list.click(x, y, c, s)
}

// eventObject shows what an event is about.
func eventObject(e *feed.Event, s *feed.Snapshot) Action {
	k, ok := model.KindOf(e.Kind)
	switch {
	case e.Kind == feed.NodeKind && slices.ContainsFunc(agents(s), func(n *model.Node) bool { return n.Name == e.Key }):
		return open(Node(e.Key))
	case e.Kind == feed.NodeKind:
		return open(Leader())
	case e.Kind == feed.FindingKind:
		return open(Findings())
	case !ok:
		return Action{Notice: "a " + e.Kind + " is not an object that can be shown; see netctl history"}
	case find(s, k, e.Key) == nil && (k != model.KindEndpoint() || findEndpoint(s, e.Key) == nil):
		return Action{Notice: "it no longer exists; H shows its history"}
	}
	return objectPage(k, e.Key)
}

func eventHistory(e *feed.Event, s *feed.Snapshot) Action {
	if k, ok := model.KindOf(e.Kind); ok {
		return open(History(k, e.Key))
	}
	return eventObject(e, s)
}

func eventRow(c Canvas, e *feed.Event) widget.Row {
	at, what, revision := e.At.Format(time.TimeOnly), e.Kind+" "+e.Key, ""
	if e.At.Format(time.DateOnly) != c.Now.Format(time.DateOnly) {
		at = e.At.Format("01-02 15:04:05")
	}
	if e.Text != "" {
		what += " " + e.Text
	}
	if e.Change != "" {
		what += "  " + e.Change
	}
	if e.By != "" {
		what += "  by " + e.By
	}
	if e.Revision > 0 {
		revision = number(e.Revision)
	}
	role := map[model.EventType]theme.Role{model.EventDelete: theme.Warn, feed.Warned: theme.Bad, feed.NodeEvents: theme.Good, "found": roleOf(e.Severity), "ended": theme.Good}[e.Type]
	return widget.Row{Role: role, Cells: []string{at, revision, string(e.Type), what}}
}

// lastEvents draws as many of the last events as there is room for, of those that the filter keeps.
func lastEvents(c Canvas, s *feed.Snapshot, room int) (out []string) {
	for i := len(s.Events) - 1; i >= 0 && len(out) < room; i-- {
		if r := eventRow(c, &s.Events[i]); c.Filter.Keeps(r.Cells...) {
			t, cells := c.Theme, r.Cells
			out = append(out, t.Paint(r.Role, "  "+widget.Fit(t, cells[0], 14)+"  "+widget.Fit(t, cells[1], 8)+"  "+widget.Fit(t, cells[2], 6)+"  "+cells[3]))
		}
	}
	slices.Reverse(out)
	return out
}
