// SPDX-License-Identifier: Apache-2.0

package page

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// grid is the body of the IPv4 addresses of one network: a cell is an address, or a block of them.
type grid struct {
	network string // key
	cursor  int    // offset in the subnet
	start   string // initial address, until it has been found
	zoom    int    // a cell is 1<<zoom addresses
	zoomed  bool   // the user or the first view has chosen
	ages    bool
	top     int // first line in view
}

// addressMap makes the page of a network's key.
func addressMap(network string) *Page { return newGrid(grid{network: network}) }

// addressMapAt makes the page with the cursor on an address.
func addressMapAt(network, address string) *Page {
	return newGrid(grid{network: network, start: address})
}

// addressAges makes the page of how long each address has been in its state.
func addressAges(network string) *Page { return newGrid(grid{network: network, ages: true}) }

// addressBlocks makes the page with a cell for every 16 addresses, or for every one if the subnet is small.
func addressBlocks(network string) *Page {
	return newGrid(grid{network: network, zoomed: true, zoom: zoomStep})
}

func newGrid(g grid) *Page {
	p := &g
	// on declares keys that act on the subnet.
	on := func(keys, does string, do func(subnet netip.Prefix, s *feed.Snapshot) Action) Key {
		return on(keys, does, func(_ string, _ Canvas, s *feed.Snapshot) Action {
			_, subnet, err := p.find(s)
			if err != nil {
				return Action{}
			}
			p.clampCursor(subnet)
			return do(subnet, s)
		})
	}
	owner := func(subnet netip.Prefix, _ *feed.Snapshot) Action {
		return open(addressHistory(p.network, addressAt(subnet, p.cursor).String()))
	}
	zoom := on("+ =", "zoom in: a cell is fewer addresses", func(netip.Prefix, *feed.Snapshot) Action { p.zoom = max(0, p.zoom-zoomStep); return Action{} }).hint("+", "zoom in")
	out := on("-", "zoom out: a cell is a block of addresses", func(subnet netip.Prefix, _ *feed.Snapshot) Action {
		p.zoom = min(p.zoom+zoomStep, maxZoom(subnet))
		return Action{}
	}).hint("-", "zoom out")
	out.over = true
	return &Page{Name: p.network, Command: showAddresses(p.network), Asks: asks(p.question()), Body: p, Keys: []Key{
		on("enter", "zoom into the block, or go to the owner of the address", p.enter).hint("enter", "open"), zoom, out,
		on("h H", "show the owners of the address over time", owner).hint("h", "owners"),
		on("v", "color by state, or by age: the time since the last change", func(netip.Prefix, *feed.Snapshot) Action { p.ages = !p.ages; return Action{} }).hint("v", "ages"),
		on("d", "open the page of the network", func(netip.Prefix, *feed.Snapshot) Action { return objectPage(model.KindNetwork(), p.network) }),
		documented("/", "highlight addresses whose owner matches").hint("/", "highlight"),
	}}
}

// Keys move.
func (p *grid) Keys() []Key { return []Key{documented("arrows j k", "move the cursor")} }

func (p *grid) question() feed.Question {
	return feed.Question{Topic: feed.Addresses, Key: p.network}
}

// perRow is how many cells a line shows: a power of two that fits.
func perRow(width int) int {
	n := 16
	for n*2+n*2/16+16 <= width && n < 128 {
		n *= 2
	}
	return n
}

func (p *grid) find(s *feed.Snapshot) (*model.Network, netip.Prefix, error) {
	n, ok := find(s, model.KindNetwork(), p.network).(*model.Network)
	if !ok && !s.Synced {
		return nil, netip.Prefix{}, fmt.Errorf("network %s is %s", p.network, nothing(s, false, ""))
	}
	if !ok {
		return nil, netip.Prefix{}, fmt.Errorf("network %s no longer exists; esc goes back", p.network)
	}
	prefix, err := feed.SubnetOf(n.Subnet)
	if err == nil && !prefix.Addr().Is4() {
		err = fmt.Errorf("subnet %s is not IPv4", n.Subnet)
	}
	return n, prefix, err
}

