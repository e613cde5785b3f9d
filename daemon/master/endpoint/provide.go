// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"net/netip"
	"slices"

	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

// put writes an endpoint and the providers of the services that its labels select. old is the endpoint that it replaces, nil if it is new.
func put(tx *commit.Tx, old, e *record.Endpoint) error {
	if err := provide(tx, old, e); err != nil {
		return err
	}
	if err := tx.PutEndpoint(e); err != nil || old != nil && old.IP == e.IP && old.IP6 == e.IP6 {
		return err
	}
	return judgeTaken(tx, e.IP, e.IP6)
}

// remove deletes an endpoint, removes it from all services, and puts its addresses into quarantine.
func (s *Service) remove(tx *commit.Tx, e *record.Endpoint) error {
	tx.DeleteEndpoint(e.ID)
	if err := provide(tx, e, nil); err != nil {
		return err
	}
	if err := judgeLeft(tx, e.IP, e.IP6); err != nil {
		return err
	}
	return s.letRest(tx, e)
}

// provide updates the providers of the tenant's services for one endpoint: old is its previous state, now its next one; either may be nil.
func provide(tx *commit.Tx, old, now *record.Endpoint) error {
	some := old
	if now != nil {
		some = now
	}
	for _, s := range tx.ServiceLBs(some.ID.Tenant) {
		list := tx.Provider(s.ID)
		if list == nil {
			continue
		}
		addresses := list.Addresses
		if old != nil && (now == nil || now.IP != old.IP) {
			addresses = without(addresses, old.IP)
		}
		if now != nil && s.Selects(now.Labels) {
			addresses = with(addresses, now.IP)
		} else if now != nil {
			addresses = without(addresses, now.IP)
		}
		if slices.Equal(addresses, list.Addresses) {
			continue
		}
		changed := *list
		changed.Addresses = addresses
		if err := tx.Put(record.Providers+s.ID.String(), &changed); err != nil {
			return err
		}
	}
	return nil
}

// with returns an ordered list with a added; without, one with a removed. Neither changes its argument.
func with(list []netip.Addr, a netip.Addr) []netip.Addr {
	i, found := slices.BinarySearchFunc(list, a, netip.Addr.Compare)
	if found {
		return list
	}
	return slices.Insert(slices.Clone(list), i, a)
}

func without(list []netip.Addr, a netip.Addr) []netip.Addr {
	i, found := slices.BinarySearchFunc(list, a, netip.Addr.Compare)
	if !found {
		return list
	}
	return slices.Delete(slices.Clone(list), i, i+1)
}
