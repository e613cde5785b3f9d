// SPDX-License-Identifier: Apache-2.0

package find

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
)

// searchDockerNetworks searches the networks of Docker engines that have a record.
func searchDockerNetworks(v *catalog.View, q *query, who *auth.Subject, out *best) {
	all := who.SeesAll(model.KindNetwork())
	for _, d := range v.DockerNetworks() {
		value := q.dockerNetwork(d)
		if value.rank == none || !all && !who.Sees(model.KindNetwork(), d.Network.String()) { // as their list
			continue
		}
		if m := value.match(); out.keeps(m) {
			out.put(m, model.Found{Kind: model.FoundDockerNetwork, Key: d.ID, Field: value.field, Value: value.text, About: aboutDockerNetwork(d)})
		}
	}
}

// dockerNetwork compares the id of a Docker network, what it maps to, and its subnets.
func (q *query) dockerNetwork(d *record.DockerNetwork) value {
	best := value{rank: none}
	if r := q.in(d.ID); r <= prefix || kindOfName(d.ID, name, drawnName) == name {
		best.better(r, "id", d.ID)
	}
	best.better(q.in(d.Network.Name), "network", d.Network.Name)
	best.better(q.in(d.Group), "group", d.Group)
	for _, p := range d.Pools {
		best.better(q.place(p.String()), "pools", p.String())
	}
	return best
}

func aboutDockerNetwork(d *record.DockerNetwork) string {
	about := "network " + d.Network.String()
	if d.Group != "" {
		about = "group " + d.Of().String()
	}
	return about + " " + d.Place()
}
