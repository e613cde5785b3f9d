// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// addressCells is what is known of a network's addresses.
type addressCells struct {
	theme                     *theme.Theme
	now                       time.Time
	subnet                    netip.Prefix
	gateway                   string
	free, taken               feed.Ranges
	held, quarantined, pooled feed.Ranges // within taken
	owners                    map[netip.Addr]*feed.Endpoint
	states                    map[netip.Addr]*model.AddressState
	ages                      bool
	filter                    *widget.Filter
}

func newAddressCells(n *model.Network, subnet netip.Prefix, pool feed.Pool, owners map[netip.Addr]*feed.Endpoint, states []model.AddressState, c Canvas) *addressCells {
	l := &addressCells{theme: c.Theme, now: c.Now, subnet: subnet, gateway: n.Gateway, free: feed.ParseRanges(pool.Available), taken: feed.ParseRanges(pool.Allocated),
		held: feed.ParseRanges(pool.Held), quarantined: feed.ParseRanges(pool.Quarantined), pooled: feed.ParseRanges(pool.Pooled),
		owners: owners, states: map[netip.Addr]*model.AddressState{}}
	for i := range states {
		if a, err := netip.ParseAddr(states[i].Address); err == nil {
			l.states[a] = &states[i]
		}
	}
	return l
}

// mark is the sign of one cell: of an address, or of a block by how much of it is taken.
func (l *addressCells) mark(first, cells int) (string, theme.Role) {
	if cells > 1 {
		return l.density(first, cells)
	}
	a := addressAt(l.subnet, first)
	glyph, role, says := l.cell(a)
	if l.ages {
		glyph, role = l.age(a)
	}
	if l.filter != nil {
		role = theme.Dim
		if l.filter.Keeps(says, a.String()) {
			role = theme.Relation
		}
	}
	return glyph, role
}

func (l *addressCells) density(first, cells int) (string, theme.Role) {
	last := min(first+cells, subnetSize(l.subnet)) - 1
	all, n := last-first+1, l.taken.Within(addressAt(l.subnet, first), addressAt(l.subnet, last))
	if n == 0 {
		return l.theme.Glyphs.Free, theme.Dim
	}
	levels := []rune(l.theme.Glyphs.Spark)
	glyph := string(levels[min(n*len(levels)/all, len(levels)-1)])
	switch {
	case n >= all:
		return glyph, theme.Bad
	case n*100 >= all*80:
		return glyph, theme.Warn
	}
	return glyph, theme.Good
}

// age is how long an address has been in its state.
func (l *addressCells) age(a netip.Addr) (string, theme.Role) {
	x := l.states[a]
	switch {
	case x == nil:
		return l.theme.Glyphs.Free, theme.Dim
	case x.Since == nil:
		return "?", theme.Dim
	}
	for i, step := range []struct {
		than time.Duration
		role theme.Role
	}{{time.Minute, theme.Bad}, {time.Hour, theme.Warn}, {24 * time.Hour, theme.Good}, {7 * 24 * time.Hour, theme.Held}} {
		if l.now.Sub(*x.Since) < step.than {
			return fmt.Sprint(i), step.role
		}
	}
	return "4", theme.Plain
}

// cell is the glyph, the colour and the words of one address.
func (l *addressCells) cell(a netip.Addr) (string, theme.Role, string) {
	t := l.theme
	if e := l.owners[a]; e != nil {
		return t.Glyphs.Used, theme.Good, strings.TrimSpace(fmt.Sprintf("endpoint %s on host %s  %s  %s", e.Called(), e.HomingHost, e.MacAddress, e.EndpointGroupKey))
	}
	who := ""
	if x := l.states[a]; x != nil && x.Owner != nil {
		who = ": " + x.Owner.String()
	}
	switch {
	case a.String() == l.gateway:
		return "G", theme.Title, "gateway, never allocated to a container"
	case a == l.subnet.Masked().Addr():
		return "N", theme.Dim, "network address"
	case a == addressAt(l.subnet, subnetSize(l.subnet)-1):
		return "B", theme.Dim, "broadcast address"
	case l.free.Contains(a):
		return t.Glyphs.Free, theme.Dim, "free"
	case l.quarantined.Contains(a):
		return "x", theme.Warn, "in quarantine" + who
	case l.held.Contains(a):
		return "h", theme.Held, "reserved for an endpoint that does not exist yet" + who
	case l.pooled.Contains(a):
		return "p", theme.Dim, "in a group's pool, only for endpoints of that group"
	case l.taken.Contains(a):
		return "S", theme.Good, "address of a service" + who
	}
	return "-", theme.Dim, "outside the network's address range"
}

// history is since when an address has been in its state and its previous owner, as far as the history knows.
func (l *addressCells) history(a netip.Addr) string {
	x := l.states[a]
	if x == nil || x.Since == nil {
		return ""
	}
	out := "  since " + x.Since.UTC().Format(time.DateTime) + " (" + Age(l.now.Sub(*x.Since)) + ")"
	if x.By != nil {
		out += " by " + x.By.String()
	}
	return out + ", before " + x.Before.String()
}
