package endpoint

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/derive"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ipam"
)

// Create makes an endpoint, in one transaction that other requests may share. An endpoint that exists is returned
// unchanged. One that another host has is refused while a machine claims that host; later it has moved.
func (s *Service) Create(ctx context.Context, q model.CreateEndpointRequest) (record.Endpoint, uint64, error) {
	var made record.Endpoint
	rev, err := s.commit.Join(ctx, func(tx *commit.Tx) error {
		p, err := find(tx.View, q.TenantName, q.NetworkName, groupOf(tx.View, q))
		if err != nil {
			return err
		}
		name := q.ConfigEP.Container
		if name == "" {
			if q.ConfigEP.Host == "" {
				return model.Errorf(model.CodeInvalid, "ConfigEP.Container", "neither a container nor a host is named").Try("set ConfigEP.Container")
			}
			name = nativeInterface(q.ConfigEP.Host)
		}
		id := p.network.Record.ID + "-" + name
		if old := tx.Endpoint(id); old != nil {
			if err := same(tx.View, old, p, name, q); err != nil {
				return err
			}
			made = *old
			return s.existing(tx, &made, q)
		}
		made = record.Endpoint{
			ID: id, NetID: p.network.Record.ID, EndpointID: name, ServiceName: groupOf(tx.View, q),
			HomingHost: q.ConfigEP.Host, Labels: maps.Clone(q.Labels), ContainerID: q.ContainerID, EPCommonName: q.EPCommonName,
			Tenant: p.network.Record.Tenant, Machine: q.Machine, VtepIP: tunnelEnd(tx.View, q.ConfigEP.Host),
		}
		if p.group != nil {
			made.EndpointGroupID, made.EndpointGroupKey = p.group.EndpointGroupID, p.group.ID
		}
		if err := address4(tx, p, &made, q.ConfigEP.IPAddress); err != nil {
			return err
		}
		if err := address6(tx, p, &made, q.ConfigEP.IPv6Address); err != nil {
			return err
		}
		made.MacAddress = macOf(made.IPAddress)
		return put(tx, nil, &made)
	})
	if err != nil {
		return record.Endpoint{}, 0, err
	}
	return made, uint64(rev), nil
}

// defaultGroup is the group of containers of an ACI fabric that name none: there, a group is what has a VLAN.
const defaultGroup = "default-group"

func groupOf(v *catalog.View, q model.CreateEndpointRequest) string {
	group := q.ConfigEP.ServiceName
	n := v.NetworkOf(q.TenantName, q.NetworkName)
	if group == "" && derive.ByACI(v.Global()) && n != nil && n.Record.NwType != catalog.NetworkInfra {
		return defaultGroup
	}
	return group
}

// tunnelEnd is the tunnel address that a host claims, "" when it claims none: so that those whose agents start while its own is down
// reach its endpoints.
func tunnelEnd(v *catalog.View, host string) string {
	if c := v.ClaimAt(record.HostClaim(host)); c != nil {
		return c.VTEP
	}
	return ""
}

// same refuses the endpoint of another container whose id reads the same: ids are made of names, which may hold what joins them.
func same(v *catalog.View, old *record.Endpoint, p place, name string, q model.CreateEndpointRequest) error {
	if old.NetID == p.network.Record.ID && old.EndpointID == name &&
		(q.ContainerID == "" || old.ContainerID == "" || q.ContainerID == old.ContainerID) {
		return nil
	}
	has, where := "container "+old.EndpointID, old.NetID
	if old.ContainerID != "" && old.ContainerID != old.EndpointID {
		has = "an interface of container " + old.ContainerID
	}
	if n := v.Network(old.NetID); n != nil {
		where = n.Record.NetworkName + " of tenant " + n.Record.Tenant
	}
	return model.Errorf(model.CodeConflict, "EndpointID", "container %s on network %s of tenant %s would be endpoint %s, which is %s on network %s", name,
		p.network.Record.NetworkName, p.network.Record.Tenant, old.ID, has, where).Try("give one of the containers, networks or tenants another name")
}

// existing returns an endpoint to the host that has it, or gives it to another that asks for it, if no one claims to be the first
// any more.
func (s *Service) existing(tx *commit.Tx, e *record.Endpoint, q model.CreateEndpointRequest) error {
	host := q.ConfigEP.Host
	if host == "" || host == e.HomingHost && (q.Machine == "" || q.Machine == e.Machine) {
		return nil
	}
	if host != e.HomingHost {
		if tx.ClaimAt(record.HostClaim(e.HomingHost)) != nil || tx.Running(e.HomingHost) {
			return model.Errorf(model.CodeConflict, "ConfigEP.Host", "host %s has endpoint %s, so host %s does not get it", e.HomingHost, e.ID, host).
				Try("detach the container on %s first; when that is gone for good: netctl node forget %s", e.HomingHost, e.HomingHost)
		}
		s.log.Info("endpoint moved", "endpoint", e.ID, "from", e.HomingHost, "to", host)
	}
	e.HomingHost, e.Machine, e.VtepIP = host, q.Machine, tunnelEnd(tx.View, host)
	moved := *e
	return tx.PutEndpoint(&moved)
}

