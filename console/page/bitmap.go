package page

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Bitmap is the IPv4 addresses of one network, one cell an address, or a block of them.
type Bitmap struct {
	network string // key
	cursor  int    // offset in the subnet
	start   string // address to begin at, until it has been found
	zoom    int    // a cell is 1<<zoom addresses
	zoomed  bool   // the user or the first view has chosen
	ages    bool
	top     int // first line in view
}

// NewBitmap makes the page of a network's key.
func NewBitmap(network string) *Bitmap { return &Bitmap{network: network} }

// NewBitmapAt makes the page with the cursor on an address.
func NewBitmapAt(network, address string) *Bitmap { return &Bitmap{network: network, start: address} }

// NewBitmapOfAges makes the page of how long each address is as it is.
func NewBitmapOfAges(network string) *Bitmap { return &Bitmap{network: network, ages: true} }

// NewBitmapOfBlocks makes the page with a cell for every 16 addresses, or for every one where the subnet has no more.
func NewBitmapOfBlocks(network string) *Bitmap {
	return &Bitmap{network: network, zoomed: true, zoom: zoomStep}
}

// Name is the crumb.
func (p *Bitmap) Name() string { return p.network }

// Command prints who has addresses.
func (p *Bitmap) Command() string {
	tenant, name, _ := strings.Cut(p.network, ":")
	return "netctl ip show --tenant " + tenant + " " + name
}

// Keys move the cursor.
func (p *Bitmap) Keys() []theme.Key { return theme.AddressKeys() }

// Claims takes the key that zooms out.
func (p *Bitmap) Claims(key string) bool { return key == "-" }

func (p *Bitmap) question() feed.Question {
	return feed.Question{Topic: feed.Addresses, Key: p.network}
}

// Questions are who has the addresses.
func (p *Bitmap) Questions(*feed.Snapshot) []feed.Question {
	return []feed.Question{p.question()}
}

// perRow is how many cells a line shows: a power of two that fits.
func perRow(width int) int {
	n := 16
	for n*2+n*2/16+16 <= width && n < 128 {
		n *= 2
	}
	return n
}

func (p *Bitmap) find(s *feed.Snapshot) (*model.Network, netip.Prefix, error) {
	n, ok := find(s, model.KindNetwork(), p.network).(*model.Network)
	if !ok && !s.Synced {
		return nil, netip.Prefix{}, fmt.Errorf("network %s is %s", p.network, nothing(s, false, ""))
	}
	if !ok {
		return nil, netip.Prefix{}, fmt.Errorf("network %s is gone; esc goes back", p.network)
	}
	prefix, err := widget.SubnetOf(n.Subnet)
	if err == nil && !prefix.Addr().Is4() {
		err = fmt.Errorf("subnet %s is not IPv4", n.Subnet)
	}
	return n, prefix, err
}

// settle chooses the first zoom, so that a large subnet is seen whole, and finds the address to begin at.
func (p *Bitmap) settle(subnet netip.Prefix) {
	if !p.zoomed {
		p.zoomed, p.zoom = true, max(0, 32-subnet.Bits()-12)
		if p.start != "" {
			p.zoom = 0
		}
	}
	p.zoom = min(p.zoom, most(subnet))
	if a, err := netip.ParseAddr(p.start); err == nil && subnet.Contains(a) {
		p.cursor = offset(subnet, a)
	}
	p.start = ""
}

