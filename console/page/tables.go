package page

import (
	"strconv"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Tables is the kinds of objects, with how many there are.
type Tables struct{ grid grid }

// NewTables makes the page.
func NewTables() *Tables { return &Tables{} }

// Name is the crumb.
func (p *Tables) Name() string { return "tables" }

// Command explains the kinds.
func (p *Tables) Command() string { return "netctl explain" }

// Keys move.
func (p *Tables) Keys() []theme.Key { return theme.MoveKeys() }

func (p *Tables) headers() []string { return []string{"Kind", "Objects", "What it is", "Command"} }

func (p *Tables) rows(c Canvas, s *feed.Snapshot) []widget.Row {
	var rows []widget.Row
	for _, k := range model.Kinds() {
		if k.Command.Use == "" {
			continue
		}
		n := len(s.Objects[k.Name])
		if k == model.KindEndpoint() {
			n = len(s.Endpoints)
		}
		role := theme.Plain
		if n == 0 {
			role = theme.Dim
		}
		about, _, _ := strings.Cut(k.Doc, ". ")
		rows = append(rows, widget.Row{ID: k.Many, Role: role, Cells: []string{k.Many, strconv.Itoa(n), about, k.Listing()}})
	}
	return p.grid.arrange(c, rows)
}

// Key moves; enter opens the table of a kind.
func (p *Tables) Key(key string, c Canvas, s *feed.Snapshot) Action {
	rows := p.rows(c, s)
	if r, ok := p.grid.Selected(rows); ok && key == "enter" {
		if k, ok := model.KindOf(r.ID); ok {
			return Action{Go: NewTable(k)}
		}
	}
	p.grid.key(key, c, p.headers(), rows)
	return Action{}
}

// View draws the kinds.
func (p *Tables) View(c Canvas, s *feed.Snapshot) []string {
	return p.grid.view(c, p.headers(), p.rows(c, s), c.Height, "none")
}