// address4 gives the endpoint the wanted IPv4 address, or the lowest free one of its group's pool or network.
func address4(tx *commit.Tx, p place, e *record.Endpoint, wanted string) error {
	if wanted != "" {
		return wanted4(tx, p, e, wanted)
	}
	a, err := next4(tx, p)
	if err != nil {
		return err
	}
	e.IPAddress = a.String()
	return nil
}

// next4 takes the lowest free address; when none is, the one that has been in quarantine longest since its release.
func next4(tx *commit.Tx, p place) (netip.Addr, error) {
	pool, in := p.network.Pool4, p.network.Record.ID
	if block := p.network.Block(p.groupKey()); block != nil {
		pool, in = block, "pool "+p.group.IPPool
	}
	a, err := pool.Next()
	if errors.Is(err, ipam.ErrExhausted) {
		if a, ok := tx.Rested(p.network, func(a netip.Addr) bool { return p.network.PoolAt(a) == pool }); ok {
			return a, nil
		}
		return a, p.network.Exhausted(in, err)
	}
	if err != nil {
		return a, err
	}
	tx.OnAbort(func() { pool.Release(a) })
	return a, nil
}

// next6 is next4 for IPv6.
func next6(tx *commit.Tx, n *catalog.Network) (netip.Addr, error) {
	pool := n.Pool6
	a, err := pool.Next()
	if err != nil {
		if a, ok := tx.Rested(n, pool.Contains); ok {
			return a, nil
		}
		return a, model.Errorf(model.CodeExhausted, "", "Reached MaxHosts: no IPv6 address is left in %s", pool).Because(err)
	}
	tx.OnAbort(func() { pool.Release(a) })
	return a, nil
}

func wanted4(tx *commit.Tx, p place, e *record.Endpoint, wanted string) error {
	a, err := parse(wanted, "ConfigEP.IPAddress")
	if err != nil {
		return err
	}
	e.IPAddress = a.String()
	if held(tx, e.NetID, a) {
		return nil
	}
	pool := p.network.PoolOf(p.groupKey(), a)
	if err := pool.Take(a); err != nil {
		return p.network.Unavailable("IPAddress", a, err)
	}
	tx.OnAbort(func() { pool.Release(a) })
	return nil
}

func address6(tx *commit.Tx, p place, e *record.Endpoint, wanted string) error {
	pool := p.network.Pool6
	if pool == nil {
		if wanted != "" {
			return model.Errorf(model.CodeInvalid, "ConfigEP.IPv6Address", "network %s has no IPv6 subnet", p.network.Record.ID)
		}
		return nil
	}
	if wanted == "" {
		a, err := next6(tx, p.network)
		e.IPv6Address = a.String()
		return err
	}
	a, err := parse(wanted, "ConfigEP.IPv6Address")
	if err != nil {
		return err
	}
	e.IPv6Address = a.String()
	if held(tx, e.NetID, a) {
		return nil
	}
	if err := pool.Take(a); err != nil {
		return p.network.Unavailable("IPAddress", a, err)
	}
	tx.OnAbort(func() { pool.Release(a) })
	return nil
}

// held takes over an address that was held for an endpoint to come, or that rests after its release.
func held(tx *commit.Tx, network string, a netip.Addr) bool {
	h, ok := tx.HoldOf(network, a.String())
	return ok && h.Yields() && tx.Claim(catalog.HoldKey(network, a.String()))
}

// parse reads an address, with or without a length behind it.
func parse(text, field string) (netip.Addr, error) {
	if p, err := netip.ParsePrefix(text); err == nil {
		return p.Addr(), nil
	}
	a, err := netip.ParseAddr(text)
	if err != nil {
		return a, model.Errorf(model.CodeInvalid, field, "%q is not an IP address", text).Try("%s takes an address such as 10.1.1.7", field)
	}
	return a, nil
}

// macOf makes the endpoint's Ethernet address from its IPv4 address.
func macOf(ip string) string {
	a, err := netip.ParseAddr(ip)
	if err != nil || !a.Is4() {
		return ""
	}
	b := a.As4()
	return fmt.Sprintf("02:02:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3])
}
