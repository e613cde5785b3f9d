package endpoint

import (
	"context"
	"errors"
	"maps"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/derive"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ipam"
)

// Create makes an endpoint, in one transaction that other requests may share. An endpoint that exists is returned
// unchanged. One that another host has is refused while a machine claims that host; later it has moved.
func (s *Service) Create(ctx context.Context, q model.CreateEndpointRequest) (record.Endpoint, uint64, error) {
	if err := s.await(ctx, q.Pod); err != nil {
		return record.Endpoint{}, 0, err
	}
	var made record.Endpoint
	asked := q
	rev, err := s.commit.Join(ctx, func(tx *commit.Tx) error {
		q := asked
		pod, err := s.place(tx, &q)
		if err != nil {
			return err
		}
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
		id := identity.Endpoint{Network: p.network.Record.ID, Endpoint: name}
		if old := tx.Endpoint(id); old != nil {
			if q.ContainerID != "" && old.ContainerID != "" && q.ContainerID != old.ContainerID {
				return model.Errorf(model.CodeConflict, "EndpointID", "endpoint %s is an interface of container %s", id, old.ContainerID).
					Try("give one of the containers another name")
			}
			made = *old
			return s.existing(tx, &made, q)
		}
		made = record.Endpoint{
			ID: id, Service: groupOf(tx.View, q), Host: q.ConfigEP.Host, Labels: maps.Clone(q.Labels), ContainerID: q.ContainerID,
			CommonName: q.EPCommonName, Machine: q.Machine, DockerNetwork: q.DockerNetwork, VTEP: tunnelEnd(tx.View, q.ConfigEP.Host), Pod: pod,
		}
		if p.group != nil {
			made.GroupNumber, made.Group = p.group.Number, p.group.ID
		}
		if err := address4(tx, p, &made, q.ConfigEP); err != nil {
			return err
		}
		if err := address6(tx, p, &made, q.ConfigEP); err != nil {
			return err
		}
		if made.MAC, err = macFor(p.network, made.IP, q.ConfigEP.MacAddress); err != nil {
			return err
		}
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
	n := v.Network(identity.Network{Tenant: q.TenantName, Name: q.NetworkName})
	if group == "" && derive.ByACI(v.Global()) && n != nil && n.Record.Kind != record.InfraNetwork {
		return defaultGroup
	}
	return group
}

// tunnelEnd is the tunnel address that a host claims, invalid when it claims none: so that those whose agents start while its own is down
// reach its endpoints.
func tunnelEnd(v *catalog.View, host string) (a netip.Addr) {
	if c := v.ClaimAt(record.HostClaim(host)); c != nil {
		a, _ = netip.ParseAddr(c.VTEP)
	}
	return a
}

// existing returns an endpoint to the host that has it, or gives it to another that asks for it, if no one claims to be the first
// any more.
func (s *Service) existing(tx *commit.Tx, e *record.Endpoint, q model.CreateEndpointRequest) error {
	host := q.ConfigEP.Host
	if host == "" || host == e.Host && (q.Machine == "" || q.Machine == e.Machine) {
		return nil
	}
	if host != e.Host {
		if tx.ClaimAt(record.HostClaim(e.Host)) != nil || tx.Running(e.Host) {
			return model.Errorf(model.CodeConflict, "ConfigEP.Host", "host %s has endpoint %s, so host %s does not get it", e.Host, e.ID, host).
				Try("detach the container on %s first; when that is gone for good: netctl node forget %s", e.Host, e.Host)
		}
		s.log.Info("endpoint moved", "endpoint", e.ID, "from", e.Host, "to", host)
	}
	e.Host, e.Machine, e.VTEP = host, q.Machine, tunnelEnd(tx.View, host)
	moved := *e
	return tx.PutEndpoint(&moved)
}

// address4 gives the endpoint the wanted IPv4 address, or the lowest free one of its group's pool or network.
func address4(tx *commit.Tx, p home, e *record.Endpoint, q model.EndpointConfigRequest) error {
	if q.IPAddress != "" {
		return wanted4(tx, p, e, q)
	}
	a, err := next4(tx, p)
	if err != nil {
		return err
	}
	e.IP = a
	return nil
}

// next4 takes the lowest free address; when none is, the one that has been in quarantine longest since its release.
func next4(tx *commit.Tx, p home) (netip.Addr, error) {
	pool, in := p.network.Pool4, p.network.Record.ID.String()
	if block := p.network.Block(p.groupID()); block != nil {
		pool, in = block, "pool "+p.group.Pool.String()
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

func wanted4(tx *commit.Tx, p home, e *record.Endpoint, q model.EndpointConfigRequest) error {
	a, err := parse(q.IPAddress, "ConfigEP.IPAddress")
	if err == nil && !a.Is4() {
		err = model.Errorf(model.CodeInvalid, "ConfigEP.IPAddress", "%s is not an IPv4 address", a).Try("ConfigEP.IPAddress takes an address such as 10.1.1.7")
	}
	if err != nil {
		return err
	}
	e.IP = a
	if promised(tx, e, a, &q) {
		return nil
	}
	pool := p.network.PoolOf(p.groupID(), a)
	if err := pool.Take(a); err != nil {
		return p.network.Unavailable("IPAddress", a, err)
	}
	tx.OnAbort(func() { pool.Release(a) })
	return nil
}

func address6(tx *commit.Tx, p home, e *record.Endpoint, q model.EndpointConfigRequest) error {
	pool, wanted := p.network.Pool6, q.IPv6Address
	if pool == nil {
		if wanted != "" {
			return model.Errorf(model.CodeInvalid, "ConfigEP.IPv6Address", "network %s has no IPv6 subnet", p.network.Record.ID)
		}
		return nil
	}
	if wanted == "" {
		a, err := next6(tx, p.network)
		e.IP6 = a
		return err
	}
	a, err := parse(wanted, "ConfigEP.IPv6Address")
	if err == nil && !a.Is6() {
		err = model.Errorf(model.CodeInvalid, "ConfigEP.IPv6Address", "%s is not an IPv6 address", a).Try("ConfigEP.IPv6Address takes an address such as fd01::7")
	}
	if err != nil {
		return err
	}
	e.IP6 = a
	if promised(tx, e, a, &q) {
		return nil
	}
	if err := pool.Take(a); err != nil {
		return p.network.Unavailable("IPAddress", a, err)
	}
	tx.OnAbort(func() { pool.Release(a) })
	return nil
}

// promised takes over an address that rests after its release, or that is held for the endpoint that asks.
func promised(tx *commit.Tx, e *record.Endpoint, a netip.Addr, q *model.EndpointConfigRequest) bool {
	h, ok := tx.HoldOf(e.ID.Network, a)
	own := h.Token == "" || slices.Contains(q.Tokens, h.Token) || len(q.Tokens) == 0 && h.By == q.Host && !h.Swarm
	if !ok || !own || !held(tx, e.ID.Network, a) {
		return false
	}
	e.Swarm = e.Swarm || h.Swarm
	return true
}

// held takes over an address that was held for an endpoint to come, or that rests after its release.
func held(tx *commit.Tx, network identity.Network, a netip.Addr) bool {
	h, ok := tx.HoldOf(network, a)
	return ok && h.Yields() && tx.Claim(catalog.HoldKey(network, a))
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
