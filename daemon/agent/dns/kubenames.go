// SPDX-License-Identifier: Apache-2.0

package dns

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/contiv/contiv/daemon/agent/names"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// kubeNames has the names of a cluster, those of all its tenants.
type kubeNames struct {
	domain string // without dots at its ends
	names.Kubernetes
}

// exists reports whether a namespace has services.
func (c *kubeNames) exists(namespace string) bool {
	return names.KubernetesServicesIn.In(c.Services, namespace).Len()+names.SlicesIn.In(c.Slices, namespace).Len() > 0
}

// apiServer is the service of Kubernetes' API server, which every tenant has.
var apiServer = identity.KubernetesService{Namespace: "default", Name: "kubernetes"}

// defaultTenant is that of namespaces without one.
const defaultTenant = "default"

// clusterNameServer is the service of the cluster's own name server, whatever its implementation.
var clusterNameServer = identity.KubernetesService{Namespace: "kube-system", Name: "kube-dns"}

// Unserved reports whether an address is that of the cluster's name server and a tenant does not have that service, so that its queries
// there get no answer.
func (c *kubeNames) Unserved(tenant string, address netip.Addr) bool {
	return names.KubernetesServicesAt.In(c.Services, address).Has(clusterNameServer.String()) && !c.has(tenant, clusterNameServer)
}

// has reports whether a tenant has a service.
func (c *kubeNames) has(tenant string, id identity.KubernetesService) bool {
	own := defaultTenant
	if n := c.Namespaces.Get(id.Namespace); n != nil && n.Place.Tenant != "" {
		own = n.Place.Tenant
	}
	return own == tenant || id == apiServer
}

// backend is a backend of a service that is ready, with the ports of its slice.
type backend struct {
	*record.SliceEndpoint
	ports []record.SlicePort
}

// host returns the backend's label below its service: its own name, or one derived from its address.
func (b *backend) host() string {
	if b.Hostname != "" {
		return strings.ToLower(b.Hostname)
	}
	return dashed(b.Address)
}

// backends returns those of a service that are ready, in the order of addresses.
func (c *kubeNames) backends(id identity.KubernetesService) (out []backend) {
	for s := range names.SlicesOf.In(c.Slices, id).Values() {
		for i := range s.Endpoints {
			if e := &s.Endpoints[i]; e.State == record.EndpointReady {
				out = append(out, backend{e, s.Ports})
			}
		}
	}
	slices.SortFunc(out, func(a, b backend) int { return a.Address.Compare(b.Address) })
	return out
}

// dashed writes an address as a label.
func dashed(a netip.Addr) string {
	if a.Is4() {
		return strings.ReplaceAll(a.String(), ".", "-")
	}
	return strings.ReplaceAll(a.StringExpanded(), ":", "-")
}

// undashed parses an address that is written as a label.
func undashed(label string) (netip.Addr, bool) {
	a, err := netip.ParseAddr(strings.ReplaceAll(label, "-", "."))
	if err != nil {
		a, err = netip.ParseAddr(strings.ReplaceAll(label, "-", ":"))
	}
	return a, err == nil
}
