// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/identity"
)

// Allocate holds an address for a future endpoint (Docker asks in this order).
func (s *Service) Allocate(ctx context.Context, q model.AllocAddressRequest) (model.AllocAddressResponse, error) {
	out := model.AllocAddressResponse{NetworkID: q.NetworkID}
	_, err := s.commit.Do(ctx, func(tx *commit.Tx) error {
		if err := s.held(tx.View); err != nil {
			return err
		}
		p, err := s.poolOf(tx.View, q)
		if err != nil {
			return err
		}
		if p.network == nil { // swarm asks for a gateway before the network exists
			out.IPv4Address, err = firstHost(q.AddressPool)
			return err
		}
		var a netip.Addr
		bits := p.network.Record.Subnet.Bits()
		if six(q) {
			bits = p.network.Record.Subnet6.Bits()
			a, err = pick6(tx, p, q)
		} else {
			a, err = pick4(tx, p, q)
		}
		if err != nil {
			return err
		}
		out.IPv4Address = netip.PrefixFrom(a, bits).String()
		if p.network.EndpointAt(a) != nil {
			return nil // a swarm's task already has it: see again
		}
		return s.hold(tx, p, a, q)
	})
	if err != nil {
		return model.AllocAddressResponse{}, err
	}
	return out, nil
}

// six reports whether the request is for an IPv6 address.
func six(q model.AllocAddressRequest) bool {
	if pool, err := identity.ParsePool(q.NetworkID); err == nil {
		return pool.Subnet.Addr().Is6()
	}
	return strings.Contains(q.AddressPool, ":")
}

func pick4(tx *commit.Tx, p home, q model.AllocAddressRequest) (netip.Addr, error) {
	if q.PreferredIPv4Address == "" {
		return next4(tx, p)
	}
	a, err := parse(q.PreferredIPv4Address, "PreferredIPv4Address")
	if err == nil && !a.Is4() {
		err = model.Errorf(model.CodeInvalid, "PreferredIPv4Address", "%s is not an IPv4 address", a).Try("network %s gives addresses of %s", p.network.Record.ID, p.network.Record.Declared())
	}
	if err != nil || again(tx, p, a, q) {
		return a, err
	}
	return a, available(p, a)
}

func pick6(tx *commit.Tx, p home, q model.AllocAddressRequest) (netip.Addr, error) {
	if !p.network.Gives6() {
		return netip.Addr{}, model.Errorf(model.CodeInvalid, "AddressPool", "network %s has no IPv6 subnet", p.network.Record.ID)
	}
	if q.PreferredIPv4Address == "" {
		return next6(tx, p.network)
	}
	a, err := parse(q.PreferredIPv4Address, "PreferredIPv4Address")
	if err == nil && !a.Is6() {
		err = model.Errorf(model.CodeInvalid, "PreferredIPv4Address", "%s is not an IPv6 address", a).Try("network %s gives addresses of %s", p.network.Record.ID, p.network.Record.Subnet6)
	}
	if err != nil || again(tx, p, a, q) {
		return a, err
	}
	return a, available(p, a)
}

// again takes over an address that is in quarantine after its release, that is held for the same host - whose first attempt failed and is
// retried - or that a manager requests for a swarm that has it, even through an endpoint: a new manager requests all addresses given out
// before.
func again(tx *commit.Tx, p home, a netip.Addr, q model.AllocAddressRequest) bool {
	h, ok := tx.HoldOf(p.network.Record.ID, a)
	switch {
	case !ok:
		e := p.network.EndpointAt(a)
		return q.Swarm && e != nil && e.Swarm
	case h.Quarantine != "":
		return h.Quarantine == catalog.QuarantineReleased && held(tx, h.Network, a)
	case h.Swarm:
		return q.Swarm && held(tx, h.Network, a)
	}
	return q.By != "" && h.By == q.By && held(tx, h.Network, a)
}

func (s *Service) hold(tx *commit.Tx, p home, a netip.Addr, q model.AllocAddressRequest) error {
	length := HoldFor
	if q.Seconds > 0 {
		length = min(length, time.Duration(q.Seconds)*time.Second)
	}
	h := catalog.Hold{Network: p.network.Record.ID, Group: p.groupID(), Address: a, Expires: s.now().Add(length).UTC(), By: q.By, Token: q.Token}
	if q.Swarm {
		h.Swarm, h.Token, h.Expires, h.Reason = true, model.SwarmToken, time.Time{}, "a service or task of the swarm, by its manager on "+q.By
	}
	return tx.Put(catalog.HoldKey(h.Network, h.Address), &h)
}

