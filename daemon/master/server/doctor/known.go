// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/health"
	"github.com/contiv/contiv/daemon/record"
)

// allServices lists the services of all tenants.
func allServices(v *catalog.View) (out []*record.ServiceLB) {
	for _, t := range v.Objects(model.KindTenant()) {
		out = append(out, v.ServiceLBs(t.ObjectKey())...)
	}
	return out
}

// services returns each service with the number of its providers, and for a service without providers the labels that are nearest to its selector.
func services(v *catalog.View) (out []health.Service) {
	for _, s := range allServices(v) {
		one := health.Service{ID: s.ID, Selector: s.Selectors, Providers: len(v.ProvidersOf(s))}
		if one.Providers == 0 {
			one.Nearest = nearest(v, s)
		}
		out = append(out, one)
	}
	return out
}

// nearest are the labels of the container in the service's tenant that has most of its selector: whole labels first, then their names.
func nearest(v *catalog.View, s *record.ServiceLB) (labels map[string]string) {
	best := -1
	for _, n := range v.Networks(s.ID.Tenant) {
		for m := range n.Members {
			score := 0
			for k, want := range s.Selectors {
				switch got, ok := m.Labels[k]; {
				case ok && got == want:
					score += 2
				case ok:
					score++
				}
			}
			if len(m.Labels) > 0 && score > best {
				best, labels = score, m.Labels
			}
		}
	}
	return labels
}

// pools returns the use of the networks' pools of IPv4.
func pools(v *catalog.View) (out []health.Pool) {
	for _, n := range v.Networks("") {
		if own, ok := n.Pool4(); ok {
			out = append(out, health.Pool{Network: n.Record.ID, Taken: n.Allocated(), Free: own.Free()})
		}
	}
	return out
}
