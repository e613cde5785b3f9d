package dns

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/table"
)

// Zone has the names of all tenants: services, groups, containers. Names of one tenant do not exist for another. Its methods are safe for
// concurrent use. Names are case-insensitive (RFC 4343).
type Zone struct {
	domain  string     // under which every name exists too, without dots at its ends
	cluster *kubeNames // of Kubernetes

	mu        sync.Mutex
	tenants   *table.Table[string, *record.Tenant] // by name
	endpoints *table.Table[string, *endpoint]      // by id
	services  *table.Table[string, *service]       // by "tenant:service"
	sorted    map[members][]netip.Addr             // as answered since the members changed
}

// Indexes of the tables.
var (
	tenantsByVRF     = table.By[string](func(t *record.Tenant) uint16 { return t.VRF })
	endpointsInGroup = table.By[string](func(e *endpoint) nameIn { return nameOf(e.tenant, e.group) })
	endpointsNamed   = table.ByEach[string](func(e *endpoint, to []nameIn) []nameIn {
		to = append(to, nameOf(e.tenant, e.name))
		for _, a := range e.aliases {
			to = append(to, nameOf(e.tenant, a))
		}
		return to
	})
	endpointsAt = table.ByEach[string](func(e *endpoint, to []addressIn) []addressIn {
		for _, a := range e.addrs {
			to = append(to, addressIn{e.tenant, a})
		}
		return to
	})
	servicesNamed = table.By[string](func(s *service) nameIn { return nameOf(s.tenant, s.name) })
	servicesAt    = table.By[string](func(s *service) addressIn { return addressIn{s.tenant, s.addr} })
)

// nameIn is a name of a tenant.
type nameIn struct{ tenant, name string }

// nameOf returns a name of a tenant; zero if the name is empty.
func nameOf(tenant, name string) nameIn {
	if name == "" {
		return nameIn{}
	}
	return nameIn{tenant, name}
}

// addressIn is an address of a tenant.
type addressIn struct {
	tenant string
	addr   netip.Addr
}

// members are the endpoints of a group, or those with a name.
type members struct {
	group bool
	of    nameIn
}

type endpoint struct {
	tenant, group, name string
	aliases             []string // without name
	addrs               []netip.Addr
}

type service struct {
	tenant, name string
	addr         netip.Addr
	ports        []port
}

// port is the port of a service: the protocol is "tcp" or "udp".
type port struct {
	number   uint16
	protocol string
}

// NewZone returns an empty Zone whose names exist under domain, such as "contiv", as well as bare, and those of Kubernetes under cluster,
// such as "cluster.local"; "" for no names of Kubernetes.
func NewZone(domain, cluster string) *Zone {
	return &Zone{cluster: newKubeNames(cluster), domain: strings.ToLower(strings.Trim(domain, ".")), tenants: table.New(tenantsByVRF),
		endpoints: table.New(endpointsInGroup, endpointsNamed, endpointsAt), services: table.New(servicesNamed, servicesAt), sorted: map[members][]netip.Addr{}}
}

// Tenant applies a tenant's record, nil if it was deleted.
func (z *Zone) Tenant(name string, r *record.Tenant) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if r == nil {
		z.tenants.Delete(name)
		return
	}
	z.tenants.Set(name, r)
}

// Endpoint applies an endpoint's record, nil if it was deleted. A container has its common name, or its endpoint id if it has none, and its
// aliases; the first of them is the name of its addresses. A pod has the name POD.NAMESPACE, which exists only under the domain: a single
// word could be claimed by anyone who may create pods, who would then receive the traffic of a service.
func (z *Zone) Endpoint(id string, r *record.Endpoint) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if r == nil {
		old, _ := z.endpoints.Delete(id)
		z.unsort(old)
		return
	}
	e := endpointOf(r)
	old, _ := z.endpoints.Set(id, e)
	z.unsort(old)
	z.unsort(e)
}

// unsort forgets the sorted addresses of the group and the names of an endpoint; nil: of none.
func (z *Zone) unsort(e *endpoint) {
	if e == nil {
		return
	}
	delete(z.sorted, members{true, nameOf(e.tenant, e.group)})
	for _, name := range append([]string{e.name}, e.aliases...) {
		delete(z.sorted, members{false, nameOf(e.tenant, name)})
	}
}

// endpointOf returns the names and addresses of an endpoint.
func endpointOf(r *record.Endpoint) *endpoint {
	e := &endpoint{tenant: r.ID.Tenant, group: fold(r.Group.Name), name: fold(cmp.Or(r.CommonName, r.ID.Endpoint))}
	aliases := r.Aliases
	if pod := r.Pod.ID; pod.Name != "" {
		e.name, aliases = fold(pod.Name+"."+pod.Namespace), nil
	}
	for _, a := range aliases {
		if a = fold(a); a != e.name && !slices.Contains(e.aliases, a) {
			e.aliases = append(e.aliases, a)
		}
	}
	for _, a := range []netip.Addr{r.IP, r.IP6} {
		if a.IsValid() {
			e.addrs = append(e.addrs, a)
		}
	}
	return e
}

