// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/table"
)

// Indexes of records.
var (
	groupsOfTenant = table.By[identity.Group](func(g *record.Group) string { return g.ID.Tenant })
	groupsWithPool = table.By[identity.Group](func(g *record.Group) (on identity.Network) {
		if g.Pool.First.Is4() && g.Pool.Contains(g.Pool.Last) {
			on = g.Network
		}
		return on
	})
	servicesOfTenant = table.By[identity.Service](func(s *record.ServiceLB) string { return s.ID.Tenant })
)

// sortedBy sorts rows by a name.
func sortedBy[V any](rows iter.Seq[V], name func(V) string) []V {
	return slices.SortedFunc(rows, func(a, b V) int { return strings.Compare(name(a), name(b)) })
}

// sortedByID sorts rows by their id.
func sortedByID[V any, K interface{ Compare(K) int }](rows iter.Seq[V], id func(V) K) []V {
	return slices.SortedFunc(rows, func(a, b V) int { return id(a).Compare(id(b)) })
}

func groupID(g *record.Group) identity.Group         { return g.ID }
func serviceID(s *record.ServiceLB) identity.Service { return s.ID }

func (v *View) setGlobal(_ string, value []byte) error {
	v.global = nil
	if value == nil {
		return nil
	}
	v.global = new(record.Global)
	return json.Unmarshal(value, v.global)
}

func serviceAllocation(s *record.ServiceLB) (allocation, error) {
	return allocation{owner: owner{"service", &s.ID}, network: s.Network, addresses: valid(s.IP)}, nil
}

func (v *View) profileChanged(was, now *record.ACIProfile) error {
	v.touch(Ref{model.KindAppProfile().Name, cmp.Or(now, was).Key})
	return nil
}

// Tenant returns a record by the id of its object, nil if there is none; so do Group, ServiceLB and Provider.
func (v *View) Tenant(id string) *record.Tenant                 { return v.tenants.Get(id) }
func (v *View) Group(id identity.Group) *record.Group           { return v.groups.Get(id) }
func (v *View) ServiceLB(id identity.Service) *record.ServiceLB { return v.serviceLBs.Get(id) }
func (v *View) Provider(id identity.Service) *record.Provider   { return v.providers.Get(id) }

// Groups returns all groups of a tenant (of all, when tenant is empty), ordered by id.
func (v *View) Groups(tenant string) []*record.Group {
	all := v.groups.Values()
	if tenant != "" {
		all = groupsOfTenant.In(&v.groups, tenant).Values()
	}
	return sortedByID(all, groupID)
}

// ServiceLBs returns all services of a tenant, ordered by id.
func (v *View) ServiceLBs(tenant string) []*record.ServiceLB {
	return sortedByID(servicesOfTenant.In(&v.serviceLBs, tenant).Values(), serviceID)
}

// ProvidersOf returns the endpoints that are providers of a service, ordered by id.
func (v *View) ProvidersOf(s *record.ServiceLB) []*record.Endpoint {
	var out []*record.Endpoint
	for _, n := range v.Networks(s.ID.Tenant) {
		for m := range n.Members {
			if s.Selects(m.Labels) {
				out = append(out, m.Endpoint)
			}
		}
	}
	return out
}

// ACIProfile returns what the ACI gateway received for the application profile with this API key, nil for nothing.
func (v *View) ACIProfile(key string) *record.ACIProfile { return v.profiles.Get(key) }

// ACIProfiles returns what the ACI gateway received, ordered by key.
func (v *View) ACIProfiles() []*record.ACIProfile {
	return sortedBy(v.profiles.Values(), func(p *record.ACIProfile) string { return p.Key })
}
