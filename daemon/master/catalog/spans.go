package catalog

import (
	"net/netip"
	"slices"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ipam"
)

// span is the addresses that one network declares.
type span struct {
	ipam.Range
	network string // state id
}

// spans are the addresses of a tenant's networks in one family, ordered. They do not overlap, since a network that
// would is refused; that is what lets two neighbours answer for all.
type spans []span

// at is where a span that begins at a is, or would be put.
func (s spans) at(a netip.Addr) int {
	i, _ := slices.BinarySearchFunc(s, a, func(x span, a netip.Addr) int { return x.First.Compare(a) })
	return i
}

// overlapping finds a network that has an address of r.
func (s spans) overlapping(r ipam.Range) (network string, ok bool) {
	i := s.at(r.First)
	for _, j := range []int{i - 1, i} {
		if j >= 0 && j < len(s) && ipam.Overlap(s[j].Range, r) {
			return s[j].network, true
		}
	}
	return "", false
}

func (s spans) with(x span) spans { return slices.Insert(s, s.at(x.First), x) }

func (s spans) without(network string, first netip.Addr) spans {
	for i := s.at(first); i < len(s) && s[i].First == first; i++ {
		if s[i].network == network {
			return slices.Delete(s, i, i+1)
		}
	}
	return s
}

// space is the addresses that a tenant's networks declare.
type space struct{ v4, v6 spans }

// declared are the ranges of a network's record; one of a family that it does not have, or that cannot be read, is not ok.
func declared(r *record.Network) (v4, v6 ipam.Range, ok4, ok6 bool) {
	if spec, err := Spec4(r); err == nil {
		v4, ok4 = spec.Range(), true
	}
	if r.IPv6Subnet != "" {
		if spec, err := Spec6(r); err == nil {
			v6, ok6 = ipam.RangeOf(spec.Prefix), true
		}
	}
	return v4, v6, ok4, ok6
}

// occupy notes the addresses of a network.
func (v *View) occupy(r *record.Network) {
	s := v.spaces[r.Tenant]
	v4, v6, ok4, ok6 := declared(r)
	if ok4 {
		s.v4 = s.v4.with(span{v4, r.ID})
	}
	if ok6 {
		s.v6 = s.v6.with(span{v6, r.ID})
	}
	v.spaces[r.Tenant] = s
}

// vacate takes back what occupy noted.
func (v *View) vacate(r *record.Network) {
	s := v.spaces[r.Tenant]
	v4, v6, ok4, ok6 := declared(r)
	if ok4 {
		s.v4 = s.v4.without(r.ID, v4.First)
	}
	if ok6 {
		s.v6 = s.v6.without(r.ID, v6.First)
	}
	if len(s.v4)+len(s.v6) == 0 {
		delete(v.spaces, r.Tenant)
		return
	}
	v.spaces[r.Tenant] = s
}

// Overlapping returns a network of the tenant that declares an address of r, nil when none does. Its cost grows with
// the logarithm of the tenant's networks.
func (v *View) Overlapping(tenant string, r ipam.Range) *Network {
	s := v.spaces[tenant].v4
	if r.First.Is6() {
		s = v.spaces[tenant].v6
	}
	id, ok := s.overlapping(r)
	if !ok {
		return nil
	}
	return v.networks[id]
}
