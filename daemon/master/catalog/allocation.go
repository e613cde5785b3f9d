// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ipam"
	"github.com/contiv/contiv/table"
)

// allocation is the part of the pools that a record uses. A number or an address is in use as long as any record has it: a hold and the
// endpoint that replaces it share their address, and so do two endpoints in a store whose records contradict each other.
type allocation struct {
	owner     owner
	numbers   []number
	network   identity.Network // of the addresses
	addresses []netip.Addr
	rests     bool // no endpoint was given the addresses
}

// owner is the record that has an allocation. There is one for each endpoint and few are ever printed, so its text is made on demand.
type owner struct {
	kind string
	id   fmt.Stringer // nil: the kind is complete without it
}

// String returns a text such as "endpoint ID".
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

// Allocations by number and by address, and the number of IPv4 addresses that they use of a network.
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

// valid returns the valid ones of some addresses.
func valid(addresses ...netip.Addr) []netip.Addr {
	return slices.DeleteFunc(addresses, func(a netip.Addr) bool { return !a.IsValid() })
}

// updatePools replaces the previous allocation of the record at a store key by its current one.
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

// taken reports whether a record uses an address.
func (v *View) taken(network identity.Network, a netip.Addr) bool {
	return allocationsOfAddress.In(&v.allocations, networkAddress{network, a}).Len() > 0
}

// ignoreTaken ignores an error that a leader meets when it applies its own commit: the number or address is already in use, by the request
// that it commits. A value outside the range is no error either: ranges may shrink around values in use.
func ignoreTaken(err error) error {
	if errors.Is(err, ipam.ErrInUse) || errors.Is(err, ipam.ErrReserved) || errors.Is(err, ipam.ErrOutOfRange) ||
		errors.Is(err, ipam.ErrNumberInUse) || errors.Is(err, ipam.ErrNumberOutOfRange) {
		return nil
	}
	return err
}
