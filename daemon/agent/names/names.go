// SPDX-License-Identifier: Apache-2.0

// Package names declares by which names and addresses the name server finds containers and services. The tables are those of the agent's
// records, which keep these indexes; the name server reads snapshots of them.
package names

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/table"
)

// Snapshot has the records with names, as of one moment. Nobody changes its tables.
type Snapshot struct {
	Tenants    *table.Table[string, *record.Tenant]    // by name
	Endpoints  *table.Table[string, *record.Endpoint]  // by id
	Services   *table.Table[string, *record.ServiceLB] // by id
	Kubernetes Kubernetes
}

// Kubernetes has the records of a cluster's names, those of all its tenants.
type Kubernetes struct {
	Services   *table.Table[string, *record.KubernetesService] // by id
	Slices     *table.Table[string, *record.EndpointSlice]     // by id
	Namespaces *table.Table[string, *record.Namespace]         // by name
}

// In is a name of a tenant, in lower case and without a dot at its end.
type In struct{ Tenant, Name string }

// Of returns a name of a tenant; zero if the name is empty, so that no index has it.
func Of(tenant, name string) In {
	if name == "" {
		return In{}
	}
	return In{tenant, name}
}

// At is an address of a tenant.
type At struct {
	Tenant  string
	Address netip.Addr
}

// Indexes of the tables.
var (
	TenantsByVRF     = table.By[string](func(t *record.Tenant) uint16 { return t.VRF })
	EndpointsInGroup = table.By[string](func(e *record.Endpoint) In { return Of(e.ID.Tenant, Fold(e.Group.Name)) })
	EndpointsNamed   = table.ByEach[string](func(e *record.Endpoint, to []In) []In {
		to = append(to, Of(e.ID.Tenant, Name(e)))
		for _, a := range aliases(e) {
			to = append(to, Of(e.ID.Tenant, Fold(a)))
		}
		return to
	})
	EndpointsAt = table.ByEach[string](func(e *record.Endpoint, to []At) []At {
		for _, a := range Addresses(e) {
			to = append(to, At{e.ID.Tenant, a})
		}
		return to
	})
	ServicesNamed = table.By[string](func(v *record.ServiceLB) In {
		if !v.IP.IsValid() { // it has no address yet
			return In{}
		}
		return Of(v.ID.Tenant, Fold(v.ID.Name))
	})
	ServicesAt = table.By[string](func(v *record.ServiceLB) At {
		if !v.IP.IsValid() {
			return At{}
		}
		return At{v.ID.Tenant, v.IP}
	})

	KubernetesServicesIn = table.By[string](func(v *record.KubernetesService) string { return v.ID.Namespace })
	KubernetesServicesAt = table.ByEach[string](func(v *record.KubernetesService, to []netip.Addr) []netip.Addr { return append(to, v.ClusterIPs...) })
	SlicesOf             = table.By[string]((*record.EndpointSlice).Of)
	SlicesIn             = table.By[string](func(s *record.EndpointSlice) string { return s.Of().Namespace })
)

// Name returns the name of a container, to which its addresses resolve: its common name, or its endpoint id if it has none. A pod has the
// name POD.NAMESPACE, which exists only under the domain: a single word could be claimed by anyone who may create pods, who would then
// receive the traffic of a service.
func Name(e *record.Endpoint) string {
	if pod := e.Pod.ID; pod.Name != "" {
		return Fold(pod.Name + "." + pod.Namespace)
	}
	return Fold(cmp.Or(e.CommonName, e.ID.Endpoint))
}

// aliases returns further names of a container. A pod has none.
func aliases(e *record.Endpoint) []string {
	if e.Pod.ID.Name != "" {
		return nil
	}
	return e.Aliases
}

// Addresses returns the addresses of a container.
func Addresses(e *record.Endpoint) []netip.Addr {
	return slices.DeleteFunc([]netip.Addr{e.IP, e.IP6}, func(a netip.Addr) bool { return !a.IsValid() })
}

// Fold returns a name in lower case (RFC 4343) and without the dot of the root.
func Fold(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }
