package page

import (
	"context"
	"maps"
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
	of    map[string]map[cell]bool // the cells of each tenant
	was   map[cell]int             // how many were in the cells that differ from the census before

	filter *widget.Filter
	kept   map[cell]kept // by filter
}

// kept is the members of a cell that a filter keeps.
type kept struct{ of, members []*model.EndpointOper }

// keeps is the members of a cell that the filter keeps by which it was sifted. Of a cell that changed, only what is new is
// looked at.
func (c *census) keeps(at cell, filter *widget.Filter) []*model.EndpointOper {
	all := c.cells[at]
	if filter == nil {
		return all
	}
	if c.filter != filter || c.kept == nil {
		c.filter, c.kept = filter, map[cell]kept{}
	}
	was := c.kept[at]
	if !same(was.of, all) {
		was = was.become(all, filter)
		c.kept[at] = was
	}
	return was.members
}

// become is what is kept of a list that was k's before.
func (k kept) become(all []*model.EndpointOper, filter *widget.Filter) kept {
	out := kept{of: all}
	for old, members := k.of, k.members; len(all) > 0; {
		for len(old) > 0 && old[0] != all[0] && !before(all[0], old[0]) {
			if len(members) > 0 && members[0] == old[0] {
				members = members[1:]
			}
			old = old[1:]
		}
		e := all[0]
		all = all[1:]
		if len(old) > 0 && old[0] == e {
			if old = old[1:]; len(members) > 0 && members[0] == e {
				out.members, members = append(out.members, e), members[1:]
			}
			continue
		}
		if parts := [3]string{e.EndpointID, firstAddress(e), e.HomingHost}; filter.Keeps(parts[:]) {
			out.members = append(out.members, e)
		}
	}
	return out
}

// sieve is what is needed to filter a census while that goes on changing.
type sieve struct {
	cells map[cell][]*model.EndpointOper
	kept  map[cell]kept // by a filter that the new one narrows; nil: there is none
}

func (c *census) sieve(filter *widget.Filter) sieve {
	out := sieve{cells: maps.Clone(c.cells)}
	if c.kept != nil && c.filter != nil && filter.Narrows(c.filter) {
		out.kept = maps.Clone(c.kept)
	}
	return out
}

// sift is what a filter keeps; nil when ctx ends.
func (x sieve) sift(ctx context.Context, filter *widget.Filter) map[cell]kept {
	out := make(map[cell]kept, len(x.cells))
	for at, all := range x.cells {
		if ctx.Err() != nil {
			return nil
		}
		among := all
		if was, known := x.kept[at]; known && same(was.of, all) {
			among = was.members
		}
		out[at] = kept{all, kept{}.become(among, filter).members}
	}
	return out
}

// count is the census of a snapshot: c itself when the endpoints are the same, else made of c, which is used up.
func (c *census) count(s *feed.Snapshot) *census {
	if c != nil && same(c.from, s.Endpoints) {
		return c
	}
	out := &census{from: s.Endpoints, was: map[cell]int{}}
	if c == nil {
		out.cells, out.hosts, out.of = map[cell][]*model.EndpointOper{}, map[string][]*model.EndpointOper{}, map[string]map[cell]bool{}
		for _, e := range s.Endpoints {
			out.add(e)
		}
		return out
	}
	out.cells, out.hosts, out.of, out.filter, out.kept = c.cells, c.hosts, c.of, c.filter, c.kept
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
	at, tenant := cell{e.Network, e.EndpointGroupKey}, tenantOf(e)
	if c.of[tenant] == nil {
		c.of[tenant] = map[cell]bool{}
	}
	c.of[tenant][at] = true
	c.note(at)
	c.cells[at] = insert(c.cells[at], e)
	c.hosts[e.HomingHost] = insert(c.hosts[e.HomingHost], e)
}

func (c *census) drop(e *model.EndpointOper) {
	at := cell{e.Network, e.EndpointGroupKey}
	is := func(x *model.EndpointOper) bool { return x == e }
	c.note(at)
	if c.cells[at] = slices.DeleteFunc(slices.Clone(c.cells[at]), is); len(c.cells[at]) == 0 {
		delete(c.cells, at)
		if delete(c.of[tenantOf(e)], at); len(c.of[tenantOf(e)]) == 0 {
			delete(c.of, tenantOf(e))
		}
	}
	if c.hosts[e.HomingHost] = slices.DeleteFunc(slices.Clone(c.hosts[e.HomingHost]), is); len(c.hosts[e.HomingHost]) == 0 {
		delete(c.hosts, e.HomingHost)
	}
}

// note remembers how many were in a cell before the first change of it.
func (c *census) note(at cell) {
	if _, known := c.was[at]; !known {
		c.was[at] = len(c.cells[at])
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
