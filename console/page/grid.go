package page

import (
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// grid is a table on a canvas.
type grid struct{ widget.Table }

func (g *grid) arrange(c Canvas, rows []widget.Row) []widget.Row {
	return g.Arrange(rows, c.Filter, c.Now)
}

func (g *grid) key(key string, c Canvas, headers []string, rows []widget.Row) bool {
	return g.Key(key, headers, rows, max(1, c.Height-1), c.Now)
}

// keyOf is key of rows that may be a long list.
func (g *grid) keyOf(key string, c Canvas, headers []string, rows widget.Rows) bool {
	if made, all := rows.(widget.List); all {
		return g.key(key, c, headers, made)
	}
	return g.KeyOf(key, headers, rows, max(1, c.Height-1), c.Now)
}

// view draws the rows into height lines; without rows it says why.
func (g *grid) view(c Canvas, headers []string, rows []widget.Row, height int, empty string) []string {
	return g.viewOf(c, headers, widget.List(rows), height, empty)
}

// viewOf is view of rows that may be a long list.
func (g *grid) viewOf(c Canvas, headers []string, rows widget.Rows, height int, empty string) []string {
	out := g.ViewOf(c.Theme, headers, rows, c.Width, height, c.Now)
	if rows.Len() == 0 {
		if c.Filter != nil {
			empty = "none that the filter " + c.Filter.Text + " keeps"
		}
		out = append(out, c.Theme.Paint(theme.Dim, "  "+empty))
	}
	return out
}

// waiting is the line about an answer: "" when there is one without fault.
func waiting(c Canvas, a feed.Answer, who string) string {
	switch {
	case a.Err != "" && a.Value == nil:
		return c.Theme.Paint(theme.Bad, c.Theme.Glyphs.Cross+" "+who+": "+a.Err)
	case a.Err != "":
		return c.Theme.Paint(theme.Bad, c.Theme.Glyphs.Cross+" "+who+", shown as it was "+Age(c.Now.Sub(a.At))+" ago: "+a.Err)
	case a.Value == nil:
		return c.Theme.Paint(theme.Held, c.Theme.Glyphs.Half+" "+who+" has been asked")
	case c.Now.Sub(a.At) > staleAfter:
		return c.Theme.Paint(theme.Warn, c.Theme.Glyphs.Half+" "+who+" answered "+Age(c.Now.Sub(a.At))+" ago")
	}
	return ""
}

// agents are the hosts that are registered or carry endpoints.
func agents(s *feed.Snapshot) []string {
	var out []string
	for _, n := range s.Nodes {
		if n.Role == "agent" {
			out = append(out, n.Name)
		}
	}
	return out
}
