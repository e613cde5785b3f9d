// SPDX-License-Identifier: Apache-2.0

package ofnet

import (
	"crypto/sha256"
	"iter"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/table"
)

// Indexes of services.
var (
	servicesOfTenant = table.By[string](func(v *Service) string { return v.Tenant })
	servicesBehind   = table.ByEach[string]((*Service).appendBackends)
	servicesAt       = table.ByEach[string](func(v *Service, to []netip.Addr) []netip.Addr { return append(append(to, v.Cluster...), v.External...) })
	servicesAtHost   = table.ByEach[string]((*Service).appendHosts)
	servicesByNumber = table.ByEach[string](func(v *Service, to []uint32) []uint32 { return append(to, v.numbers...) })
)

// SetService puts a service into Services under its name, with a number for each of its ports in each family.
func (s *State) SetService(v *Service) {
	s.Services.Delete(v.Name)
	numbered := *v
	numbered.numbers = make([]uint32, 0, 2*len(v.Ports))
	for i := range v.Ports {
		for _, six := range [...]bool{false, true} {
			n := preferredNumber(v.Name, &v.Ports[i], six)
			for n == 0 || slices.Contains(numbered.numbers, n) || servicesByNumber.In(s.Services, n).Len() > 0 {
				n = (n + 1) & lastNumber
			}
			numbered.numbers = append(numbered.numbers, n)
		}
	}
	s.Services.Set(v.Name, &numbered)
}

// appendBackends appends the addresses behind all ports, each once where ports have the same.
func (v *Service) appendBackends(to []netip.Addr) []netip.Addr {
	for i := range v.Ports {
		if i > 0 && sameAddresses(v.Ports[i].Backends, v.Ports[0].Backends) {
			continue
		}
		for j := range v.Ports[i].Backends {
			to = append(to, v.Ports[i].Backends[j].Addr)
		}
	}
	return to
}

// appendHosts appends the hosts whose own addresses are behind the ports.
func (v *Service) appendHosts(to []string) []string {
	for i := range v.Ports {
		for j := range v.Ports[i].Backends {
			if h := v.Ports[i].Backends[j].Host; h != "" {
				to = append(to, h)
			}
		}
	}
	return to
}

func sameAddresses(a, b []Backend) bool {
	return slices.EqualFunc(a, b, func(x, y Backend) bool { return x.Addr == y.Addr })
}

// lastNumber is the last number that a port of a service may have.
const lastNumber = 1<<24 - 1

// preferredNumber is the number of a port on every host unless another port has it already.
func preferredNumber(service string, p *ServicePort, six bool) uint32 {
	name := service + "/" + p.String()
	if six {
		name += "/6"
	}
	h := sha256.Sum256([]byte(name))
	return uint32(h[0])<<16 | uint32(h[1])<<8 | uint32(h[2])
}

// Number returns the number of port i of a service in a State, in IPv4 or IPv6, 1..1<<24-1: unique on this host, and the same on all hosts
// and after a restart except for hash collisions. It is 0 for a service that is in no State.
func (v *Service) Number(i int, six bool) uint32 {
	n := 2 * i
	if six {
		n++
	}
	if n >= len(v.numbers) {
		return 0
	}
	return v.numbers[n]
}

// ServicesOf yields the services of a tenant, in no order.
func (s *State) ServicesOf(tenant string) iter.Seq[*Service] {
	return servicesOfTenant.In(s.Services, tenant).Values()
}

// HasServices reports whether a tenant has services, in constant time.
func (s *State) HasServices(tenant string) bool {
	return servicesOfTenant.In(s.Services, tenant).Len() > 0
}

// ServicesOver yields the services of which an endpoint is a backend, in no order; those of other tenants with a backend of its address are
// included, and those that have both of its addresses come twice.
func (s *State) ServicesOver(e *Endpoint) iter.Seq[*Service] {
	return func(yield func(*Service) bool) {
		for _, a := range []netip.Addr{e.IP4, e.IP6} {
			for v := range servicesBehind.In(s.Services, a).Values() {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// ServicesAt yields the services of which the host itself is a backend, in no order.
func (s *State) ServicesAt(host string) iter.Seq[*Service] {
	return servicesAtHost.In(s.Services, host).Values()
}

// Sharers yields the services that have an address of a service, itself included, in no order; those that share several addresses come as
// many times.
func (s *State) Sharers(v *Service) iter.Seq[*Service] {
	return func(yield func(*Service) bool) {
		for _, a := range v.Addresses() {
			for o := range servicesAt.In(s.Services, a).Values() {
				if !yield(o) {
					return
				}
			}
		}
	}
}

// FirstAt returns the first matching service that has an address, or nil. Services that own the address come first, then those that borrow
// it, both by name.
func (s *State) FirstAt(a netip.Addr, meets func(v *Service) bool) (first *Service) {
	for v := range servicesAt.In(s.Services, a).Values() {
		if (first == nil || v.before(first, a)) && meets(v) {
			first = v
		}
	}
	return first
}

// before reports whether a service has an address before another one.
func (v *Service) before(o *Service, a netip.Addr) bool {
	if mine, others := v.Borrows(a), o.Borrows(a); mine != others {
		return others
	}
	return v.Name < o.Name
}
