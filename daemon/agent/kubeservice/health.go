// SPDX-License-Identifier: Apache-2.0

package kubeservice

import (
	"net/netip"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// Health is a host's answer to external load balancers about a service, at its own port: the number of ready backends on the host, to which
// it leads external clients.
type Health struct {
	Service identity.KubernetesService
	Port    uint16
	Local   int
}

// HealthOf returns a host's answer about a service; ok is false if the service has no health check port.
func HealthOf(v *record.KubernetesService, list []*record.EndpointSlice, at *Site) (h Health, ok bool) {
	if v.Type != record.ServiceLoadBalancer || !v.ExternalLocal || v.HealthCheckNodePort == 0 {
		return h, false
	}
	seen, families := map[netip.Addr]struct{}{}, [2]int{}
	for _, s := range list {
		for i := range s.Endpoints {
			e := &s.Endpoints[i]
			if _, again := seen[e.Address]; again || at.Node == "" || e.Node != at.Node || e.State != record.EndpointReady {
				continue
			}
			seen[e.Address] = struct{}{}
			if e.Address.Is4() {
				families[0]++
			} else {
				families[1]++
			}
		}
	}
	// a backend has one of each, or one
	return Health{Service: v.ID, Port: v.HealthCheckNodePort, Local: max(families[0], families[1])}, true
}
