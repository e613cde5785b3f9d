package page

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Bitmap is the IPv4 addresses of one network, one cell an address.
type Bitmap struct {
	network string // key
	cursor  int    // offset in the subnet
}

// NewBitmap makes the page of a network's key.
func NewBitmap(network string) *Bitmap { return &Bitmap{network: network} }

// Name is the crumb.
func (p *Bitmap) Name() string { return p.network }

// Command inspects the network.
func (p *Bitmap) Command() string {
	tenant, name, _ := strings.Cut(p.network, ":")
	return "netctl network inspect --tenant " + tenant + " " + name
}

// Keys move the cursor.
func (p *Bitmap) Keys() []theme.Key { return theme.AddressKeys() }

// perRow is how many addresses a line shows: a power of two that fits.
func perRow(width int) int {
	n := 16
	for n*2+n*2/16+16 <= width && n < 128 {
		n *= 2
	}
	return n
}

func (p *Bitmap) find(s *feed.Snapshot) (*model.Network, netip.Prefix, error) {
	for _, o := range s.Objects["network"] {
		n, ok := o.(*model.Network)
		if !ok || n.ObjectKey() != p.network {
			continue
		}
		prefix, err := widget.SubnetOf(n.Subnet)
		return n, prefix, err
	}
	return nil, netip.Prefix{}, fmt.Errorf("network %s is gone; esc goes back", p.network)
}

// Key moves the cursor within the subnet.
func (p *Bitmap) Key(key string, c Canvas, s *feed.Snapshot) Action {
	_, subnet, err := p.find(s)
	if err != nil {
		return Action{}
	}
	row := perRow(c.Width)
	switch key {
	case "left", "h":
		p.cursor--
	case "right", "l":
		p.cursor++
	case "up", "k":
		p.cursor -= row
	case "down", "j":
		p.cursor += row
	case "pgup":
		p.cursor -= row * max(1, c.Height-7)
	case "pgdown":
		p.cursor += row * max(1, c.Height-7)
	case "home", "g":
		p.cursor = 0
	case "end", "G":
		p.cursor = size(subnet) - 1
	case "d", "enter":
		return Action{Describe: &Describe{model.KindNetwork(), p.network}}
	}
	p.cursor = max(0, min(p.cursor, size(subnet)-1))
	return Action{}
}

func size(subnet netip.Prefix) int { return 1 << (32 - subnet.Bits()) }

func at(subnet netip.Prefix, offset int) netip.Addr {
	base := subnet.Masked().Addr().As4()
	var a [4]byte
	binary.BigEndian.PutUint32(a[:], binary.BigEndian.Uint32(base[:])+uint32(offset))
	return netip.AddrFrom4(a)
}

// View draws the part of the map around the cursor, and who holds the address under it.
func (p *Bitmap) View(c Canvas, s *feed.Snapshot) []string {
	t := c.Theme
	n, subnet, err := p.find(s)
	if err != nil {
		return []string{t.Paint(theme.Bad, err.Error())}
	}
	pool, known := s.Pools[p.network]
	if !known {
		return []string{t.Paint(theme.Held, "netmaster has not been asked for this network's addresses yet")}
	}
	owners := p.owners(n, s)
	look := look{subnet: subnet, gateway: n.Gateway, free: widget.ParseRanges(pool.Available), taken: widget.ParseRanges(pool.Allocated),
		held: widget.ParseRanges(pool.Held), quarantined: widget.ParseRanges(pool.Quarantined), pooled: widget.ParseRanges(pool.Pooled), owners: owners}
	row, room := perRow(c.Width), max(1, c.Height-7)
	rows := (size(subnet) + row - 1) / row
	first := max(0, min(p.cursor/row-room/2, rows-room))
	out := []string{fmt.Sprintf("%s  %s   used %d   free %d   endpoints %d   asked %s ago", t.Paint(theme.Title, p.network), n.Subnet, pool.Count,
		widget.CountRanges(pool.Available), len(owners), Age(c.Now.Sub(pool.At))), ""}
	for r := first; r < min(rows, first+room); r++ {
		var b strings.Builder
		b.WriteString(t.Paint(theme.Dim, widget.Fit(t, at(subnet, r*row).String(), 16)))
		for i := r * row; i < min(size(subnet), (r+1)*row); i++ {
			if i%16 == 0 && i != r*row {
				b.WriteByte(' ')
			}
			glyph, role, _ := look.cell(t, at(subnet, i))
			if i == p.cursor {
				role = theme.Cursor
			}
			b.WriteString(t.Paint(role, glyph))
		}
		out = append(out, b.String())
	}
	_, role, says := look.cell(t, at(subnet, p.cursor))
	return append(out, "", t.Paint(theme.Title, t.Glyphs.Cursor+" "+at(subnet, p.cursor).String())+"  "+t.Paint(role, says), "",
		t.Paint(theme.Dim, t.Glyphs.Used+" endpoint  S service  h held  x quarantined  p a group's pool  "+t.Glyphs.Free+" free"),
		t.Paint(theme.Dim, "G gateway  N network  B broadcast  - out of range"))
}

func (p *Bitmap) owners(n *model.Network, s *feed.Snapshot) map[netip.Addr]*model.EndpointOper {
	out := map[netip.Addr]*model.EndpointOper{}
	for i := range s.Endpoints {
		e := &s.Endpoints[i]
		if e.Network != n.NetworkName+"."+n.TenantName {
			continue
		}
		if a, err := netip.ParseAddr(firstAddress(e)); err == nil {
			out[a] = e
		}
	}
	return out
}

// look is what is known of a network's addresses.
type look struct {
	subnet                    netip.Prefix
	gateway                   string
	free, taken               widget.Ranges
	held, quarantined, pooled widget.Ranges // within taken
	owners                    map[netip.Addr]*model.EndpointOper
}

// cell is the glyph, the colour and the words of one address.
func (l look) cell(t *theme.Theme, a netip.Addr) (string, theme.Role, string) {
	if e := l.owners[a]; e != nil {
		return t.Glyphs.Used, theme.Good, strings.TrimSpace(fmt.Sprintf("endpoint %s on host %s  %s  %s", e.EndpointID, e.HomingHost, e.MacAddress, e.EndpointGroupKey))
	}
	switch {
	case a.String() == l.gateway:
		return "G", theme.Title, "gateway, never given to a container"
	case a == l.subnet.Masked().Addr():
		return "N", theme.Dim, "network address"
	case a == at(l.subnet, size(l.subnet)-1):
		return "B", theme.Dim, "broadcast address"
	case l.free.Contains(a):
		return t.Glyphs.Free, theme.Dim, "free"
	case l.quarantined.Contains(a):
		return "x", theme.Warn, "in quarantine: netctl ip who " + a.String() + " says why and until when"
	case l.held.Contains(a):
		return "h", theme.Held, "held for an endpoint that does not exist yet"
	case l.pooled.Contains(a):
		return "p", theme.Dim, "of a group's pool, for endpoints of that group alone"
	case l.taken.Contains(a):
		return "S", theme.Good, "address of a service: netctl ip who " + a.String() + " says of which"
	}
	return "-", theme.Dim, "outside the range that the network gives out"
}
