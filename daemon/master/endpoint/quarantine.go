// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"context"
	"net/netip"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// letRest puts the addresses of a deleted endpoint into quarantine. Those of a swarm's task are held for the swarm first, which releases
// them when it learns of the task's end, or never.
func (s *Service) letRest(tx *commit.Tx, e *record.Endpoint) error {
	n, rest := tx.Network(e.ID.Network), s.restOf(tx.View, !e.Pod.ID.IsZero())
	if rest <= 0 && !e.Swarm || n == nil {
		return nil
	}
	for _, a := range []netip.Addr{e.IP, e.IP6} {
		if !a.IsValid() || !n.Contains(a) {
			continue
		}
		h := s.resting(catalog.Hold{Network: e.ID.Network, Group: e.Group, Address: a}, rest, e.ID.Endpoint)
		if e.Swarm {
			h.Quarantine, h.Swarm, h.Token, h.Expires = "", true, model.SwarmToken, s.now().Add(max(HoldFor, rest)).UTC()
		}
		if err := tx.Put(catalog.HoldKey(h.Network, h.Address), &h); err != nil {
			return err
		}
	}
	return nil
}

// podsRest is the default quarantine of the address of a pod.
const podsRest = 30 * time.Second

// restOf returns the quarantine time of the address of an endpoint.
func (s *Service) restOf(v *catalog.View, pod bool) time.Duration {
	if g := v.Global(); g != nil && g.Quarantine != "" {
		if d, err := time.ParseDuration(g.Quarantine); err == nil {
			return d
		}
	}
	switch {
	case s.rest != nil:
		return *s.rest
	case pod:
		return podsRest
	}
	return 0
}

// resting returns the quarantine of a released address.
func (s *Service) resting(h catalog.Hold, rest time.Duration, by string) catalog.Hold {
	return catalog.Hold{Network: h.Network, Group: h.Group, Address: h.Address, Quarantine: catalog.QuarantineReleased,
		Expires: s.now().Add(rest).UTC(), Reason: "released by " + by}
}

// maxReason bounds the reason of a quarantine, in bytes.
const maxReason = 200

// Quarantine excludes a free address from allocation, for a time or until it is released. An address already in quarantine gets the new
// time and reason; an address with an owner is refused.
func (s *Service) Quarantine(ctx context.Context, q model.QuarantineRequest) (model.AddressOwner, uint64, error) {
	if q.Seconds < 0 || q.Seconds > int64(10*365*24*time.Hour/time.Second) {
		return model.AddressOwner{}, 0, model.Errorf(model.CodeInvalid, "seconds", "%d seconds are no time to keep an address", q.Seconds).Try("0 keeps it until it is released; ten years are the most")
	}
	if len(q.Reason) > maxReason {
		return model.AddressOwner{}, 0, model.Errorf(model.CodeInvalid, "reason", "the reason is longer than %d bytes", maxReason)
	}
	out := model.AddressOwner{Kind: model.OwnerQuarantine, Reason: q.Reason}
	rev, err := s.commit.Do(ctx, func(tx *commit.Tx) error {
		n, a, err := addressOf(tx, q.Network, q.Address)
		if err != nil {
			return err
		}
		h := catalog.Hold{Network: n.Record.ID, Group: n.BlockAt(a), Address: a, Quarantine: catalog.QuarantineOperator, Reason: q.Reason}
		if q.Seconds > 0 {
			h.Expires = s.now().Add(time.Duration(q.Seconds) * time.Second).UTC().Truncate(time.Second)
			out.Until = &h.Expires
		}
		if known, held := tx.HoldOf(n.Record.ID, a); !held || known.Quarantine == "" {
			if err := n.Check(h.Group, a); err != nil {
				return n.Unavailable("address", a, err)
			}
		} else {
			h.Group = known.Group
		}
		return tx.Put(catalog.HoldKey(h.Network, h.Address), &h)
	})
	if err != nil {
		return model.AddressOwner{}, 0, err
	}
	return out, uint64(rev), nil
}

// Free ends a hold or a quarantine of an address. An address with an owner is refused, with the owner's name; a free address is success.
func (s *Service) Free(ctx context.Context, q model.ReleaseRequest) (model.ReleaseAnswer, uint64, error) {
	var out model.ReleaseAnswer
	rev, err := s.commit.Do(ctx, func(tx *commit.Tx) error {
		n, a, err := addressOf(tx, q.Network, q.Address)
		if err != nil {
			return err
		}
		if _, held := tx.HoldOf(n.Record.ID, a); held {
			tx.EndHold(n.Record.ID, a)
			out.Released = true
			return nil
		}
		if owner := n.Owner(a); owner != "" {
			return model.Errorf(model.CodeInUse, "address", "%s has %s", owner, a).Try("remove the owner, and the address goes with it")
		}
		return nil
	})
	if err != nil {
		return model.ReleaseAnswer{}, 0, err
	}
	return out, uint64(rev), nil
}

// addressOf finds an address that a network, "tenant:network" or "network.tenant", allocates.
func addressOf(tx *commit.Tx, network, address string) (*catalog.Network, netip.Addr, error) {
	id, err := identity.ParseNetwork(network)
	n := tx.Network(id)
	if err != nil {
		n, _ = networkByID(tx.View, network)
	}
	if n == nil {
		return nil, netip.Addr{}, model.Errorf(model.CodeNotFound, "network", "network %s not found", network).Try("netctl network ls --all shows the networks")
	}
	a, err := parse(address, "address")
	if err != nil {
		return nil, a, err
	}
	a = a.WithZone("").Unmap()
	if !n.Contains(a) {
		return nil, a, model.Errorf(model.CodeInvalid, "address", "%s is no address that network %s gives out", a, network).
			Try("netctl ip show %s shows what it has", n.Record.ID.Name)
	}
	return n, a, nil
}
