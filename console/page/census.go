package page

import (
	"slices"

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

// count is the census of a snapshot: c itself when the endpoints are the same, else made of c, which is used up.
func (c *census) count(s *feed.Snapshot) *census {
	if c != nil && same(c.from, s.Endpoints) {
		return c
	}
	out := &census{from: s.Endpoints}
	if c == nil {
		out.cells, out.hosts = map[cell][]*model.EndpointOper{}, map[string][]*model.EndpointOper{}
		for _, e := range s.Endpoints {
			out.add(e)
		}
		return out
	}
	out.cells, out.hosts = c.cells, c.hosts
	// Both lists are in the same order, so one walk finds what came and what went.
	old, all := c.from, s.Endpoints
	for len(old) > 0 || len(all) > 0 {
		switch {
		case len(old) > 0 && len(all) > 0 && old[0] == all[0]:
			old, all = old[1:], all[1:]
		case len(old) > 0 && (len(all) == 0 || !before(all[0], old[0])):
			out.drop(old[0])
			old = old[1:]
		default:
			out.add(all[0])
			all = all[1:]
		}
	}
	return out
}

func (c *census) add(e *model.EndpointOper) {
	at := cell{e.Network, e.EndpointGroupKey}
	c.cells[at] = insert(c.cells[at], e)
	c.hosts[e.HomingHost] = insert(c.hosts[e.HomingHost], e)
}

func (c *census) drop(e *model.EndpointOper) {
	at := cell{e.Network, e.EndpointGroupKey}
	is := func(x *model.EndpointOper) bool { return x == e }
	if c.cells[at] = slices.DeleteFunc(c.cells[at], is); len(c.cells[at]) == 0 {
		delete(c.cells, at)
	}
	if c.hosts[e.HomingHost] = slices.DeleteFunc(c.hosts[e.HomingHost], is); len(c.hosts[e.HomingHost]) == 0 {
		delete(c.hosts, e.HomingHost)
	}
}

// insert puts an endpoint where it belongs by its order; the last place is the usual one.
func insert(all []*model.EndpointOper, e *model.EndpointOper) []*model.EndpointOper {
	i := len(all)
	for i > 0 && before(e, all[i-1]) {
		i--
	}
	return slices.Insert(all, i, e)
}
