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

// taking is what a record takes of the pools. A number or an address is in use as long as any record takes it: a hold and the endpoint
// that takes it over have their address together, and so do two endpoints in a store whose records contradict each other.
type taking struct {
	owner     string // such as "endpoint ID"
	numbers   []number
	network   identity.Network // of the addresses
	group     identity.Group   // from whose pool the addresses come if they lie in it
	addresses []netip.Addr
}

// networkAddress is an address of a network.
type networkAddress struct {
	network identity.Network
	netip.Addr
}

// Takings of addresses, by the store keys of their records.
var (
	takingsOfAddress = table.ByEach[string](func(t *taking, to []networkAddress) []networkAddress {
		for _, a := range t.addresses {
			to = append(to, networkAddress{t.network, a})
		}
		return to
	})
	addressesTaken = table.Sum[string](func(t *taking) (identity.Network, uint64) { // IPv4
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

// take has the pools follow what the record at a store key takes now, and took before.
func (v *View) take(key string, was, now taking) (err error) {
	if len(now.addresses) > 0 {
		v.takings.Set(key, &now)
	} else if len(was.addresses) > 0 {
		v.takings.Delete(key)
	}
	for _, x := range now.numbers {
		if v.users[x]++; v.users[x] == 1 {
			err = errors.Join(err, ignoreTaken(v.numbers.of(x.pool).Take(x.n)))
		}
	}
	for _, x := range was.numbers {
		if v.users[x]--; v.users[x] == 0 {
			delete(v.users, x)
			v.numbers.of(x.pool).Release(x.n)
		}
	}
	if n := v.networks.Get(was.network); n != nil {
		for _, a := range was.addresses {
			if takingsOfAddress.In(v.takings, networkAddress{was.network, a}).Len() == 0 {
				n.release(was.group, a)
			}
		}
	}
	if now.network.IsZero() {
		return err
	}
	n := v.networks.Get(now.network)
	if n == nil {
		return errors.Join(err, fmt.Errorf("network %s is unknown", now.network))
	}
	for _, a := range now.addresses {
		err = errors.Join(err, ignoreTaken(n.take(now.group, a)))
	}
	return err
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