// Key moves the cursor within the subnet, zooms, or shows who had the address.
func (p *Bitmap) Key(key string, c Canvas, s *feed.Snapshot) Action {
	_, subnet, err := p.find(s)
	if err != nil {
		return Action{}
	}
	p.settle(subnet)
	cell := 1 << p.zoom
	row := perRow(c.Width) * cell
	switch key {
	case "left":
		p.cursor -= cell
	case "right", "l":
		p.cursor += cell
	case "up", "k":
		p.cursor -= row
	case "down", "j":
		p.cursor += row
	case "pgup":
		p.cursor -= row * max(1, c.Height-8)
	case "pgdown":
		p.cursor += row * max(1, c.Height-8)
	case "home", "g":
		p.cursor = 0
	case "end", "G":
		p.cursor = size(subnet) - 1
	case "+", "=":
		p.zoom = max(0, p.zoom-zoomStep)
	case "-":
		p.zoom = min(p.zoom+zoomStep, most(subnet))
	case "v":
		p.ages = !p.ages
	case "h", "H":
		return Action{Go: NewLedger(p.network, at(subnet, p.cursor).String())}
	case "enter":
		return p.enter(subnet, s)
	case "d":
		return Action{Describe: &Describe{Kind: model.KindNetwork(), Key: p.network}}
	}
	p.cursor = max(0, min(p.cursor, size(subnet)-1))
	return Action{}
}

// enter goes into a block, or to the endpoint that has the address.
func (p *Bitmap) enter(subnet netip.Prefix, s *feed.Snapshot) Action {
	if p.zoom > 0 {
		p.zoom = max(0, p.zoom-zoomStep)
		return Action{}
	}
	if e := owners(p.network, s)[at(subnet, p.cursor)]; e != nil {
		return endpointFace("t", e)
	}
	return Action{Go: NewLedger(p.network, at(subnet, p.cursor).String())}
}

// zoomStep is how much more or less a key shows: a cell is 16 times as many addresses, or as few.
const zoomStep = 4

// most is the zoom at which a subnet is a line of cells.
func most(subnet netip.Prefix) int { return max(0, 32-subnet.Bits()-zoomStep) }

func size(subnet netip.Prefix) int { return 1 << (32 - subnet.Bits()) }

func offset(subnet netip.Prefix, a netip.Addr) int {
	base, is := subnet.Masked().Addr().As4(), a.As4()
	return int(binary.BigEndian.Uint32(is[:]) - binary.BigEndian.Uint32(base[:]))
}

func at(subnet netip.Prefix, offset int) netip.Addr {
	base := subnet.Masked().Addr().As4()
	var a [4]byte
	binary.BigEndian.PutUint32(a[:], binary.BigEndian.Uint32(base[:])+uint32(offset))
	return netip.AddrFrom4(a)
}

const (
	addressWidth = 16 // of the first address of a line, before its cells
	headLines    = 2  // above the first line of the map
	together     = 16 // cells stand without a blank between them
)

// window is the part of the map that is drawn.
type window struct {
	row, room   int // cells a line, and lines that fit
	cells, rows int // of the whole map
	first       int // line
}

// window is the part that was drawn last, moved as far as the cursor wants it.
func (p *Bitmap) window(c Canvas, subnet netip.Prefix) window {
	cell := 1 << p.zoom
	w := window{row: perRow(c.Width), room: max(1, c.Height-8), cells: (size(subnet) + cell - 1) / cell}
	w.rows = (w.cells + w.row - 1) / w.row
	p.top = inView(p.top, p.cursor/cell/w.row, w.room, w.rows)
	w.first = p.top
	return w
}

// click puts the cursor on a cell; on the one under the cursor it is enter.
func (p *Bitmap) click(x, y int, c Canvas, s *feed.Snapshot) Action {
	_, subnet, err := p.find(s)
	if _, known := s.Pools[p.network]; err != nil || !known {
		return Action{}
	}
	p.settle(subnet)
	w := p.window(c, subnet)
	x, y = x-addressWidth, y-headLines
	column := x - x/(together+1)
	here := (w.first+y)*w.row + column
	if x < 0 || x%(together+1) == together || column >= w.row || y < 0 || y >= w.room || here >= w.cells {
		return Action{}
	}
	if here == p.cursor>>p.zoom {
		return p.Key("enter", c, s)
	}
	p.cursor = here << p.zoom
	return Action{}
}

