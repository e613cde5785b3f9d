package page

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
)

// cell is where endpoints are: a network "name.tenant" and a group "name:tenant", "" without one.
type cell struct{ network, group string }

// census is the endpoints of a snapshot, sorted out once: frames in which nothing came or went share it.
type census struct {
	from  []*model.EndpointOper
	cells map[cell][]*model.EndpointOper
	hosts map[string][]*model.EndpointOper
}

// count is the census of a snapshot: c itself when the endpoints are the same.
func (c *census) count(s *feed.Snapshot) *census {
	if c != nil && same(c.from, s.Endpoints) {
		return c
	}
	out := &census{from: s.Endpoints, cells: map[cell][]*model.EndpointOper{}, hosts: map[string][]*model.EndpointOper{}}
	for _, e := range s.Endpoints {
		at := cell{e.Network, e.EndpointGroupKey}
		out.cells[at] = append(out.cells[at], e)
		out.hosts[e.HomingHost] = append(out.hosts[e.HomingHost], e)
	}
	return out
}
