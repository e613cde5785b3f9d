// SPDX-License-Identifier: Apache-2.0

package page

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// addresses6 makes the page of the IPv6 addresses of a network that are in use, in blocks of /112: a map would be empty.
func addresses6(network string) *Page {
	q := feed.Question{Topic: feed.Addresses, Key: network}
	l := &list[*line6]{
		headers: columns("Address", "State", "Holder", "Host", "Since"),
		above:   answered(q, "netmaster"),
		empty:   func(*feed.Snapshot) string { return "no IPv6 addresses in use" },
		items: func(s *feed.Snapshot) (out []*line6) {
			states, _, _ := feed.Of[[]model.AddressState](s, q)
			for _, b := range blocks(states) {
				out = append(out, &line6{id: b.prefix.String(), n: len(b.states)})
				for i := range b.states {
					out = append(out, &line6{id: b.states[i].Address, state: &b.states[i]})
				}
			}
			return out
		},
		id:  func(x *line6) string { return x.id },
		row: func(c Canvas, _ *feed.Snapshot, x *line6) widget.Row { return x.row(c) },
	}
	return &Page{Name: network + " IPv6", Command: showAddresses(network), Asks: asks(q), Body: l, Keys: []Key{
		l.on("enter h H", "show the owners of the address over time", func(x *line6) Action {
			if x.state == nil {
				return Action{}
			}
			return open(addressHistory(network, x.id))
		}).hint("enter", "owners"),
	}}
}

// line6 is a row: an address, or a block with the number of its addresses.
type line6 struct {
	id    string
	n     int
	state *model.AddressState // nil: a block
}

func (x *line6) row(c Canvas) widget.Row {
	if x.state == nil {
		return widget.Row{Role: theme.Title, Cells: []string{x.id, fmt.Sprintf("%d of 65536", x.n), widget.Bar(without(c.Theme), x.n, 1<<16, 16)}}
	}
	holder, host := "none", ""
	if o := x.state.Owner; o != nil {
		holder, host = strings.TrimSpace(o.ID+" "+o.Reason), o.Host
	}
	return widget.Row{Role: stateRole(x.state.State), Cells: []string{"  " + x.id, x.state.State, holder, host, ageOf(x.state.Since, c.Now)}}
}

// block is the addresses of one /112 that are in use.
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
