package dns

import (
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/table"
)

// kubeNames has the names of a cluster, those of all its tenants. Its methods are safe for concurrent use.
type kubeNames struct {
	domain string // without dots at its ends

	mu         sync.RWMutex
	services   *table.Table[identity.KubernetesService, *record.KubernetesService]
	slices     *table.Table[string, *record.EndpointSlice] // by id
	namespaces *table.Table[string, *record.Namespace]     // by name
}

// Indexes of the tables.
var (
	servicesInNamespace = table.By[identity.KubernetesService](func(v *record.KubernetesService) string { return v.ID.Namespace })
	kubeServicesAt      = table.ByEach[identity.KubernetesService](func(v *record.KubernetesService, to []netip.Addr) []netip.Addr { return append(to, v.ClusterIPs...) })
	slicesOfService     = table.By[string]((*record.EndpointSlice).Of)
	slicesInNamespace   = table.By[string](func(s *record.EndpointSlice) string { return s.Of().Namespace })
)

// newKubeNames makes kubeNames without names, whose names will exist under a domain such as "cluster.local".
func newKubeNames(domain string) *kubeNames {
	return &kubeNames{domain: strings.ToLower(strings.Trim(domain, ".")), services: table.New(servicesInNamespace, kubeServicesAt),
		slices: table.New(slicesOfService, slicesInNamespace), namespaces: table.New[string, *record.Namespace]()}
}

// Service applies a service's record, nil if it was deleted.
func (c *kubeNames) Service(id identity.KubernetesService, r *record.KubernetesService) {
	put(c, c.services, id, r)
}

// Slice applies the record of some backends of a service, by its id, nil if it was deleted.
func (c *kubeNames) Slice(id string, r *record.EndpointSlice) { put(c, c.slices, id, r) }

// Namespace applies a namespace's record, nil if it was deleted.
func (c *kubeNames) Namespace(name string, r *record.Namespace) { put(c, c.namespaces, name, r) }

// put sets a row of a table of c; nil deletes it.
func put[K comparable, V any](c *kubeNames, t *table.Table[K, *V], key K, row *V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if row == nil {
		t.Delete(key)
	} else {
		t.Set(key, row)
	}
}

// exists reports whether a namespace has services. The caller holds c.mu.
func (c *kubeNames) exists(namespace string) bool {
	return servicesInNamespace.In(c.services, namespace).Len()+slicesInNamespace.In(c.slices, namespace).Len() > 0
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
	c.mu.RLock()
	defer c.mu.RUnlock()
	return kubeServicesAt.In(c.services, address).Has(clusterNameServer) && !c.has(tenant, clusterNameServer)
}

// has reports whether a tenant has a service. The caller holds c.mu.
func (c *kubeNames) has(tenant string, id identity.KubernetesService) bool {
	own := defaultTenant
	if n := c.namespaces.Get(id.Namespace); n != nil && n.Place.Tenant != "" {
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

// backends returns those of a service that are ready, in the order of addresses. The caller holds c.mu.
func (c *kubeNames) backends(id identity.KubernetesService) (out []backend) {
	for s := range slicesOfService.In(c.slices, id).Values() {
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