// clampCursor chooses the first zoom, so that a large subnet is fully visible, and finds the initial address.
func (p *grid) clampCursor(subnet netip.Prefix) {
	if !p.zoomed {
		p.zoomed, p.zoom = true, max(0, 32-subnet.Bits()-12)
		if p.start != "" {
			p.zoom = 0
		}
	}
	p.zoom = min(p.zoom, maxZoom(subnet))
	if a, err := netip.ParseAddr(p.start); err == nil && subnet.Contains(a) {
		p.cursor = offsetOf(subnet, a)
	}
	p.start = ""
}

// Key moves the cursor within the subnet.
func (p *grid) Key(msg tea.KeyPressMsg, c Canvas, s *feed.Snapshot) Action {
	_, subnet, err := p.find(s)
	if err != nil {
		return Action{}
	}
	p.clampCursor(subnet)
	cell := 1 << p.zoom
	row, last := perRow(c.Width)*cell, subnetSize(subnet)-1
	switch msg.String() {
	case "left":
		p.cursor -= cell
	case "right", "l":
		p.cursor += cell
	case "home", "g":
		p.cursor = 0
	case "end", "G":
		p.cursor = last
	default: // the lines begin at the cursor's column
		column := p.cursor % row
		if line, ok := widget.Move(msg.String(), p.cursor/row, max(1, c.Height-8), (last-column)/row+1); ok {
			p.cursor = line*row + column
		}
	}
	p.cursor = max(0, min(p.cursor, last))
	return Action{}
}

// enter goes into a block, or to the endpoint that has the address.
func (p *grid) enter(subnet netip.Prefix, s *feed.Snapshot) Action {
	if p.zoom > 0 {
		p.zoom = max(0, p.zoom-zoomStep)
		return Action{}
	}
	if e := owners(p.network, s)[addressAt(subnet, p.cursor)]; e != nil {
		return open(Topology(model.KindEndpoint(), e.Key))
	}
	return open(addressHistory(p.network, addressAt(subnet, p.cursor).String()))
}

// zoomStep is how much more or less a key shows: a cell is 16 times as many addresses, or as few.
const zoomStep = 4

// maxZoom is the zoom at which a subnet is a line of cells.
func maxZoom(subnet netip.Prefix) int { return max(0, 32-subnet.Bits()-zoomStep) }

func subnetSize(subnet netip.Prefix) int { return 1 << (32 - subnet.Bits()) }

func offsetOf(subnet netip.Prefix, a netip.Addr) int {
	base, is := subnet.Masked().Addr().As4(), a.As4()
	return int(binary.BigEndian.Uint32(is[:]) - binary.BigEndian.Uint32(base[:]))
}

func addressAt(subnet netip.Prefix, offset int) netip.Addr {
	base := subnet.Masked().Addr().As4()
	var a [4]byte
	binary.BigEndian.PutUint32(a[:], binary.BigEndian.Uint32(base[:])+uint32(offset))
	return netip.AddrFrom4(a)
}

const (
	addressWidth = 16 // of the first address of a line, before its cells
	headLines    = 2  // above the first line of the map
	cellGroup    = 16 // number of cells without a blank between them
)

// window is the part of the map that is drawn.
type window struct {
	row, room   int // cells a line, and lines that fit
	cells, rows int // of the whole map
	first       int // line
}

// window is the part that was drawn last, moved as far as the cursor wants it.
func (p *grid) window(c Canvas, subnet netip.Prefix) window {
	cell := 1 << p.zoom
	w := window{row: perRow(c.Width), room: max(1, c.Height-8), cells: (subnetSize(subnet) + cell - 1) / cell}
	w.rows = (w.cells + w.row - 1) / w.row
	p.top = widget.InView(p.top, p.cursor/cell/w.row, w.room, w.rows)
	w.first = p.top
	return w
}

// click puts the cursor on a cell; on the one under the cursor it is enter.
func (p *grid) click(x, y int, c Canvas, s *feed.Snapshot) Action {
	_, subnet, err := p.find(s)
	if _, known := s.Pools[p.network]; err != nil || !known {
		return Action{}
	}
	p.clampCursor(subnet)
	w := p.window(c, subnet)
	x, y = x-addressWidth, y-headLines
	column := x - x/(cellGroup+1)
	here := (w.first+y)*w.row + column
	if x < 0 || x%(cellGroup+1) == cellGroup || column >= w.row || y < 0 || y >= w.room || here >= w.cells {
		return Action{}
	}
	if here == p.cursor>>p.zoom {
		return p.enter(subnet, s)
	}
	p.cursor = here << p.zoom
	return Action{}
}

