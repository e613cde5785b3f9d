package dns

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/contiv/contiv/daemon/agent/kubedns"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// Zone has the names of all tenants: services, groups, containers. Names of one tenant do not exist for another. Its methods are safe for
// concurrent use. Names are case-insensitive (RFC 4343).
type Zone struct {
	domain  string           // under which every name exists too, without dots at its ends
	cluster *kubedns.Cluster // of Kubernetes

	mu        sync.Mutex
	tenants   map[string]*tenant // by name
	vrfs      map[uint16]string  // names of tenants
	endpoints map[string]endpoint
	services  map[string]service // by "tenant:service"
}

// tenant is the names of one tenant. It holds no empty sets.
type tenant struct {
	services   map[string]string // ids by name
	groups     map[string]*set
	containers map[string]*set
	owners     map[netip.Addr]string // names by address
}

// set is the endpoints that have a name.
type set struct {
	ids   map[string]struct{}
	addrs []netip.Addr // of all, ordered; nil until they are needed
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
	return &Zone{cluster: kubedns.New(cluster), domain: strings.ToLower(strings.Trim(domain, ".")), tenants: map[string]*tenant{}, vrfs: map[uint16]string{},
		endpoints: map[string]endpoint{}, services: map[string]service{}}
}

// Tenant applies a tenant's record, nil if it was deleted.
func (z *Zone) Tenant(name string, r *record.Tenant) {
	z.mu.Lock()
	defer z.mu.Unlock()
	for vrf, n := range z.vrfs {
		if n == name {
			delete(z.vrfs, vrf)
		}
	}
	if r != nil {
		z.vrfs[r.VRF] = name
	}
}

// Endpoint applies an endpoint's record, nil if it was deleted. A container has its common name, or its endpoint id if it has none, and its
// aliases; the first of them is the name of its addresses. A pod has the name POD.NAMESPACE, which exists only under the domain: a single
// word could be claimed by anyone who may create pods, who would then receive the traffic of a service.
func (z *Zone) Endpoint(id string, r *record.Endpoint) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if old, ok := z.endpoints[id]; ok {
		t := z.tenants[old.tenant]
		remove(t.groups, old.group, id)
		remove(t.containers, old.name, id)
		for _, a := range old.aliases {
			remove(t.containers, a, id)
		}
		t.disown(old.addrs, old.name)
		delete(z.endpoints, id)
		z.tidy(old.tenant)
	}
	if r == nil {
		return
	}
	of := r.ID.Tenant
	e := endpoint{tenant: of, name: fold(cmp.Or(r.CommonName, r.ID.Endpoint))}
	e.group = fold(r.Group.Name)
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
	z.endpoints[id] = e
	t := z.tenant(of)
	insert(t.groups, e.group, id)
	insert(t.containers, e.name, id)
	for _, a := range e.aliases {
		insert(t.containers, a, id)
	}
	t.own(e.addrs, e.name)
}

// Service applies a service's record, nil if it was deleted. Invalid ports are skipped.
func (z *Zone) Service(id string, r *record.ServiceLB) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if old, ok := z.services[id]; ok {
		t := z.tenants[old.tenant]
		delete(t.services, old.name)
		t.disown([]netip.Addr{old.addr}, old.name)
		delete(z.services, id)
		z.tidy(old.tenant)
	}
	if r == nil {
		return
	}
	if !r.IP.IsValid() {
		return // it has no address yet
	}
	s := service{tenant: r.ID.Tenant, name: fold(r.ID.Name), addr: r.IP}
	for _, p := range r.Ports {
		parts := strings.Split(p, ":")
		n, err := strconv.ParseUint(parts[0], 10, 16)
		if err == nil && len(parts) == 3 {
			s.ports = append(s.ports, port{uint16(n), strings.ToLower(parts[2])})
		}
	}
	z.services[id] = s
	t := z.tenant(r.ID.Tenant)
	t.services[s.name] = id
	t.own([]netip.Addr{r.IP}, s.name)
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
	tenant, known := z.vrfs[vrf]
	z.mu.Unlock()
	return known && z.cluster.Unserved(tenant, a)
}

// Router does nothing: the Zone does not depend on routers.
func (z *Zone) Router(string, *record.BGP) {}

func (z *Zone) tenant(name string) *tenant {
	t := z.tenants[name]
	if t == nil {
		t = &tenant{services: map[string]string{}, groups: map[string]*set{}, containers: map[string]*set{},
			owners: map[netip.Addr]string{}}
		z.tenants[name] = t
	}
	return t
}

// tidy removes a tenant that has nothing.
func (z *Zone) tidy(name string) {
	if t := z.tenants[name]; len(t.services)+len(t.containers)+len(t.groups)+len(t.owners) == 0 {
		delete(z.tenants, name)
	}
}

func (t *tenant) own(addrs []netip.Addr, name string) {
	for _, a := range addrs {
		t.owners[a] = name
	}
}

// disown removes the name of addresses, unless they have another owner by now.
func (t *tenant) disown(addrs []netip.Addr, name string) {
	for _, a := range addrs {
		if t.owners[a] == name {
			delete(t.owners, a)
		}
	}
}

func fold(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

func insert(sets map[string]*set, name, id string) {
	if name == "" {
		return
	}
	if sets[name] == nil {
		sets[name] = &set{ids: map[string]struct{}{}}
	}
	sets[name].ids[id] = struct{}{}
	sets[name].addrs = nil
}

func remove(sets map[string]*set, name, id string) {
	s := sets[name]
	if s == nil {
		return
	}
	s.addrs = nil
	if delete(s.ids, id); len(s.ids) == 0 {
		delete(sets, name)
	}
}

// of returns the addresses of a set's endpoints, ordered. The caller holds z.mu.
func (z *Zone) of(s *set) []netip.Addr {
	if s.addrs == nil {
		for id := range s.ids {
			s.addrs = append(s.addrs, z.endpoints[id].addrs...)
		}
		slices.SortFunc(s.addrs, netip.Addr.Compare)
	}
	return s.addrs
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
func (z *Zone) addresses(t *tenant, name string) (addrs []netip.Addr, ok bool) {
	if id, ok := t.services[name]; ok {
		return []netip.Addr{z.services[id].addr}, true
	}
	s, ok := t.groups[name]
	if !ok {
		s, ok = t.containers[name]
	}
	if !ok {
		return nil, false
	}
	return z.of(s), true
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
	for name, t := range z.tenants {
		l := Listing{map[string][]string{}, map[string][]string{}, map[string][]string{}, map[string][]string{}}
		for s, id := range t.services {
			l.Services[s] = []string{z.services[id].addr.String()}
		}
		for n, s := range t.groups {
			l.Groups[n] = texts(z.of(s))
		}
		for n, s := range t.containers {
			l.Names[n] = texts(z.of(s))
		}
		out[name] = l
	}
	for id, e := range z.endpoints {
		out[e.tenant].Containers[id] = texts(e.addrs)
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
