// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"net/netip"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

// Adopt stores an endpoint that runs on its host, with its current addresses. An equal endpoint in the store changes nothing: same. If an
// endpoint of the store has the same id or one of the addresses, Adopt returns it as holder with the error. It must be called within a
// transaction.
func Adopt(tx *commit.Tx, e record.Endpoint) (same bool, holder string, err error) {
	p, err := find(tx.View, e.ID.Tenant, e.ID.Network.Name, e.Group.Name)
	if err != nil {
		return false, "", err
	}
	if p.group != nil {
		e.GroupNumber = p.group.Number
	}
	e.VTEP = tunnelEnd(tx.View, e.Host)
	old := tx.Endpoint(e.ID)
	switch {
	case old != nil && old.Host != e.Host:
		return false, e.ID.String(), model.Errorf(model.CodeConflict, "endpoints", "the store has endpoint %s on host %s, and host %s carries it", e.ID, old.Host, e.Host)
	case old != nil && old.IP == e.IP && old.IP6 == e.IP6 && old.MAC == e.MAC:
		return true, "", nil
	}
	for _, a := range []netip.Addr{e.IP, e.IP6} {
		if !a.IsValid() || old != nil && (old.IP == a || old.IP6 == a) {
			continue
		}
		if other := p.network.EndpointAt(a); other != nil && other.ID != e.ID {
			return false, other.ID.String(), model.Errorf(model.CodeConflict, "endpoints", "the store has address %s at endpoint %s on host %s", a, other.ID, other.Host)
		}
		// not one for another host
		if h, is := tx.HoldOf(e.ID.Network, a); is && h.Transferable() && (h.Quarantine != "" || h.By == e.Host || h.By == "" && h.Token == "") {
			tx.EndHold(e.ID.Network, a)
			continue
		}
		if err := available(p, a); err != nil {
			return false, "", err
		}
	}
	return false, "", put(tx, old, &e)
}

// Displace deletes the endpoint that contradicts one that an operator has accepted.
func (s *Service) Displace(tx *commit.Tx, e *record.Endpoint) error { return s.remove(tx, e) }
