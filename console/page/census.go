package page

import (
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/widget"
)

// cell is where endpoints are: a network "name.tenant" and a group "name:tenant", "" without one.
type cell struct{ network, group string }

// census is the endpoints of a snapshot, sorted out once: frames in which nothing came or went share it.
type census struct {
	from  []*model.EndpointOper
	cells map[cell][]*model.EndpointOper // a list whose members changed is another list
	hosts map[string][]*model.EndpointOper

	filter *widget.Filter
	kept   map[cell]kept // by filter
}

// kept is the members of a cell that a filter keeps.
type kept struct{ of, members []*model.EndpointOper }

// keeps is the members of a cell that a filter keeps; a cell that did not change is not filtered again.
func (c *census) keeps(at cell, filter *widget.Filter) []*model.EndpointOper {
	all := c.cells[at]
	if filter == nil {
		return all
	}
	if c.filter != filter || c.kept == nil {
		c.filter, c.kept = filter, map[cell]kept{}
	}
	if was, known := c.kept[at]; known && same(was.of, all) {
		return was.members
	}
	var parts [3]string
	k := kept{of: all}
	for _, e := range all {
		if parts = [3]string{e.EndpointID, firstAddress(e), e.HomingHost}; filter.Keeps(parts[:]) {
			k.members = append(k.members, e)
		}
	}
	c.kept[at] = k
	return k.members
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
	out.cells, out.hosts, out.filter, out.kept = c.cells, c.hosts, c.filter, c.kept
	// Both lists are in the same order, so one walk finds what came and what went.
	old, all := c.from, s.Endpoints
	for len(old) > 0 || len(all) > 0 {
		n := alike(old, all)
		old, all = old[n:], all[n:]
		switch {
		case len(old)+len(all) == 0:
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

// alike is how many endpoints two lists begin with in common.
func alike(a, b []*model.EndpointOper) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// before is the order of a snapshot's endpoints.
func before(a, b *model.EndpointOper) bool { return feed.CompareEndpoints(a, b) < 0 }

func (c *census) add(e *model.EndpointOper) {
	at := cell{e.Network, e.EndpointGroupKey}
	c.cells[at] = insert(c.cells[at], e)
	c.hosts[e.HomingHost] = insert(c.hosts[e.HomingHost], e)
}

func (c *census) drop(e *model.EndpointOper) {
	at := cell{e.Network, e.EndpointGroupKey}
	is := func(x *model.EndpointOper) bool { return x == e }
	if c.cells[at] = slices.DeleteFunc(slices.Clone(c.cells[at]), is); len(c.cells[at]) == 0 {
		delete(c.cells, at)
	}
	if c.hosts[e.HomingHost] = slices.DeleteFunc(slices.Clone(c.hosts[e.HomingHost]), is); len(c.hosts[e.HomingHost]) == 0 {
		delete(c.hosts, e.HomingHost)
	}
}

// insert puts an endpoint where it belongs by its order; the last place is the usual one.
func insert(all []*model.EndpointOper, e *model.EndpointOper) []*model.EndpointOper {
	i := len(all)
	for i > 0 && before(e, all[i-1]) {
		i--
	}
	if i == len(all) {
		return append(all, e)
	}
	return slices.Insert(slices.Clone(all), i, e)
}
