package catalog

import (
	"cmp"
	"iter"
	"net/netip"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ipam"
	"github.com/contiv/contiv/table"
)

// Network is a network's record with the pools that follow from it.
type Network struct {
	Record *record.Network
	*Pools
	addressing
	view *View
}

// addressing is what a network's record says of its addresses.
type addressing struct {
	tenant   string
	v4, v6   ipam.Range // declared; zero where there are none
	four     ipam.Spec
	six      ipam.Spec6
	no4, no6 bool // it cannot be read, or there is none
}

// Networks by their tenant, and in the order of their addresses within it. The addresses of one tenant's networks do not overlap, since
// a network that would is refused; that is what lets two neighbours answer for all.
var (
	networksOfTenant = table.By[string](func(n *Network) string { return n.tenant })
	space4           = table.Sorted[string](func(a, b *Network) int { return compareSpace(a, b, a.v4, b.v4) })
	space6           = table.Sorted[string](func(a, b *Network) int { return compareSpace(a, b, a.v6, b.v6) })
)

func compareSpace(a, b *Network, x, y ipam.Range) int {
	return cmp.Or(strings.Compare(a.tenant, b.tenant), x.First.Compare(y.First), strings.Compare(a.id(), b.id()))
}

// id is the state id of the network; "" of a place among networks.
func (n *Network) id() string {
	if n.Record == nil {
		return ""
	}
	return n.Record.ID
}

func decodeNetwork(name string, value []byte) (*Network, error) {
	r, err := rows[record.Network]{id: func(r *record.Network) string { return r.ID }}.read(name, value)
	if err != nil {
		return nil, err
	}
	n := &Network{Record: r, addressing: addressing{tenant: r.Tenant}}
	var err4, err6 error
	n.four, err4 = Spec4(r)
	n.six, err6 = Spec6(r)
	if n.no4 = err4 != nil; !n.no4 {
		n.v4 = n.four.Range()
	}
	if n.no6 = err6 != nil; !n.no6 {
		n.v6 = ipam.RangeOf(n.six.Prefix)
	}
	return n, nil
}

// Spec4 is what a network's record says of its IPv4 addresses.
func Spec4(r *record.Network) (ipam.Spec, error) {
	addr, err := netip.ParseAddr(r.SubnetIP)
	if err != nil {
		return ipam.Spec{}, err
	}
	spec := ipam.Spec{Prefix: netip.PrefixFrom(addr, int(r.SubnetLen))}
	if r.IPAddrRange != "" {
		declared, err := ipam.ParseRange(r.IPAddrRange, spec.Prefix)
		if err != nil {
			return spec, err
		}
		spec.First, spec.Last = declared.First, declared.Last
	}
	if r.Gateway != "" {
		spec.Gateway, err = netip.ParseAddr(r.Gateway)
	}
	return spec, err
}

// Spec6 is what a network's record says of its IPv6 addresses.
func Spec6(r *record.Network) (ipam.Spec6, error) {
	addr, err := netip.ParseAddr(r.IPv6Subnet)
	if err != nil {
		return ipam.Spec6{}, err
	}
	spec := ipam.Spec6{Prefix: netip.PrefixFrom(addr, int(r.IPv6Len))}
	if r.IPv6Gateway != "" {
		spec.Gateway, err = netip.ParseAddr(r.IPv6Gateway)
	}
	return spec, err
}

// key is the API key of the network.
func (n *Network) key() string { return model.Key(n.Record.Tenant, n.Record.NetworkName) }

// Covers tells whether a lies in one of the network's subnets.
func (n *Network) Covers(a netip.Addr) bool {
	return !n.no4 && n.four.Prefix.Contains(a) || !n.no6 && n.six.Prefix.Contains(a)
}

// Owner says who has an address: "endpoint ID", "service ID", "a hold", or "" when it has no owner.
func (n *Network) Owner(a netip.Addr) (owner string) {
	for t := range takingsOfAddress.In(n.view.takings, place{n.Record.ID, a}).Values() {
		owner = max(owner, t.owner) // a hold yields to an endpoint or a service
	}
	return owner
}

