package ofnet

import (
	"crypto/sha256"
	"maps"
	"net/netip"
	"slices"
)

// serviceIndex finds services by what they depend on, and endpoints by address.
type serviceIndex struct {
	listed   map[string]listedService
	ofTenant map[string]map[string]struct{}     // services
	behind   map[netip.Addr]map[string]struct{} // services that have a backend of this address
	at       map[netip.Addr]map[string]struct{} // endpoints, of all tenants
	numbers  map[uint32]struct{}                // in use
}

// listedService is a service as it is listed, with a number for each port.
type listedService struct {
	*Service
	numbers []uint32
}

func newServiceIndex() serviceIndex {
	return serviceIndex{listed: map[string]listedService{}, ofTenant: map[string]map[string]struct{}{},
		behind: map[netip.Addr]map[string]struct{}{}, at: map[netip.Addr]map[string]struct{}{}, numbers: map[uint32]struct{}{}}
}

func enlist[K comparable, V any](m map[K]map[string]V, k K, name string, v V) {
	if m[k] == nil {
		m[k] = map[string]V{}
	}
	m[k][name] = v
}

func strike[K comparable, V any](m map[K]map[string]V, k K, name string) {
	if delete(m[k], name); len(m[k]) == 0 {
		delete(m, k)
	}
}

// number finds a free number for a port of a service: nearly always the one that its name has on every host.
func (x *serviceIndex) number(v *Service, p ServicePort) uint32 {
	h := sha256.Sum256([]byte(v.Name + "/" + p.String()))
	n := uint32(h[0])<<16 | uint32(h[1])<<8 | uint32(h[2])
	for {
		if _, taken := x.numbers[n]; n != 0 && !taken {
			x.numbers[n] = struct{}{}
			return n
		}
		n = (n + 1) & (1<<24 - 1)
	}
}

func (s *State) touchService(name string) {
	x := &s.index.services
	if was, listed := x.listed[name]; listed {
		if was.Service == s.Services[name] {
			return
		}
		for _, n := range was.numbers {
			delete(x.numbers, n)
		}
		for _, a := range was.Backends {
			strike(x.behind, a, name)
		}
		strike(x.ofTenant, was.Tenant, name)
		delete(x.listed, name)
	}
	if v := s.Services[name]; v != nil {
		now := listedService{Service: v}
		for _, p := range v.Ports {
			now.numbers = append(now.numbers, x.number(v, p))
		}
		for _, a := range v.Backends {
			enlist(x.behind, a, name, struct{}{})
		}
		enlist(x.ofTenant, v.Tenant, name, struct{}{})
		x.listed[name] = now
	}
}

// ServiceNumbers are the numbers of a service's ports, 1..1<<24-1, in their order: unique on this host, and the same on
// all hosts and after a restart but for names that clash.
func (s *State) ServiceNumbers(name string) []uint32 {
	return s.indexed().index.services.listed[name].numbers
}

// ListedService is the service that the lists have by a name: until Touch, that before the change; nil when they have none.
func (s *State) ListedService(name string) *Service {
	if s.index == nil {
		return nil
	}
	return s.index.services.listed[name].Service
}

// ServicesOf lists the names of a tenant's services, in no order, in time proportional to their number after Reindex.
func (s *State) ServicesOf(tenant string) []string {
	return slices.Collect(maps.Keys(s.indexed().index.services.ofTenant[tenant]))
}

// ServicesOver lists the names of the services of which an endpoint is or, until Touch, was a backend; those of other
// tenants that have a backend of its address may be among them. It takes time proportional to their number after Reindex.
func (s *State) ServicesOver(endpoint string) []string {
	x := s.indexed().index
	was := x.endpoints[endpoint]
	addrs := []netip.Addr{was.ip4, was.ip6}
	if e := s.Endpoints[endpoint]; e != nil {
		addrs = append(addrs, e.IP4, e.IP6)
	}
	found := map[string]struct{}{}
	for _, a := range addrs {
		maps.Copy(found, x.services.behind[a])
	}
	return slices.Collect(maps.Keys(found))
}

// At is the endpoint of a tenant that has an address, nil when there is none. It takes time proportional to the number of
// tenants that use the address after Reindex.
func (s *State) At(tenant string, a netip.Addr) *Endpoint {
	var found *Endpoint
	for id := range s.indexed().index.services.at[a] {
		e := s.Endpoints[id]
		if e == nil || e.IP4 != a && e.IP6 != a || found != nil && found.ID < id {
			continue
		}
		if n := s.Segments[e.Segment]; n != nil && n.Tenant == tenant {
			found = e
		}
	}
	return found
}
