package ofnet

import (
	"crypto/sha256"
	"iter"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/table"
)

// What finds services.
var (
	servicesOfTenant = table.By[string](func(v *Service) string { return v.Tenant })
	servicesBehind   = table.ByEach[string](func(v *Service, to []netip.Addr) []netip.Addr { return append(to, v.Backends...) })
	servicesByNumber = table.ByEach[string](func(v *Service, to []uint32) []uint32 { return append(to, v.numbers...) })
)

// SetService puts a service into Services under its name, with a number for each of its ports.
func (s *State) SetService(v *Service) {
	s.Services.Delete(v.Name)
	numbered := *v
	numbered.numbers = make([]uint32, 0, len(v.Ports))
	for _, p := range v.Ports {
		n := preferredNumber(v.Name, p)
		for n == 0 || slices.Contains(numbered.numbers, n) || servicesByNumber.In(s.Services, n).Len() > 0 {
			n = (n + 1) & lastNumber
		}
		numbered.numbers = append(numbered.numbers, n)
	}
	s.Services.Set(v.Name, &numbered)
}

// lastNumber is the last number that a port of a service may have.
const lastNumber = 1<<24 - 1

// preferredNumber is the number that a port has on every host unless another has it already.
func preferredNumber(service string, p ServicePort) uint32 {
	h := sha256.Sum256([]byte(service + "/" + p.String()))
	return uint32(h[0])<<16 | uint32(h[1])<<8 | uint32(h[2])
}

// Numbers are the numbers of the ports of a service in a State, 1..1<<24-1, in their order: unique on this host, and the same on
// all hosts and after a restart but for names that clash.
func (v *Service) Numbers() []uint32 { return v.numbers }

// ServicesOf yields the services of a tenant, in no order.
func (s *State) ServicesOf(tenant string) iter.Seq[*Service] {
	return servicesOfTenant.In(s.Services, tenant).Values()
}

// HasServices says whether a tenant has services, in constant time.
func (s *State) HasServices(tenant string) bool {
	return servicesOfTenant.In(s.Services, tenant).Len() > 0
}

// ServicesOver yields the services of which an endpoint is a backend, in no order; those of other tenants that have a backend of its
// address are among them, and those that have both of its addresses come twice.
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
