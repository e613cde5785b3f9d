// SPDX-License-Identifier: Apache-2.0

package page

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/verdict"
	"github.com/contiv/contiv/console/feed"
)

// relation is how an endpoint has to do with the selection.
type relation uint8

const (
	unrelated relation = iota // of another tenant: there is no path between them
	refused                   // policies let nothing through, in either direction
	limited                   // some traffic, or it depends
	full                      // all traffic in at least one direction
	selected                  // it is, or belongs to, the selection
)

// relations returns for each endpoint its relation to the selection in the tree. Groups are evaluated when needed, each once.
type relations struct {
	tenant string
	mine   func(*feed.Endpoint) bool
	one    *feed.Endpoint              // when the selection is an endpoint
	judge  func(group string) relation // by group key "group:tenant"; nil: nothing but mine is related
	summed *relationSums               // of the last index; nil: none
	groups map[string]relation
}

// relate makes the relations of a branch.
func relate(s *feed.Snapshot, b *line) *relations {
	t := &relations{groups: map[string]relation{}, mine: func(*feed.Endpoint) bool { return false }}
	var group *model.EndpointGroup
	grouped := false
	switch {
	case b.endpoint != nil:
		t.mine = func(e *feed.Endpoint) bool { return e.Key == b.endpoint.Key }
		t.one, t.tenant, grouped = b.endpoint, b.endpoint.Tenant(), true
		group = groupOf(s, b.endpoint.EndpointGroupKey)
	case b.group != nil:
		key := b.group.Identity().Reversed()
		t.mine = func(e *feed.Endpoint) bool { return e.EndpointGroupKey == key }
		t.tenant, group, grouped = b.group.TenantName, b.group, true
	case b.network != nil:
		id := b.network.ObjectKey()
		t.mine = func(e *feed.Endpoint) bool { return e.NetworkKey() == id }
		t.tenant = b.network.TenantName
	default:
		t.mine = func(e *feed.Endpoint) bool { return e.Tenant() == b.key }
		t.tenant = b.key
	}
	if grouped {
		policies := verdict.New(t.tenant, s.Objects[model.KindEndpointGroup().Name], s.Objects[model.KindNetwork().Name], s.Objects[model.KindRule().Name])
		t.judge = func(key string) relation { return between(policies, group, groupOf(s, key)) }
	}
	return t
}

// of is how an endpoint has to do with the selection.
func (t *relations) of(e *feed.Endpoint) relation {
	if t.mine(e) {
		return selected
	}
	return t.toGroup(e)
}

// toGroup is how an endpoint that is not selected has to do with the selection; all in its group have the same to do with it.
func (t *relations) toGroup(e *feed.Endpoint) relation {
	if t.judge == nil || e.Tenant() != t.tenant {
		return unrelated
	}
	how, known := t.groups[e.EndpointGroupKey]
	if !known {
		how = t.judge(e.EndpointGroupKey)
		t.groups[e.EndpointGroupKey] = how
	}
	return how
}

// relationSums is the number of endpoints of each relation, and the hosts of those that are selected.
type relationSums struct {
	of     *index
	counts map[relation]int
	hosts  map[string]bool
}

// sums counts the endpoints of an index, once.
func (t *relations) sums(x *index) *relationSums {
	if t.summed != nil && t.summed.of == x {
		return t.summed
	}
	counts, on := map[relation]int{unrelated: x.size}, map[string]bool{}
	for at := range x.tenants[t.tenant] {
		all := x.at[at]
		counts[unrelated] -= len(all)
		if t.one != nil && at == (location{t.one.NetworkKey(), t.one.EndpointGroupKey}) {
			counts[t.toGroup(all[0])] += len(all) - 1
			counts[selected]++
			on[t.one.HomingHost] = true
			continue
		}
		how := t.of(all[0])
		counts[how] += len(all)
		for i := 0; how == selected && i < len(all); i++ {
			on[all[i].HomingHost] = true
		}
	}
	t.summed = &relationSums{x, counts, on}
	return t.summed
}

// between is the best of both directions. An endpoint without a group has no policies of its own; no rule names it by its group, and rules
// that name its address are unknown here.
func between(p *verdict.Policies, a, b *model.EndpointGroup) relation {
	if a == nil && b == nil {
		return full
	}
	best := refused
	for _, way := range [][2]*model.EndpointGroup{{a, b}, {b, a}} {
		switch verdict.Sum(p.Between(verdict.Party{Group: way[0]}, verdict.Party{Group: way[1]})).Fate {
		case verdict.Allowed:
			best = full
		case verdict.Depends:
			best = max(best, limited)
		}
	}
	return best
}