// View draws the part of the map around the cursor, and who holds the address under it.
func (p *Bitmap) View(c Canvas, s *feed.Snapshot) []string {
	t := c.Theme
	n, subnet, err := p.find(s)
	if err != nil {
		return []string{t.Paint(theme.Bad, err.Error())}
	}
	p.settle(subnet)
	pool, known := s.Pools[p.network]
	if !known {
		return []string{t.Paint(theme.Held, "netmaster has not been asked for this network's addresses yet")}
	}
	states, answer, _ := feed.Of[[]model.AddressState](s, p.question())
	look := newLook(n, subnet, pool, owners(p.network, s), states, c)
	look.ages, look.filter = p.ages, c.Filter
	cell := 1 << p.zoom
	w := p.window(c, subnet)
	head := fmt.Sprintf("%s  %s   used %d   free %d   endpoints %d   asked %s ago", t.Paint(theme.Title, p.network), n.Subnet, pool.Count,
		widget.CountRanges(pool.Available), len(look.owners), Age(c.Now.Sub(pool.At)))
	if p.zoom > 0 {
		head += fmt.Sprintf("   a cell is %d addresses", cell)
	}
	out := []string{head, waiting(c, answer, "netmaster")}
	for r := w.first; r < min(w.rows, w.first+w.room); r++ {
		var b strings.Builder
		b.WriteString(t.Paint(theme.Dim, widget.Fit(t, at(subnet, r*w.row*cell).String(), addressWidth)))
		for i := r * w.row; i < min(w.cells, (r+1)*w.row); i++ {
			if i%together == 0 && i != r*w.row {
				b.WriteByte(' ')
			}
			glyph, role := look.mark(i*cell, cell)
			if i == p.cursor/cell {
				role = theme.Cursor
			}
			b.WriteString(t.Paint(role, glyph))
		}
		out = append(out, b.String())
	}
	return append(append(out, ""), p.legend(c, look, cell)...)
}

// legend tells what is under the cursor and what the signs mean.
func (p *Bitmap) legend(c Canvas, l *look, cell int) []string {
	t, here := c.Theme, at(l.subnet, p.cursor)
	if p.zoom > 0 {
		first := p.cursor / cell * cell
		last := min(first+cell, size(l.subnet)) - 1
		return []string{t.Paint(theme.Title, fmt.Sprintf("%s %s-%s", t.Glyphs.Cursor, at(l.subnet, first), at(l.subnet, last))) +
			fmt.Sprintf("  %d of %d taken or reserved", l.taken.Within(at(l.subnet, first), at(l.subnet, last)), last-first+1),
			"", t.Paint(theme.Dim, t.Glyphs.Free+" none taken  "+t.Glyphs.Spark+" some, to all   + zooms in")}
	}
	_, role, says := l.cell(here)
	out := []string{t.Paint(theme.Title, t.Glyphs.Cursor+" "+here.String()) + "  " + t.Paint(role, says), l.tells(here)}
	if p.ages {
		return append(out, t.Paint(theme.Dim, "how long it is as it is: 0 a minute  1 an hour  2 a day  3 a week  4 longer  ? before the history began"))
	}
	return append(out, t.Paint(theme.Dim, t.Glyphs.Used+" endpoint  S service  h held  x quarantined  p a group's pool  "+t.Glyphs.Free+" free"),
		t.Paint(theme.Dim, "G gateway  N network  B broadcast  - out of range"))
}

// owners are the endpoints of a network by address.
func owners(network string, s *feed.Snapshot) map[netip.Addr]*model.EndpointOper {
	out := map[netip.Addr]*model.EndpointOper{}
	for _, e := range endpointsOn(s, network) {
		if a, err := netip.ParseAddr(firstAddress(e)); err == nil {
			out[a] = e
		}
	}
	return out
}

// endpointsOn are the endpoints of a network's key: they stand together.
func endpointsOn(s *feed.Snapshot, network string) []*model.EndpointOper {
	tenant, name, _ := strings.Cut(network, ":")
	id := name + "." + tenant
	first, _ := slices.BinarySearchFunc(s.Endpoints, id, func(e *model.EndpointOper, id string) int { return strings.Compare(e.Network, id) })
	last := first
	for last < len(s.Endpoints) && s.Endpoints[last].Network == id {
		last++
	}
	return s.Endpoints[first:last]
}
