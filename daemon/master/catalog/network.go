// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
	"encoding/json"
	"iter"
	"net/netip"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ipam"
	"github.com/contiv/contiv/table"
)

// Network is a network of a view: its record, and the objects that belong to it.
type Network struct {
	*network
	view *View
}

// network is a network's record with its decoded addresses.
type network struct {
	Record *record.Network
	addressing
}

// addressing has the addresses of a network's record, decoded.
type addressing struct {
	tenant string
	v4, v6 ipam.Range // declared ranges; zero if there are none
	four   ipam.Spec
	six    ipam.Spec6
}

// Networks by their tenant, and in the order of their addresses within it. The addresses of one tenant's networks do not overlap, because
// the rules refuse such a network; therefore a search need only look at two neighbours.
var (
	networksOfTenant = table.By[identity.Network](func(n *network) string { return n.tenant })
	space4           = table.Sorted[identity.Network](func(a, b *network) int { return compareSpace(a, b, a.v4, b.v4) })
	space6           = table.Sorted[identity.Network](func(a, b *network) int { return compareSpace(a, b, a.v6, b.v6) })
)

func compareSpace(a, b *network, x, y ipam.Range) int {
	return cmp.Or(strings.Compare(a.tenant, b.tenant), x.First.Compare(y.First), a.id().Compare(b.id()))
}

// id returns the network's id; it is zero for a search position among networks.
func (n *network) id() identity.Network {
	if n.Record == nil {
		return identity.Network{}
	}
	return n.Record.ID
}

func decodeNetwork(_ string, value []byte) (*network, error) {
	r := new(record.Network)
	if err := json.Unmarshal(value, r); err != nil {
		return nil, err
	}
	n := &network{Record: r, addressing: addressing{tenant: r.ID.Tenant, four: r.Spec(), six: r.Spec6()}}
	if r.Subnet.IsValid() {
		n.v4 = n.four.Range()
	}
	if r.Subnet6.IsValid() {
		n.v6 = ipam.RangeOf(r.Subnet6)
	}
	return n, nil
}

// Covers reports whether a lies in one of the network's subnets.
func (n *network) Covers(a netip.Addr) bool {
	return n.Record.Subnet.Contains(a) || n.Record.Subnet6.Contains(a)
}

// Owner returns who has an address: "endpoint ID", "service ID", "a hold", or "" if no one has it.
func (n *Network) Owner(a netip.Addr) (owner string) {
	for t := range allocationsOfAddress.In(&n.view.allocations, networkAddress{n.Record.ID, a}).Values() {
		owner = max(owner, t.owner.String()) // an endpoint or a service takes precedence over a hold
	}
	return owner
}

// EndpointAt returns the endpoint with an address, nil if there is none.
func (n *Network) EndpointAt(a netip.Addr) *record.Endpoint {
	for key := range allocationsOfAddress.In(&n.view.allocations, networkAddress{n.Record.ID, a}).All() {
		if id, err := identity.ParseEndpoint(strings.TrimPrefix(key, record.Endpoints)); err == nil && strings.HasPrefix(key, record.Endpoints) {
			return n.view.Endpoint(id)
		}
	}
	return nil
}

// Endpoints returns the number of endpoints on the network.
func (n *Network) Endpoints() int {
	count, _ := endpointsOnNetwork.In(&n.view.endpoints, n.Record.ID)
	return count
}

// Members yields the endpoints on the network, ordered by id.
func (n *Network) Members(yield func(*Member) bool) {
	left := n.Endpoints() // counted: reading the networks of that many takes longer
	first := &Member{Endpoint: &record.Endpoint{ID: identity.Endpoint{Network: n.Record.ID}}}
	endpointsInOrder.From(&n.view.endpoints, first)(func(m *Member) bool {
		left--
		return left >= 0 && yield(m)
	})
}

// Allocated returns the number of IPv4 addresses that endpoints and services have or that are held for them.
func (n *Network) Allocated() int {
	_, sum := addressesTaken.In(&n.view.allocations, n.Record.ID)
	count := int(sum)
	for h := range holdsOnNetwork.In(&n.view.holds, n.Record.ID).Values() {
		if h.Address.Is4() && allocationsOfAddress.In(&n.view.allocations, h.held()).Len() > 1 {
			count-- // an endpoint has it already
		}
	}
	return count
}

// FreeText describes the free addresses of a pool.
func FreeText(pool ipam.Block) string {
	if text := pool.AvailableText(); text != "" {
		return "free are " + text
	}
	return "no address is free: remove containers, or use a larger subnet"
}

// Unavailable returns the error for address a, which its pool refuses because of err. The error names the owner of the address.
func (n *Network) Unavailable(field string, a netip.Addr, err error) *model.Error {
	if owner := n.Owner(a); owner != "" {
		return model.Errorf(model.CodeConflict, field, "requested address %s is not available", a).Because(err).Try("%s has it", owner)
	}
	free, _ := n.Pool4()
	return model.Errorf(model.CodeConflict, field, "requested address is not available: %v", err).Because(err).Try("%s", FreeText(free))
}

// Exhausted returns the error for an address because the pool described by in is empty.
func (n *Network) Exhausted(in string, err error) *model.Error {
	return model.Errorf(model.CodeExhausted, "", "auto allocation failed - address exhaustion in %s", in).Because(err).
		Try("remove containers, or use a larger subnet: netctl network inspect --tenant %s %s shows who has the addresses",
			n.Record.ID.Tenant, n.Record.ID.Name)
}

// Network returns a network, nil if there is none.
func (v *View) Network(id identity.Network) *Network {
	if n := v.networks.Get(id); n != nil {
		return &Network{n, v}
	}
	return nil
}

// NetworkRecord returns a network's record, nil if there is none.
func (v *View) NetworkRecord(id identity.Network) *record.Network {
	if n := v.networks.Get(id); n != nil {
		return n.Record
	}
	return nil
}

// Networks returns all networks of a tenant (of all, when tenant is empty), ordered by id.
func (v *View) Networks(tenant string) []*Network {
	all := v.networks.Values()
	if tenant != "" {
		all = networksOfTenant.In(&v.networks, tenant).Values()
	}
	var out []*Network
	for _, n := range sortedByID(all, (*network).id) {
		out = append(out, &Network{n, v})
	}
	return out
}

// Overlapping returns a network of the tenant that declares an address of r, nil if there is none. Its cost grows with the logarithm of the
// number of networks.
func (v *View) Overlapping(tenant string, r ipam.Range) *Network {
	at := &network{addressing: addressing{tenant: tenant, v4: r, v6: r}}
	in, space, declared := &v.networks, space4, func(n *network) ipam.Range { return n.v4 }
	if r.First.Is6() {
		in, space, declared = &v.networks6, space6, func(n *network) ipam.Range { return n.v6 }
	}
	for _, neighbours := range []iter.Seq[*network]{space.From(in, at), space.Back(in, at)} {
		for n := range neighbours {
			if n.tenant == tenant && declared(n).First.IsValid() && ipam.Overlap(declared(n), r) {
				return &Network{n, v}
			}
			break
		}
	}
	return nil
}
