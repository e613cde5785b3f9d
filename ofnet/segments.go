// SPDX-License-Identifier: Apache-2.0

package ofnet

import (
	"iter"

	"github.com/contiv/contiv/table"
)

var (
	segmentsOfTenant = table.By[string](func(n *Segment) string { return n.Tenant })
	routesVia        = table.By[string](func(r *Route) string { return r.Via })
)

// SegmentsOf yields the segments of a tenant, in no order.
func (s *State) SegmentsOf(tenant string) iter.Seq[*Segment] {
	return segmentsOfTenant.In(s.Segments, tenant).Values()
}

// RoutesVia yields the prefixes and routes that lead to next hops, in no order.
func (s *State) RoutesVia(hops string) iter.Seq2[string, *Route] {
	return routesVia.In(s.Routes, hops).All()
}
