package page

import (
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/verdict"
	"github.com/contiv/contiv/console/feed"
)

// tie is how an endpoint has to do with the selection.
type tie uint8

const (
	unrelated tie = iota // of another tenant: there is no way between
	refused              // policies let nothing through, in either direction
	limited              // some traffic, or it depends
	open                 // all traffic in at least one direction
	selected             // it is, or belongs to, the selection
)

// ties tells of each endpoint how it has to do with what is selected in the tree. Groups are judged when they are asked
// about, each once.
type ties struct {
	tenant string
	mine   func(*model.EndpointOper) bool
	one    *model.EndpointOper    // when the selection is an endpoint
	judge  func(group string) tie // by group key "group:tenant"; nil: nothing but mine is related
	groups map[string]tie
}

// relate makes the ties of a branch.
func relate(s *feed.Snapshot, b *branch) *ties {
	t := &ties{groups: map[string]tie{}, mine: func(*model.EndpointOper) bool { return false }}
	if b == nil {
		return t
	}
	var group *model.EndpointGroup
	grouped := false
	switch {
	case b.endpoint != nil:
		t.mine = func(e *model.EndpointOper) bool { return e.Key == b.endpoint.Key }
		t.one, t.tenant, grouped = b.endpoint, tenantOf(b.endpoint), true
		group = groupOf(s, b.endpoint.EndpointGroupKey)
	case b.group != nil:
		key := b.group.GroupName + ":" + b.group.TenantName
		t.mine = func(e *model.EndpointOper) bool { return e.EndpointGroupKey == key }
		t.tenant, group, grouped = b.group.TenantName, b.group, true
	case b.network != nil:
		id := b.network.NetworkName + "." + b.network.TenantName
		t.mine = func(e *model.EndpointOper) bool { return e.Network == id }
		t.tenant = b.network.TenantName
	default:
		t.mine = func(e *model.EndpointOper) bool { return tenantOf(e) == b.key }
		t.tenant = b.key
	}
	if grouped {
		policies := verdict.New(t.tenant, s.Objects[model.KindEndpointGroup().Name], s.Objects[model.KindNetwork().Name], s.Objects[model.KindRule().Name])
		t.judge = func(key string) tie { return between(policies, group, groupOf(s, key)) }
	}
	return t
}

// of is how an endpoint has to do with the selection.
func (t *ties) of(e *model.EndpointOper) tie {
	if t.mine(e) {
		return selected
	}
	return t.kin(e)
}

// kin is how an endpoint that is not selected has to do with the selection; all in its group have the same to do with it.
func (t *ties) kin(e *model.EndpointOper) tie {
	if t.judge == nil || tenantOf(e) != t.tenant {
		return unrelated
	}
	how, known := t.groups[e.EndpointGroupKey]
	if !known {
		how = t.judge(e.EndpointGroupKey)
		t.groups[e.EndpointGroupKey] = how
	}
	return how
}

// sums counts the endpoints of each tie, and the hosts of those that are selected.
func (t *ties) sums(c *census) (counts map[tie]int, hosts int) {
	counts, on := map[tie]int{unrelated: len(c.from)}, map[string]bool{}
	for at := range c.of[t.tenant] {
		all := c.cells[at]
		counts[unrelated] -= len(all)
		if t.one != nil && at == (cell{t.one.Network, t.one.EndpointGroupKey}) {
			counts[t.kin(all[0])] += len(all) - 1
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
	return counts, len(on)
}

// between is the best of both directions. An endpoint without a group has no policies of its own; what others' rules say
// of it by its group is nothing, by its address it is not known here.
func between(p *verdict.Policies, a, b *model.EndpointGroup) tie {
	if a == nil && b == nil {
		return open
	}
	best := refused
	for _, way := range [][2]*model.EndpointGroup{{a, b}, {b, a}} {
		switch verdict.Sum(p.Between(verdict.Party{Group: way[0]}, verdict.Party{Group: way[1]})).Fate {
		case verdict.Allowed:
			best = open
		case verdict.Depends:
			best = max(best, limited)
		}
	}
	return best
}

func tenantOf(e *model.EndpointOper) string {
	_, tenant, _ := strings.Cut(e.Network, ".")
	return tenant
}

// groupOf finds a group by its key "group:tenant"; nil: there is none.
func groupOf(s *feed.Snapshot, key string) *model.EndpointGroup {
	name, tenant, _ := strings.Cut(key, ":")
	g, _ := find(s, model.KindEndpointGroup(), model.Key(tenant, name)).(*model.EndpointGroup)
	return g
}
