// SPDX-License-Identifier: Apache-2.0

package kubeservice

import (
	"slices"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
)

// backends returns the backends of a port, ordered and distinct by address and port: of one that occurs twice, as while it moves from slice
// to slice, the one that accepts connections counts.
func backends(p *record.ServicePort, list []*record.EndpointSlice, at *Site) []ofnet.Backend {
	type entry struct {
		ofnet.Backend
		*record.SliceEndpoint
	}
	var all []entry
	for _, s := range list {
		target, ok := targetOf(p, s)
		if !ok || s.Headless {
			continue
		}
		for i := range s.Endpoints {
			e := &s.Endpoints[i]
			if e.State == record.EndpointNotReady {
				continue
			}
			b := ofnet.Backend{Addr: e.Address, Target: target, Draining: e.State == record.EndpointDraining}
			if e.Node != "" && at.HostOf != nil {
				b.Host = at.HostOf(e.Node, e.Address)
			}
			all = append(all, entry{b, e})
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int {
		if c := a.Compare(b.Backend); c != 0 || a.Draining == b.Draining {
			return c
		}
		if a.Draining {
			return 1
		}
		return -1
	})
	all = slices.CompactFunc(all, func(a, b entry) bool { return a.Compare(b.Backend) == 0 })
	var h hints
	for _, e := range all {
		h.add(e.SliceEndpoint, at)
	}
	out := make([]ofnet.Backend, len(all))
	for i, e := range all {
		out[i] = e.Backend
		out[i].Far = !e.Draining && !h.near(e.SliceEndpoint, at)
	}
	return slices.Clip(out)
}

// targetOf returns the port at which a slice's backends provide a port of its service; ok is false if they do not.
func targetOf(p *record.ServicePort, s *record.EndpointSlice) (target uint16, ok bool) {
	for _, sp := range s.Ports {
		if sp.Name == p.Name && sp.Protocol == p.Protocol && sp.Port != 0 {
			return sp.Port, true
		}
	}
	return 0, false
}
