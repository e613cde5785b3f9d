package kubeservice

import (
	"net/netip"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// Health is what a host says of a service, at a port of its own, to load balancers outside: how many backends it has that are ready, which
// are what it leads clients outside to.
type Health struct {
	Service identity.KubernetesService
	Port    uint16
	Local   int
}

// HealthOf is what a host is to say of a service; ok is false when the service has no health check port.
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
