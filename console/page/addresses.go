package page

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Addresses is how full each network is.
type Addresses struct {
	table grid
	made  []widget.Row // of the snapshot from, in a terminal as wide as width
	from  *feed.Snapshot
	width int
	bars  map[*model.Network]*bar
}

// bar is the row of a network as long as its addresses are as they were.
type bar struct {
	pool  feed.Pool
	known bool
	row   widget.Row
}

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
	if p.from == s && p.width == c.Width {
		return p.table.arrange(c, p.made)
	}
	rows, bars := make([]widget.Row, 0, len(p.made)), make(map[*model.Network]*bar, len(p.bars))
	for _, o := range s.Objects[model.KindNetwork().Name] {
		n, ok := o.(*model.Network)
		if !ok {
			continue
		}
		pool, known := s.Pools[n.ObjectKey()]
		was := p.bars[n]
		if was == nil || p.width != c.Width || was.known != known || was.pool != pool {
			was = &bar{pool, known, barRow(c, n, pool, known)}
		}
		bars[n] = was
		rows = append(rows, was.row)
		if n.Ipv6Subnet != "" {
			rows = append(rows, sparseRow(n, s))
		}
	}
	p.made, p.from, p.width, p.bars = rows, s, c.Width, bars
	return p.table.arrange(c, rows)
}

func barRow(c Canvas, n *model.Network, pool feed.Pool, known bool) widget.Row {
	used, free, filled, role := "?", "?", "? not asked yet", theme.Dim
	if known {
		left := widget.CountRanges(pool.Available)
		used, free, role = strconv.Itoa(pool.Count), strconv.Itoa(left), theme.Plain
		total := pool.Count + left
		plain := theme.Theme{Glyphs: c.Theme.Glyphs}
		filled = fmt.Sprintf("%3d %% %s", pool.Count*100/max(total, 1), widget.Bar(&plain, pool.Count, total, max(10, c.Width-62)))
		switch {
		case left == 0:
			role = theme.Bad
		case pool.Count*100 >= total*80:
			role = theme.Warn
		}
	}
	return widget.Row{ID: n.ObjectKey(), Role: role, Cells: []string{n.ObjectKey(), n.Subnet, used, free, filled}}
}

// sixth marks the row of a network's IPv6 subnet.
const sixth = " IPv6"

// sparseRow counts the IPv6 addresses that endpoints of a network have; how many are left is of no interest.
func sparseRow(n *model.Network, s *feed.Snapshot) widget.Row {
	used := 0
	for _, e := range endpointsOn(s, n.ObjectKey()) {
		if len(e.IpAddress) > 1 && e.IpAddress[1] != "" {
			used++
		}
	}
	return widget.Row{ID: n.ObjectKey() + sixth, Cells: []string{n.ObjectKey(), n.Ipv6Subnet, strconv.Itoa(used), "-", "enter lists them"}}
}

// Key moves; enter opens the map of the network.
func (p *Addresses) Key(key string, c Canvas, s *feed.Snapshot) Action {
	rows := p.rows(c, s)
	r, ok := p.table.Selected(rows)
	switch {
	case key == "enter" && ok:
		if key, six := strings.CutSuffix(r.ID, sixth); six {
			return Action{Go: NewSparse(key)}
		}
		return Action{Go: NewBitmap(r.ID)}
	case key == "d" && ok:
		return Action{Describe: &Describe{Kind: model.KindNetwork(), Key: strings.TrimSuffix(r.ID, sixth)}}
	}
	p.table.key(key, c, addressHeaders(), rows)
	return Action{}
}

// View draws the bars.
func (p *Addresses) View(c Canvas, s *feed.Snapshot) []string {
	return p.table.view(c, addressHeaders(), p.rows(c, s), c.Height, nothing(s, s.Synced, "no networks"))
}
