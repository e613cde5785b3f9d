package catalog

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ipam"
	"github.com/contiv/contiv/ipam/tag"
	"github.com/contiv/contiv/table"
)

// allocation is what a record takes of the pools. A number or an address is in use as long as any record takes it: a hold and the endpoint
// that takes it over have their address together, and so do two endpoints in a store whose records contradict each other.
type allocation struct {
	owner     owner
	numbers   []number
	network   identity.Network // of the addresses
	addresses []netip.Addr
	rests     bool // nobody was given the addresses
}

// owner is what a taking belongs to. There are as many as endpoints, and few are ever asked for, so their text is made then.
type owner struct {
	kind string
	id   fmt.Stringer // nil: the kind says it all
}

// String is such as "endpoint ID".
func (o owner) String() string {
	if o.id == nil {
		return o.kind
	}
	return o.kind + " " + o.id.String()
}

// networkAddress is an address of a network.
type networkAddress struct {
	network identity.Network
	netip.Addr
}

// Takings by what they take, and how many addresses, IPv4 alone, they take of a network.
var (
	allocationsOfAddress = table.ByEach[string](func(t *allocation, to []networkAddress) []networkAddress {
		for _, a := range t.addresses {
			to = append(to, networkAddress{t.network, a})
		}
		return to
	})
	allocationsOfNumber = table.ByEach[string](func(t *allocation, to []number) []number { return append(to, t.numbers...) })
	addressesTaken      = table.Sum[string](func(t *allocation) (identity.Network, uint64) {
		n := uint64(0)
		for _, a := range t.addresses {
			if a.Is4() {
				n++
			}
		}
		return t.network, n
	})
)

// valid are those of addresses that are any.
func valid(addresses ...netip.Addr) []netip.Addr {
	return slices.DeleteFunc(addresses, func(a netip.Addr) bool { return !a.IsValid() })
}

// updatePools has the pools follow what the record at a store key takes now, and took before.
func (v *View) updatePools(key string, was, now allocation) (err error) {
	if len(now.addresses)+len(now.numbers) > 0 {
		v.allocations.Set(key, &now)
	} else {
		v.allocations.Delete(key)
	}
	for _, x := range was.numbers {
		if allocationsOfNumber.In(&v.allocations, x).Len() == 0 {
			v.ownNumbers().of(x.pool).Release(x.n)
		}
	}
	for _, x := range now.numbers {
		err = errors.Join(err, ignoreTaken(v.ownNumbers().of(x.pool).Acquire(x.n)))
	}
	if p := v.ownPools(was.network); p != nil {
		for _, a := range was.addresses {
			if !v.taken(was.network, a) {
				p.release(a)
			}
		}
	}
	p := v.ownPools(now.network)
	if p == nil && !now.network.IsZero() {
		return errors.Join(err, fmt.Errorf("network %s is unknown", now.network))
	}
	for _, a := range now.addresses {
		if !now.rests || v.listing {
			v.turn(p, now.network, a)
		}
		err = errors.Join(err, ignoreTaken(p.acquire(a)))
	}
	return err
}

// taken says whether anything takes an address.
func (v *View) taken(network identity.Network, a netip.Addr) bool {
	return allocationsOfAddress.In(&v.allocations, networkAddress{network, a}).Len() > 0
}

// ignoreTaken passes over what a leader meets when it applies its own commit: the number or address is taken already,
// by the very request that it commits. Outside the range is no error either: ranges may shrink around what is in use.
func ignoreTaken(err error) error {
	if errors.Is(err, ipam.ErrInUse) || errors.Is(err, ipam.ErrReserved) || errors.Is(err, ipam.ErrOutOfRange) ||
		errors.Is(err, tag.ErrInUse) || errors.Is(err, tag.ErrOutOfRange) {
		return nil
	}
	return err
}