// Service applies a service's record, nil if it was deleted. Invalid ports are skipped.
func (z *Zone) Service(id string, r *record.ServiceLB) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if r == nil || !r.IP.IsValid() { // it has no address yet
		z.services.Delete(id)
		return
	}
	s := &service{tenant: r.ID.Tenant, name: fold(r.ID.Name), addr: r.IP}
	for _, p := range r.Ports {
		parts := strings.Split(p, ":")
		n, err := strconv.ParseUint(parts[0], 10, 16)
		if err == nil && len(parts) == 3 {
			s.ports = append(s.ports, port{uint16(n), strings.ToLower(parts[2])})
		}
	}
	z.services.Set(id, s)
}

// KubernetesNamespace applies a namespace's record, nil if it was deleted.
func (z *Zone) KubernetesNamespace(name string, r *record.Namespace) { z.cluster.Namespace(name, r) }

// KubernetesService applies the record of a service of Kubernetes, nil if it was deleted.
func (z *Zone) KubernetesService(id string, r *record.KubernetesService) {
	if name, err := identity.ParseKubernetesService(id); err == nil {
		z.cluster.Service(name, r)
	}
}

// EndpointSlice applies the record of some backends of a service of Kubernetes, nil if it was deleted.
func (z *Zone) EndpointSlice(id string, r *record.EndpointSlice) { z.cluster.Slice(id, r) }

// Unserved reports whether an address is that of the cluster's name server, which the tenant with this VRF number cannot reach.
func (z *Zone) Unserved(vrf uint16, a netip.Addr) bool {
	z.mu.Lock()
	tenant, known := z.tenantOf(vrf)
	z.mu.Unlock()
	return known && z.cluster.Unserved(tenant, a)
}

// tenantOf returns the name of the tenant with a VRF number. The caller holds z.mu.
func (z *Zone) tenantOf(vrf uint16) (name string, known bool) {
	return first(tenantsByVRF.In(z.tenants, vrf))
}

// first returns the first of the keys of some rows, in order; ok is false if there are none.
func first[V any](rows table.Rows[string, V]) (key string, ok bool) {
	for k := range rows.All() {
		if !ok || k < key {
			key, ok = k, true
		}
	}
	return key, ok
}

// service returns the service with a name, or nil. The caller holds z.mu.
func (z *Zone) service(at nameIn) *service {
	id, _ := first(servicesNamed.In(z.services, at))
	return z.services.Get(id)
}

// owner returns the name of an address: of a service before an endpoint; "" if there is none. The caller holds z.mu.
func (z *Zone) owner(at addressIn) string {
	if id, ok := first(servicesAt.In(z.services, at)); ok {
		return z.services.Get(id).name
	}
	if id, ok := first(endpointsAt.In(z.endpoints, at)); ok {
		return z.endpoints.Get(id).name
	}
	return ""
}

func fold(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

// of returns the addresses of endpoints, ordered. The caller holds z.mu.
func (z *Zone) of(m members, rows table.Rows[string, *endpoint]) []netip.Addr {
	addrs, done := z.sorted[m]
	if !done {
		for e := range rows.Values() {
			addrs = append(addrs, e.addrs...)
		}
		slices.SortFunc(addrs, netip.Addr.Compare)
		z.sorted[m] = addrs
	}
	return addrs
}

// relative is a name without the domain and the tenant; under reports whether it had the domain.
func (z *Zone) relative(name, of string) (rest string, under bool) {
	rest, under = strings.CutSuffix(name, "."+z.domain)
	if under {
		rest = strings.TrimSuffix(rest, "."+strings.ToLower(of))
	}
	return rest, under
}

// addresses resolves a name: a service before a group before a container. ok is false if it does not exist. The caller holds z.mu.
func (z *Zone) addresses(at nameIn) (addrs []netip.Addr, ok bool) {
	if s := z.service(at); s != nil {
		return []netip.Addr{s.addr}, true
	}
	if rows := endpointsInGroup.In(z.endpoints, at); rows.Len() > 0 {
		return z.of(members{true, at}, rows), true
	}
	if rows := endpointsNamed.In(z.endpoints, at); rows.Len() > 0 {
		return z.of(members{false, at}, rows), true
	}
	return nil, false
}

// Listing has all names of a tenant, for display.
type Listing struct {
	Services   map[string][]string `json:"services"`
	Names      map[string][]string `json:"commonNames"`
	Groups     map[string][]string `json:"endpointGroups"`
	Containers map[string][]string `json:"endpoints"` // addresses by endpoint id
}

// List returns the names of all tenants.
func (z *Zone) List() map[string]Listing {
	z.mu.Lock()
	defer z.mu.Unlock()
	out := map[string]Listing{}
	of := func(tenant string) Listing {
		l, some := out[tenant]
		if !some {
			l = Listing{map[string][]string{}, map[string][]string{}, map[string][]string{}, map[string][]string{}}
			out[tenant] = l
		}
		return l
	}
	for s := range z.services.Values() {
		of(s.tenant).Services[s.name] = []string{s.addr.String()}
	}
	for at, rows := range endpointsInGroup.Each(z.endpoints) {
		of(at.tenant).Groups[at.name] = texts(z.of(members{true, at}, rows))
	}
	for at, rows := range endpointsNamed.Each(z.endpoints) {
		of(at.tenant).Names[at.name] = texts(z.of(members{false, at}, rows))
	}
	for id, e := range z.endpoints.All() {
		of(e.tenant).Containers[id] = texts(e.addrs)
	}
	return out
}

func texts(addrs []netip.Addr) []string {
	out := make([]string, 0, len(addrs))
	for _, a := range addrs {
		out = append(out, a.String())
	}
	return out
}
