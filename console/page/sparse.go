package page

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Sparse is the IPv6 addresses of a network that somebody has, in blocks of /112: a map would be empty.
type Sparse struct {
	network string
	grid    grid
}

// NewSparse makes the page of a network's key.
func NewSparse(network string) *Sparse { return &Sparse{network: network} }

// Name is the crumb.
func (p *Sparse) Name() string { return p.network + sixth }

// Command prints who has addresses.
func (p *Sparse) Command() string {
	tenant, name, _ := strings.Cut(p.network, ":")
	return "netctl ip show --tenant " + tenant + " " + name
}

// Keys are those of addresses.
func (p *Sparse) Keys() []theme.Key { return theme.AddressKeys() }

func (p *Sparse) question() feed.Question {
	return feed.Question{Topic: feed.Addresses, Key: p.network}
}

// Questions are who has the addresses.
func (p *Sparse) Questions(*feed.Snapshot) []feed.Question {
	return []feed.Question{p.question()}
}

func (p *Sparse) headers() []string { return []string{"Address", "State", "Holder", "Host", "Since"} }

// block is the addresses of one /112 that somebody has.
type block struct {
	prefix netip.Prefix
	states []model.AddressState
}

// blocks sorts the IPv6 addresses of a list into their /112.
func blocks(states []model.AddressState) []block {
	at := map[netip.Prefix]int{}
	var out []block
	for _, s := range states {
		a, err := netip.ParseAddr(s.Address)
		if err != nil || !a.Is6() {
			continue
		}
		prefix, err := a.Prefix(112)
		if err != nil {
			continue
		}
		i, ok := at[prefix]
		if !ok {
			i = len(out)
			at[prefix], out = i, append(out, block{prefix: prefix})
		}
		out[i].states = append(out[i].states, s)
	}
	slices.SortFunc(out, func(a, b block) int { return a.prefix.Addr().Compare(b.prefix.Addr()) })
	for i := range out {
		slices.SortFunc(out[i].states, func(a, b model.AddressState) int {
			return cmp.Or(cmp.Compare(len(a.Address), len(b.Address)), cmp.Compare(a.Address, b.Address))
		})
	}
	return out
}

func (p *Sparse) rows(c Canvas, s *feed.Snapshot) []widget.Row {
	states, _, _ := feed.Of[[]model.AddressState](s, p.question())
	var rows []widget.Row
	for _, b := range blocks(states) {
		n := len(b.states)
		rows = append(rows, widget.Row{ID: b.prefix.String(), Role: theme.Title, Cells: []string{b.prefix.String(), fmt.Sprintf("%d of 65536", n),
			widget.Bar(&theme.Theme{Glyphs: c.Theme.Glyphs}, n, 1<<16, 16)}})
		for _, x := range b.states {
			rows = append(rows, widget.Row{ID: x.Address, Role: stateRole(x.State), Cells: []string{"  " + x.Address, x.State, holder(&x), hostOf(&x), age(x.Since, c.Now)}})
		}
	}
	return p.grid.arrange(c, rows)
}

// Key moves; enter and h show who had an address.
func (p *Sparse) Key(key string, c Canvas, s *feed.Snapshot) Action {
	rows := p.rows(c, s)
	r, ok := p.grid.Selected(rows)
	if ok && (key == "enter" || key == "h" || key == "H") && !strings.Contains(r.ID, "/") {
		return Action{Go: NewLedger(p.network, r.ID)}
	}
	p.grid.key(key, c, p.headers(), rows)
	return Action{}
}

// View draws the list.
func (p *Sparse) View(c Canvas, s *feed.Snapshot) []string {
	_, a, ok := feed.Of[[]model.AddressState](s, p.question())
	var out []string
	if line := waiting(c, a, "netmaster"); line != "" {
		out = append(out, line)
	}
	if !ok {
		return out
	}
	return append(out, p.grid.view(c, p.headers(), p.rows(c, s), c.Height-len(out), "nobody has an IPv6 address here")...)
}

func stateRole(state string) theme.Role {
	switch state {
	case model.OwnerEndpoint, model.OwnerService:
		return theme.Good
	case model.OwnerHold:
		return theme.Held
	case model.OwnerQuarantine:
		return theme.Warn
	}
	return theme.Dim
}

func holder(x *model.AddressState) string {
	if x.Owner == nil {
		return "nobody"
	}
	return strings.TrimSpace(x.Owner.ID + " " + x.Owner.Reason)
}

func hostOf(x *model.AddressState) string {
	if x.Owner == nil {
		return ""
	}
	return x.Owner.Host
}

// age is how long something is as it is; "?" when the history does not reach back.
func age(since *time.Time, now time.Time) string {
	if since == nil {
		return "?"
	}
	return Age(now.Sub(*since))
}
