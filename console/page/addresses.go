// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
	"github.com/contiv/contiv/identity"
)

func addressesEntry() Entry {
	return Entry{Name: "addresses", Short: "addr", Aliases: []string{"addr", "addrs", "address", "ip", "ips", "ipam"}, About: "usage of each network, and maps of addresses",
		Make: addresses, Open: openAddresses, Offer: offerAddresses}
}

// openAddresses opens TENANT/NETWORK[/ADDRESS][:VIEW].
func openAddresses(path []string, view string) *Page {
	if len(path) > 0 && strings.Contains(path[0], ":") {
		path = append(strings.SplitN(path[0], ":", 2), path[1:]...)
	}
	if len(path) < 2 || len(path) > 3 {
		return nil
	}
	network := model.Key(path[0], path[1])
	address := strings.Join(path[2:], "")
	switch {
	case address != "" && view == "history":
		return addressHistory(network, address)
	case address != "" && view == "":
		return addressMapAt(network, address)
	case address != "":
		return nil
	}
	switch view {
	case "":
		return addressMap(network)
	case "ages":
		return addressAges(network)
	case "blocks":
		return addressBlocks(network)
	case "ipv6":
		return addresses6(network)
	}
	return nil
}

func offerAddresses(s *feed.Snapshot, _ string, add func(string)) {
	for _, o := range s.Objects[model.KindNetwork().Name] {
		for _, view := range []string{"", ":ages", ":blocks", ":ipv6"} {
			add("/" + strings.ReplaceAll(o.ObjectKey(), ":", "/") + view)
		}
	}
}

// subnet is a row: the IPv4 or the IPv6 addresses of a network.
type subnet struct {
	network *model.Network
	six     bool
}

func (n subnet) id() string {
	if n.six {
		return n.network.ObjectKey() + " IPv6"
	}
	return n.network.ObjectKey()
}

// addresses makes the page of how full each network is.
func addresses() *Page {
	l := &list[subnet]{
		headers: columns("Network", "Subnet", "Used", "Free", "Filled"),
		empty:   empty("no networks"),
		items: func(s *feed.Snapshot) (out []subnet) {
			for _, n := range each[*model.Network](s) {
				if out = append(out, subnet{n, false}); n.Ipv6Subnet != "" {
					out = append(out, subnet{n, true})
				}
			}
			return out
		},
		id: subnet.id,
		row: func(c Canvas, s *feed.Snapshot, n subnet) widget.Row {
			if n.six {
				return n.row6(s)
			}
			return n.row(c, s)
		},
	}
	return &Page{Name: "addresses", Command: "netctl network ls --all", Body: l, Keys: []Key{
		l.on("enter", "show the map of the network, or the list of its IPv6 addresses", func(n subnet) Action {
			if n.six {
				return open(addresses6(n.network.ObjectKey()))
			}
			return open(addressMap(n.network.ObjectKey()))
		}).hint("enter", "map"),
		l.on("d", "open the page of the network", func(n subnet) Action { return objectPage(model.KindNetwork(), n.network.ObjectKey()) }).hint("d", "describe"),
	}}
}

func (n subnet) row(c Canvas, s *feed.Snapshot) widget.Row {
	key := n.network.ObjectKey()
	pool, known := s.Pools[key]
	used, free, filled, role := "?", "?", "? not received yet", theme.Dim
	if known {
		left := pool.Free
		total := pool.Count + left
		used, free, role = strconv.Itoa(pool.Count), strconv.Itoa(left), theme.Plain
		filled = fmt.Sprintf("%3d %% %s", pool.Count*100/max(total, 1), widget.Bar(without(c.Theme), pool.Count, total, max(10, c.Width-62)))
		switch {
		case left == 0:
			role = theme.Bad
		case pool.Count*100 >= total*80:
			role = theme.Warn
		}
	}
	return widget.Row{Role: role, Cells: []string{key, n.network.Subnet, used, free, filled}}
}

// row6 counts the addresses that endpoints have; how many are left is of no interest.
func (n subnet) row6(s *feed.Snapshot) widget.Row {
	key, used := n.network.ObjectKey(), 0
	for _, e := range endpointsOn(s, key) {
		if e.IpAddress[1] != "" {
			used++
		}
	}
	return widget.Row{Cells: []string{key, n.network.Ipv6Subnet, strconv.Itoa(used), "-", "enter lists them"}}
}

// showAddresses is the command that prints the owners of a network's addresses.
func showAddresses(network string) string {
	tenant, name, _ := identity.Cut(network)
	return "netctl ip show --tenant " + tenant + " " + name
}
