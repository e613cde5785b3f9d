// SPDX-License-Identifier: Apache-2.0

package page

import (
	"cmp"
	"strconv"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/yaml"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/widget"
)

func docknetsEntry() Entry {
	return Entry{Name: "docknets", Short: "docknets", Aliases: []string{"docknet", "docker"}, About: "Docker networks, and the networks or groups that they map to",
		Make: docknets, Open: openDocknet, Offer: offerDocknets}
}

// docknetQuestion requests the networks of all Docker engines.
func docknetQuestion() feed.Question { return feed.Question{Topic: feed.DockerNetworks} }

// openDocknet opens ID.
func openDocknet(path []string, view string) *Page {
	if len(path) != 1 || view != "" {
		return nil
	}
	return docknet(path[0])
}

func offerDocknets(s *feed.Snapshot, _ string, add func(string)) {
	list, _, _ := feed.Of[[]model.DockerNetwork](s, docknetQuestion())
	for i := range list {
		add("/" + list[i].ID)
	}
}

// docknets makes the page of the networks of all Docker engines.
func docknets() *Page {
	l := &list[*model.DockerNetwork]{
		headers: columns("Id", "Host", "Tenant", "Network", "Group", "Endpoints", "Made by"),
		empty:   func(*feed.Snapshot) string { return "users have created no Docker networks with this driver" },
		above:   answered(docknetQuestion(), "netmaster"),
		items: func(s *feed.Snapshot) (out []*model.DockerNetwork) {
			all, _, _ := feed.Of[[]model.DockerNetwork](s, docknetQuestion())
			for i := range all {
				out = append(out, &all[i])
			}
			return out
		},
		id: func(d *model.DockerNetwork) string { return d.ID },
		row: func(_ Canvas, _ *feed.Snapshot, d *model.DockerNetwork) widget.Row {
			return widget.Row{Cells: []string{d.ShortID(), cmp.Or(d.Host, "swarm"), d.Tenant, d.Network, cmp.Or(d.Group, "-"), strconv.Itoa(d.Endpoints), d.Maker()}}
		},
	}
	return &Page{Name: "docknets", Live: true, Command: "netctl docknet ls", Asks: asks(docknetQuestion()), Body: l, Beside: l.beside(func(d *model.DockerNetwork) *Page { return docknet(d.ID) }), Keys: []Key{
		l.on("enter", "show the endpoints of its network or group", func(d *model.DockerNetwork) Action { return open(behind(d)) }).hint("enter", "endpoints"),
		l.on("d", "show the Docker network in full", func(d *model.DockerNetwork) Action { return open(docknet(d.ID)) }).hint("d", "details"),
	}}
}

// behind makes a page of the endpoints in the network or group of a Docker network, on any host.
func behind(d *model.DockerNetwork) *Page {
	if d.Group != "" {
		return childrenOf(model.KindEndpointGroup(), model.Key(d.Tenant, d.Group))
	}
	return childrenOf(model.KindNetwork(), model.Key(d.Tenant, d.Network))
}

// docknet makes the page of one Docker network.
func docknet(id string) *Page {
	return &Page{Name: id, Live: true, Command: "netctl docknet inspect " + id, Asks: asks(docknetQuestion()), Body: &text{lines: func(c Canvas, s *feed.Snapshot) []string {
		out, ready := answered(docknetQuestion(), "netmaster")(c, s)
		if !ready {
			return out
		}
		all, _, _ := feed.Of[[]model.DockerNetwork](s, docknetQuestion())
		for i := range all {
			if all[i].ID != id {
				continue
			}
			body, err := yaml.Marshal(&all[i])
			if err != nil {
				return append(out, err.Error())
			}
			return append(out, filtered(c, string(body))...)
		}
		return append(out, "Docker network not found: "+id)
	}}}
}