// View draws the part of the map around the cursor, and who holds the address under it.
func (p *grid) View(c Canvas, s *feed.Snapshot) []string {
	t := c.Theme
	n, subnet, err := p.find(s)
	if err != nil {
		return []string{t.Paint(theme.Bad, err.Error())}
	}
	p.clampCursor(subnet)
	pool, known := s.Pools[p.network]
	if !known {
		return []string{t.Paint(theme.Held, "the network's addresses have not been requested yet")}
	}
	states, answer, _ := feed.Of[[]model.AddressState](s, p.question())
	cells := newAddressCells(n, subnet, pool, owners(p.network, s), states, c)
	cells.ages, cells.filter = p.ages, c.Filter
	cell := 1 << p.zoom
	w := p.window(c, subnet)
	head := fmt.Sprintf("%s  %s   used %d   free %d   endpoints %d   asked %s ago", t.Paint(theme.Title, p.network), n.Subnet, pool.Count,
		pool.Free, len(cells.owners), Age(c.Now.Sub(pool.At)))
	if p.zoom > 0 {
		head += fmt.Sprintf("   a cell is %d addresses", cell)
	}
	out := []string{head, answerState(c, answer, "netmaster")}
	for r := w.first; r < min(w.rows, w.first+w.room); r++ {
		var b strings.Builder
		b.WriteString(t.Paint(theme.Dim, widget.Fit(t, addressAt(subnet, r*w.row*cell).String(), addressWidth)))
		for i := r * w.row; i < min(w.cells, (r+1)*w.row); i++ {
			if i%cellGroup == 0 && i != r*w.row {
				b.WriteByte(' ')
			}
			glyph, role := cells.mark(i*cell, cell)
			if i == p.cursor/cell {
				role = theme.Cursor
			}
			b.WriteString(t.Paint(role, glyph))
		}
		out = append(out, b.String())
	}
	return append(append(out, ""), p.legend(c, cells, cell)...)
}

// legend describes the address under the cursor and the signs.
func (p *grid) legend(c Canvas, l *addressCells, cell int) []string {
	t, here := c.Theme, addressAt(l.subnet, p.cursor)
	if p.zoom > 0 {
		first := p.cursor / cell * cell
		last := min(first+cell, subnetSize(l.subnet)) - 1
		return []string{t.Paint(theme.Title, fmt.Sprintf("%s %s-%s", t.Glyphs.Cursor, addressAt(l.subnet, first), addressAt(l.subnet, last))) +
			fmt.Sprintf("  %d of %d used or reserved", l.taken.Within(addressAt(l.subnet, first), addressAt(l.subnet, last)), last-first+1),
			"", t.Paint(theme.Dim, t.Glyphs.Free+" none taken  "+t.Glyphs.Spark+" some, to all   + zooms in")}
	}
	_, role, says := l.cell(here)
	out := []string{t.Paint(theme.Title, t.Glyphs.Cursor+" "+here.String()) + "  " + t.Paint(role, says), l.history(here)}
	if p.ages {
		return append(out, t.Paint(theme.Dim, "time since the last change: 0 a minute  1 an hour  2 a day  3 a week  4 longer  ? before the history starts"))
	}
	return append(out, t.Paint(theme.Dim, t.Glyphs.Used+" endpoint  S service  h held  x quarantined  p a group's pool  "+t.Glyphs.Free+" free"),
		t.Paint(theme.Dim, "G gateway  N network  B broadcast  - out of range"))
}

// owners are the endpoints of a network by address.
func owners(network string, s *feed.Snapshot) map[netip.Addr]*feed.Endpoint {
	out := map[netip.Addr]*feed.Endpoint{}
	for _, e := range endpointsOn(s, network) {
		if a, err := netip.ParseAddr(firstAddress(e)); err == nil {
			out[a] = e
		}
	}
	return out
}