// Release releases a held address: an address that an endpoint has stays with the endpoint, and a hold with a token needs that token.
// Releasing anything else, or a free address, is harmless.
func (s *Service) Release(ctx context.Context, q model.ReleaseAddressRequest) error {
	_, err := s.commit.Do(ctx, func(tx *commit.Tx) error {
		p, err := s.poolOf(tx.View, model.AllocAddressRequest{NetworkID: q.NetworkID})
		if err != nil {
			return err
		}
		a, err := parse(q.IPv4Address, "IPv4Address")
		if err != nil {
			return err
		}
		h, held := tx.HoldOf(p.network.Record.ID, a)
		if !held || h.Quarantine != "" || h.Token != q.Token || q.By != "" && h.By != "" && h.By != q.By && !h.Swarm {
			return nil
		}
		key := catalog.HoldKey(h.Network, a)
		if rest := s.restOf(tx.View, false); h.Swarm && !h.Expires.IsZero() && rest > 0 { // an endpoint had it
			h = s.resting(h, rest, "its swarm")
			return tx.Put(key, &h)
		}
		tx.Delete(key)
		return nil
	})
	return err
}

// networkByID finds the network that the original's drivers call "network.tenant" or "network:group.tenant"; nil if there is none, or there
// are several, because names may contain dots.
func networkByID(v *catalog.View, id string) (found *catalog.Network, group identity.Group) {
	for i, c := range id {
		if c != '.' {
			continue
		}
		name, grp, _ := strings.Cut(id[:i], ":")
		tenant := id[i+1:]
		n := v.Network(identity.Network{Tenant: tenant, Name: name})
		if n == nil {
			continue
		}
		if found != nil {
			return nil, identity.Group{}
		}
		if found = n; grp != "" {
			group = identity.Group{Tenant: tenant, Name: grp}
		}
	}
	return found, group
}

// poolOf finds the place of a requested address; a home without network means that the request names only a pool that no network has, which
// swarm mode permits.
func (s *Service) poolOf(v *catalog.View, q model.AllocAddressRequest) (home, error) {
	if q.NetworkID == "" {
		n, err := s.networkByPool(v, q.AddressPool)
		return home{network: n}, err
	}
	if pool, err := identity.ParsePool(q.NetworkID); err == nil {
		return homeOf(v, pool)
	}
	id, _, _ := strings.Cut(q.NetworkID, "|") // the original's plugin sends its whole pool id
	network, group := networkByID(v, id)
	p := home{network: network}
	if p.network == nil || !p.network.Gives4() {
		return p, model.Errorf(model.CodeNotFound, "NetworkID", "network not found").Try("the id is %q, which is network.tenant; %s lists them", q.NetworkID, model.KindNetwork().Listing())
	}
	if !group.IsZero() {
		if p.group = v.Group(group); p.group == nil {
			return p, model.Errorf(model.CodeNotFound, "NetworkID", "endpoint group not found").Try("the id is %q; %s lists them", group, model.KindEndpointGroup().Listing())
		}
	}
	return p, nil
}

// homeOf finds the place of the addresses of a pool.
func homeOf(v *catalog.View, pool identity.Pool) (home, error) {
	if pool.Network.Name != "" {
		return find(v, pool.Network.Tenant, pool.Network.Name, pool.Group)
	}
	for _, n := range v.Networks(pool.Network.Tenant) {
		if n.Record.Subnet == pool.Subnet || n.Record.Subnet6 == pool.Subnet {
			return home{network: n}, nil
		}
	}
	return home{}, model.Errorf(model.CodeNotFound, "NetworkID", "tenant %s has no network with subnet %s", pool.Network.Tenant, pool.Subnet).
		Try("%s lists them", model.KindNetwork().Listing())
}

// networkByPool finds the network with the subnet of a pool, "address/length" and optionally ":tenant".
func (s *Service) networkByPool(v *catalog.View, pool string) (*catalog.Network, error) {
	text, tenant := pool, ""
	if i := strings.LastIndex(pool, "/"); i >= 0 {
		if length, t, ok := strings.Cut(pool[i:], ":"); ok {
			text, tenant = pool[:i]+length, t
		}
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return nil, model.Errorf(model.CodeInvalid, "AddressPool", "%q is not a subnet", pool).Try("AddressPool takes address/length, or set NetworkID")
	}
	for _, n := range v.Networks(tenant) {
		if n.Record.Subnet == prefix.Masked() || n.Record.Subnet6 == prefix.Masked() {
			return n, nil
		}
	}
	if s.clusterMode == "swarm-mode" {
		return nil, nil
	}
	return nil, model.Errorf(model.CodeNotFound, "AddressPool", "network not found").Try("the subnet is %s; %s lists them", prefix, model.KindNetwork().Listing())
}

func firstHost(pool string) (string, error) {
	p, err := netip.ParsePrefix(pool)
	if err != nil {
		return "", model.Errorf(model.CodeInvalid, "AddressPool", "%q is not a subnet", pool)
	}
	return fmt.Sprintf("%s/%d", p.Masked().Addr().Next(), p.Bits()), nil
}
