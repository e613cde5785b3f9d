// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"net/netip"
	"slices"

	"github.com/contiv/contiv/daemon/agent/kubeservice"
	"github.com/contiv/contiv/daemon/agent/names"
	"github.com/contiv/contiv/daemon/record"
)

// BGP returns the record of a host's router, nil if there is none. The caller must not change it.
func (e *Engine) BGP(host string) *record.BGP {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.records.routers.Get(host)
}

// Announced returns the addresses of a tenant that routers outside reach by this host, in no order: those of its endpoints here, of its
// services, and its External ones.
func (e *Engine) Announced(tenant string) (out []netip.Addr) {
	e.mu.Lock()
	for ep := range endpointsOfHost.In(e.records.endpoints, e.Self.Label).Values() {
		if ep.ID.Tenant != tenant {
			continue
		}
		for _, a := range []netip.Addr{ep.IP, ep.IP6} {
			if a.IsValid() {
				out = append(out, a)
			}
		}
	}
	for v := range servicesOfTenant.In(e.records.services, tenant).Values() {
		if v.IP.Is4() {
			out = append(out, v.IP)
		}
	}
	e.mu.Unlock()
	return append(out, e.External(tenant)...)
}

// External returns the external addresses of a tenant's services of Kubernetes whose connections this host accepts, ordered and distinct:
// for a service with a local traffic policy, those of hosts that have a backend.
func (e *Engine) External(tenant string) (out []netip.Addr) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for v := range e.records.kube.services.Values() {
		if len(v.ExternalIPs)+len(v.LoadBalancerIPs) == 0 || e.records.tenantOf(v.ID.Namespace) != tenant {
			continue
		}
		if s := e.records.wantKubeService(v.ID, ""); s != nil && (!v.ExternalLocal || e.records.serves(v)) {
			// routers would send all traffic of the address here
			out = append(out, slices.DeleteFunc(slices.Clone(s.External), s.Borrows)...)
		}
	}
	slices.SortFunc(out, netip.Addr.Compare)
	return slices.Compact(out)
}

// serves reports whether a service has a backend on this host that accepts connections.
func (r *records) serves(v *record.KubernetesService) bool {
	node := r.site().Node
	for s := range names.SlicesOf.In(r.kube.slices, v.ID).Values() {
		for i := range s.Endpoints {
			if e := &s.Endpoints[i]; node != "" && e.Node == node && e.State != record.EndpointNotReady {
				return true
			}
		}
	}
	return false
}

// Healths returns the health of this host's services for external load balancers, in no order.
func (e *Engine) Healths() (out []kubeservice.Health) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.records.kube.foreign {
		return nil
	}
	at := e.records.site()
	for v := range e.records.kube.services.Values() {
		if v.HealthCheckNodePort == 0 {
			continue
		}
		if h, ok := kubeservice.HealthOf(v, slices.Collect(names.SlicesOf.In(e.records.kube.slices, v.ID).Values()), at); ok {
			out = append(out, h)
		}
	}
	return out
}
