package endpoint

import (
	"context"
	"fmt"
	"net/netip"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/identity"
)

// Allocate holds an address for an endpoint that is to come (Docker asks in this order).
func (s *Service) Allocate(ctx context.Context, q model.AllocAddressRequest) (model.AllocAddressResponse, error) {
	out := model.AllocAddressResponse{NetworkID: q.NetworkID}
	_, err := s.commit.Do(ctx, func(tx *commit.Tx) error {
		p, err := s.poolOf(tx.View, q)
		if err != nil {
			return err
		}
		if p.network == nil { // swarm asks for a gateway before the network exists
			out.IPv4Address, err = firstHost(q.AddressPool)
			return err
		}
		if strings.Contains(q.AddressPool, ":") {
			return s.hold6(tx, p, &out)
		}
		a, err := s.pick4(tx, p, q.PreferredIPv4Address)
		if err != nil {
			return err
		}
		out.IPv4Address = netip.PrefixFrom(a, p.network.Record.Subnet.Bits()).String()
		return s.hold(tx, p, a)
	})
	return out, err
}

func (s *Service) pick4(tx *commit.Tx, p home, preferred string) (netip.Addr, error) {
	if preferred == "" {
		return next4(tx, p)
	}
	a, err := parse(preferred, "PreferredIPv4Address")
	if err != nil {
		return a, err
	}
	if h, ok := tx.HoldOf(p.network.Record.ID, a); ok && h.Quarantine == catalog.QuarantineReleased && held(tx, h.Network, a) {
		return a, nil
	}
	pool := p.network.PoolOf(p.groupID(), a)
	if err := pool.Take(a); err != nil {
		return a, p.network.Unavailable("IPAddress", a, err)
	}
	tx.OnAbort(func() { pool.Release(a) })
	return a, nil
}

func (s *Service) hold6(tx *commit.Tx, p home, out *model.AllocAddressResponse) error {
	if p.network.Pool6 == nil {
		return model.Errorf(model.CodeInvalid, "AddressPool", "network %s has no IPv6 subnet", p.network.Record.ID)
	}
	a, err := next6(tx, p.network)
	if err != nil {
		return err
	}
	out.IPv4Address = netip.PrefixFrom(a, p.network.Record.Subnet6.Bits()).String()
	return s.hold(tx, p, a)
}

func (s *Service) hold(tx *commit.Tx, p home, a netip.Addr) error {
	h := catalog.Hold{Network: p.network.Record.ID, Group: p.groupID(), Address: a, Expires: s.now().Add(HoldFor).UTC()}
	return tx.Put(catalog.HoldKey(h.Network, h.Address), &h)
}

// Release gives a held address back. An address that an endpoint has goes with the endpoint; releasing it, or what is
// free, is harmless.
func (s *Service) Release(ctx context.Context, q model.ReleaseAddressRequest) error {
	id, _, _ := strings.Cut(q.NetworkID, "|") // Docker's plugin sends its whole pool id
	_, err := s.commit.Do(ctx, func(tx *commit.Tx) error {
		p, err := s.poolOf(tx.View, model.AllocAddressRequest{NetworkID: id})
		if err != nil {
			return err
		}
		a, err := parse(q.IPv4Address, "IPv4Address")
		if err != nil {
			return err
		}
		if h, held := tx.HoldOf(p.network.Record.ID, a); held && h.Quarantine == "" {
			tx.Delete(catalog.HoldKey(p.network.Record.ID, a))
		}
		return nil
	})
	return err
}

// networkByID finds what the original's drivers call "network.tenant" or "network:group.tenant"; nil when there is no such network, or
// there are several, since names may hold dots.
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

// poolOf finds where an address is wanted; a home without network means that the request names only a pool that no
// network has, which swarm mode permits.
func (s *Service) poolOf(v *catalog.View, q model.AllocAddressRequest) (home, error) {
	if q.NetworkID == "" {
		n, err := s.networkByPool(v, q.AddressPool)
		return home{network: n}, err
	}
	network, group := networkByID(v, q.NetworkID)
	p := home{network: network}
	if p.network == nil || p.network.Pool4 == nil {
		return p, model.Errorf(model.CodeNotFound, "NetworkID", "network not found").Try("the id is %q, which is network.tenant; %s shows what there is", q.NetworkID, model.KindNetwork().Listing())
	}
	if !group.IsZero() {
		if p.group = v.Group(group); p.group == nil {
			return p, model.Errorf(model.CodeNotFound, "NetworkID", "endpoint group not found").Try("the id is %q; %s shows what there is", group, model.KindEndpointGroup().Listing())
		}
	}
	return p, nil
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
	return nil, model.Errorf(model.CodeNotFound, "AddressPool", "network not found").Try("the subnet is %s; %s shows what there is", prefix, model.KindNetwork().Listing())
}

func firstHost(pool string) (string, error) {
	p, err := netip.ParsePrefix(pool)
	if err != nil {
		return "", model.Errorf(model.CodeInvalid, "AddressPool", "%q is not a subnet", pool)
	}
	return fmt.Sprintf("%s/%d", p.Masked().Addr().Next(), p.Bits()), nil
}