// Endpoints is the number of endpoints on the network.
func (n *Network) Endpoints() int {
	count, _ := endpointsOnNetwork.In(n.view.endpoints, n.Record.ID)
	return count
}

// Members yields the endpoints on the network, ordered by id.
func (n *Network) Members(yield func(*Member) bool) {
	left := n.Endpoints() // counted: reading the networks of so many takes longer
	first := &Member{Endpoint: &record.Endpoint{NetID: n.Record.ID}}
	endpointsByNetwork.From(n.view.endpoints, first)(func(m *Member) bool {
		left--
		return left >= 0 && yield(m)
	})
}

// Allocated is the number of addresses that endpoints and services have or that are held for them, IPv4 only.
func (n *Network) Allocated() int {
	_, sum := addressesTaken.In(n.view.takings, n.Record.ID)
	count := int(sum)
	for h := range holdsOnNetwork.In(n.view.holds, n.Record.ID).Values() {
		if a, err := netip.ParseAddr(h.Address); err == nil && a.Is4() && takingsOfAddress.In(n.view.takings, place{n.Record.ID, a}).Len() > 1 {
			count-- // an endpoint has it already
		}
	}
	return count
}

// Unavailable is the refusal of address a, which its pool does not give because of err. It says who has the address.
func (n *Network) Unavailable(field string, a netip.Addr, err error) *model.Error {
	if owner := n.Owner(a); owner != "" {
		return model.Errorf(model.CodeConflict, field, "requested address %s is not available", a).Because(err).Try("%s has it", owner)
	}
	return model.Errorf(model.CodeConflict, field, "requested address is not available: %v", err).Because(err).Try("free are %s", n.Pool4.AvailableText())
}

// Exhausted is the refusal of an address because the pool described by in is empty.
func (n *Network) Exhausted(in string, err error) *model.Error {
	return model.Errorf(model.CodeExhausted, "", "auto allocation failed - address exhaustion in %s", in).Because(err).
		Try("remove containers, or use a larger subnet: netctl network inspect --tenant %s %s shows who has the addresses",
			n.Record.Tenant, n.Record.NetworkName)
}

// Effective modes of a network's kind.
const (
	NetworkData  = "data"
	NetworkInfra = "infra"
)

// Network returns a network by its state id, nil when there is none.
func (v *View) Network(id string) *Network { return v.networks.Get(id) }

// NetworkOf returns a tenant's network by name, nil when there is none. An id "network.tenant" may read the same for another
// tenant's network: that is not it.
func (v *View) NetworkOf(tenant, name string) *Network {
	n := v.networks.Get(name + "." + tenant)
	if n == nil || n.Record.Tenant != tenant || n.Record.NetworkName != name {
		return nil
	}
	return n
}

// NetworkRecord returns a network's record by its state id, nil when there is none.
func (v *View) NetworkRecord(id string) *record.Network {
	if n := v.networks.Get(id); n != nil {
		return n.Record
	}
	return nil
}

// Networks returns all networks of a tenant (of all, when tenant is empty), ordered by id.
func (v *View) Networks(tenant string) []*Network {
	all := v.networks.Values()
	if tenant != "" {
		all = networksOfTenant.In(v.networks, tenant).Values()
	}
	return sortedBy(all, func(n *Network) string { return n.Record.ID })
}

// Overlapping returns a network of the tenant that declares an address of r, nil when none does. Its cost grows with
// the logarithm of the networks.
func (v *View) Overlapping(tenant string, r ipam.Range) *Network {
	at := &Network{addressing: addressing{tenant: tenant, v4: r, v6: r}}
	in, space, declared := v.networks, space4, func(n *Network) ipam.Range { return n.v4 }
	if r.First.Is6() {
		in, space, declared = v.networks6, space6, func(n *Network) ipam.Range { return n.v6 }
	}
	for _, neighbours := range []iter.Seq[*Network]{space.From(in, at), space.Back(in, at)} {
		for n := range neighbours {
			if n.tenant == tenant && declared(n).First.IsValid() && ipam.Overlap(declared(n), r) {
				return n
			}
			break
		}
	}
	return nil
}
