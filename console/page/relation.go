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

// ties tells of each endpoint, by key, how it has to do with what is selected in the tree.
type ties struct {
	of     map[string]tie
	groups map[string]tie // by group key "group:tenant"; of the tenant's
	tenant string
}

// relate judges the selection against all endpoints, once per pair of groups.
func relate(s *feed.Snapshot, b *branch) *ties {
	t := &ties{of: map[string]tie{}, groups: map[string]tie{}}
	if b == nil {
		return t
	}
	var mine func(*model.EndpointOper) bool
	var group *model.EndpointGroup
	grouped := false
	switch {
	case b.endpoint != nil:
		mine = func(e *model.EndpointOper) bool { return e.Key == b.endpoint.Key }
		t.tenant, grouped = tenantOf(b.endpoint), true
		group = groupOf(s, b.endpoint.EndpointGroupKey)
	case b.group != nil:
		mine = func(e *model.EndpointOper) bool {
			return e.EndpointGroupKey == b.group.GroupName+":"+b.group.TenantName
		}
		t.tenant, group, grouped = b.group.TenantName, b.group, true
	case b.network != nil:
		mine = func(e *model.EndpointOper) bool { return networkKey(e) == b.key }
		t.tenant = b.network.TenantName
	default:
		mine = func(e *model.EndpointOper) bool { return tenantOf(e) == b.key }
		t.tenant = b.key
	}
	var policies *verdict.Policies
	if grouped {
		policies = verdict.New(t.tenant, s.Objects[model.KindEndpointGroup().Name], s.Objects[model.KindNetwork().Name], s.Objects[model.KindRule().Name])
	}
	for i := range s.Endpoints {
		e := &s.Endpoints[i]
		switch {
		case mine(e):
			t.of[e.Key] = selected
		case grouped && tenantOf(e) == t.tenant:
			how, known := t.groups[e.EndpointGroupKey]
			if !known {
				how = between(policies, group, groupOf(s, e.EndpointGroupKey))
				t.groups[e.EndpointGroupKey] = how
			}
			t.of[e.Key] = how
		}
	}
	return t
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
