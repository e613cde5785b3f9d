package kubedns

import (
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// Cluster has the names of a cluster, those of all its tenants. Its methods are safe for concurrent use.
type Cluster struct {
	domain string // without dots at its ends

	mu         sync.RWMutex
	services   map[identity.KubernetesService]*record.KubernetesService
	records    map[string]*record.EndpointSlice                                // by id
	slices     map[identity.KubernetesService]map[string]*record.EndpointSlice // the same of each service
	namespaces map[string]int                                                  // services and slices in each
	tenants    map[string]string                                               // of namespaces that name one
	owners     map[netip.Addr]identity.KubernetesService                       // by address of the cluster
}

// New makes a Cluster without names, whose names will exist under a domain such as "cluster.local".
func New(domain string) *Cluster {
	return &Cluster{domain: strings.ToLower(strings.Trim(domain, ".")), services: map[identity.KubernetesService]*record.KubernetesService{},
		records: map[string]*record.EndpointSlice{}, slices: map[identity.KubernetesService]map[string]*record.EndpointSlice{}, namespaces: map[string]int{}, tenants: map[string]string{},
		owners: map[netip.Addr]identity.KubernetesService{}}
}

// Service applies a service's record, nil if it was deleted.
func (c *Cluster) Service(id identity.KubernetesService, r *record.KubernetesService) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.services[id]; old != nil {
		for _, a := range old.ClusterIPs {
			if c.owners[a] == id {
				delete(c.owners, a)
			}
		}
		delete(c.services, id)
		c.count(id.Namespace, -1)
	}
	if r == nil {
		return
	}
	c.services[id] = r
	c.count(id.Namespace, 1)
	for _, a := range r.ClusterIPs {
		c.owners[a] = id
	}
}

// Slice applies the record of some backends of a service, by its id, nil if it was deleted.
func (c *Cluster) Slice(id string, r *record.EndpointSlice) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.records[id]; old != nil {
		of := old.Of()
		delete(c.slices[of], id)
		c.count(of.Namespace, -1)
		if len(c.slices[of]) == 0 {
			delete(c.slices, of)
		}
		delete(c.records, id)
	}
	if r == nil {
		return
	}
	of := r.Of()
	if c.slices[of] == nil {
		c.slices[of] = map[string]*record.EndpointSlice{}
	}
	c.slices[of][id], c.records[id] = r, r
	c.count(of.Namespace, 1)
}

// Namespace applies a namespace's record, nil if it was deleted.
func (c *Cluster) Namespace(name string, r *record.Namespace) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.tenants, name)
	if r != nil && r.Place.Tenant != "" {
		c.tenants[name] = r.Place.Tenant
	}
}

// count changes the number of objects in a namespace.
func (c *Cluster) count(namespace string, n int) {
	if c.namespaces[namespace] += n; c.namespaces[namespace] == 0 {
		delete(c.namespaces, namespace)
	}
}

// apiServer is the service of Kubernetes' API server, which every tenant has.
var apiServer = identity.KubernetesService{Namespace: "default", Name: "kubernetes"}

// defaultTenant is that of namespaces without one.
const defaultTenant = "default"

// nameServer is the service of the cluster's own name server, whatever its implementation.
var nameServer = identity.KubernetesService{Namespace: "kube-system", Name: "kube-dns"}

// Unserved reports whether an address is that of the cluster's name server and a tenant does not have that service, so that its queries
// there get no answer.
func (c *Cluster) Unserved(tenant string, address netip.Addr) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.owners[address] == nameServer && !c.has(tenant, nameServer)
}

// has reports whether a tenant has a service. The caller holds c.mu.
func (c *Cluster) has(tenant string, id identity.KubernetesService) bool {
	own := c.tenants[id.Namespace]
	if own == "" {
		own = defaultTenant
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
func (c *Cluster) backends(id identity.KubernetesService) (out []backend) {
	for _, s := range c.slices[id] {
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
