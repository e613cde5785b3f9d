// SPDX-License-Identifier: Apache-2.0

package page

import (
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
)

// hasSummary reports whether the table of a kind shows the summary of its objects.
func hasSummary(k *model.Kind) bool {
	columns, _, _ := k.SummaryColumns()
	return len(columns) > 0
}

// summaries returns what gives each object of a kind its summary, as netmaster would; nil if the kind has none. It reads the snapshot once.
func summaries(k *model.Kind, s *feed.Snapshot) func(o model.Object) model.Summary {
	switch k {
	case model.KindRule():
		groups := map[string][]string{}
		for _, g := range each[*model.EndpointGroup](s) {
			for _, name := range g.Policies {
				key := model.Key(g.TenantName, name)
				groups[key] = append(groups[key], g.GroupName)
			}
		}
		for _, list := range groups {
			slices.Sort(list)
		}
		return func(o model.Object) (out model.Summary) {
			if r, ok := o.(*model.Rule); ok {
				out.Groups = groups[model.Key(r.TenantName, r.PolicyName)]
			}
			return out
		}
	case model.KindNetwork():
		return func(o model.Object) (out model.Summary) {
			if p, ok := s.Pools[o.ObjectKey()]; ok {
				out.VNI, out.Used, out.Free = p.VNI, &p.Count, &p.Free
			}
			return out
		}
	case model.KindEndpointGroup():
		counts := map[string]int{}
		for _, e := range s.Endpoints {
			counts[e.EndpointGroupKey]++
		}
		return func(o model.Object) (out model.Summary) {
			if g, ok := o.(*model.EndpointGroup); ok && s.Synced {
				n := counts[g.Identity().Reversed()]
				out.Endpoints = &n
			}
			return out
		}
	case model.KindServiceLB():
		return func(o model.Object) (out model.Summary) {
			state, _, ok := feed.Of[*model.ServiceLBInspect](s, feed.Question{Topic: feed.State, Kind: k.Name, Key: o.ObjectKey()})
			if ok && state.Oper != nil {
				n, ready := len(state.Oper.Providers), state.Oper.NumReady
				out.Address, out.Endpoints, out.Ready = state.Oper.ServiceVip, &n, &ready
			}
			return out
		}
	}
	return nil
}
