// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/table"
)

var (
	adoptionsInOrder = table.Sorted[string](func(a, b *record.Adoption) int { return a.Endpoint.ID.Compare(b.Endpoint.ID) })
	adoptionsOfHost  = table.By[string](func(a *record.Adoption) string { return a.Endpoint.Host })
)

func adoptionSpace() keyspace {
	return rows[string, record.Adoption]{in: func(v *View) *of[record.Adoption] { return &v.adoptions }, id: func(a *record.Adoption) string { return a.Key }}.at(record.Adoptions)
}

// Adoptions returns the endpoints that hosts carry and that contradict the store, ordered by id.
func (v *View) Adoptions() (out []*record.Adoption) {
	for a := range adoptionsInOrder.All(&v.adoptions) {
		out = append(out, a)
	}
	return out
}

// AdoptionsOf returns the adoptions of a host, in no order.
func (v *View) AdoptionsOf(host string) (out []*record.Adoption) {
	for a := range adoptionsOfHost.In(&v.adoptions, host).Values() {
		out = append(out, a)
	}
	return out
}
