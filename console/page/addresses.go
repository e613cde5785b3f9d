package page

import (
	"fmt"
	"strconv"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Addresses is how full each network is.
type Addresses struct{ table widget.Table }

// NewAddresses makes the page.
func NewAddresses() *Addresses { return &Addresses{} }

// Name is the crumb.
func (p *Addresses) Name() string { return "addresses" }

// Command lists the networks.
func (p *Addresses) Command() string { return "netctl network ls --all" }

// Keys are movement and the bitmap.
func (p *Addresses) Keys() []theme.Key { return append(theme.AddressKeys(), theme.TableKeys()...) }

func addressHeaders() []string { return []string{"Network", "Subnet", "Used", "Free", "Filled"} }

func (p *Addresses) rows(c Canvas, s *feed.Snapshot) []widget.Row {
	var rows []widget.Row
	for _, o := range s.Objects["network"] {
		n, ok := o.(*model.Network)
		if !ok {
			continue
		}
		used, free, filled := "-", "-", "not asked yet"
		role := theme.Dim
		if pool, ok := s.Pools[n.ObjectKey()]; ok {
			left := widget.CountRanges(pool.Available)
			used, free, role = strconv.Itoa(pool.Count), strconv.Itoa(left), theme.Plain
			total := pool.Count + left
			plain := theme.Theme{Glyphs: c.Theme.Glyphs}
			filled = fmt.Sprintf("%s %3d %%", widget.Bar(&plain, pool.Count, total, max(10, c.Width-62)), pool.Count*100/max(total, 1))
			switch {
			case left == 0:
				role = theme.Bad
			case pool.Count*100 >= total*80:
				role = theme.Warn
			}
		}
		rows = append(rows, widget.Row{ID: n.ObjectKey(), Role: role, Cells: []string{n.ObjectKey(), n.Subnet, used, free, filled}})
	}
	return p.table.Arrange(rows, c.Filter)
}

// Key moves; enter opens the map of the network.
func (p *Addresses) Key(key string, c Canvas, s *feed.Snapshot) Action {
	rows := p.rows(c, s)
	r, ok := p.table.Selected(rows)
	switch {
	case key == "enter" && ok:
		return Action{Go: NewBitmap(r.ID)}
	case key == "d" && ok:
		return Action{Describe: &Describe{model.KindNetwork(), r.ID}}
	}
	p.table.Key(key, addressHeaders(), rows, c.Height-1)
	return Action{}
}

// View draws the bars.
func (p *Addresses) View(c Canvas, s *feed.Snapshot) []string {
	rows := p.rows(c, s)
	out := p.table.View(c.Theme, addressHeaders(), rows, c.Width, c.Height)
	if len(rows) == 0 {
		out = append(out, c.Theme.Paint(theme.Dim, "  no networks"))
	}
	return out
}
