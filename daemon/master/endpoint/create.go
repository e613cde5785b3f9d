// SPDX-License-Identifier: Apache-2.0

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

// Create creates an endpoint, in a transaction that other requests may share. An existing endpoint is returned unchanged. An endpoint of
// another host is refused while a machine is that host; otherwise it moves.
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
		if err := s.held(tx.View); err != nil {
			return err
		}
		if err := s.drains.check(q.ConfigEP.Host); err != nil {
			return err
		}
		made = record.Endpoint{
			ID: id, Service: groupOf(tx.View, q), Host: q.ConfigEP.Host, Labels: maps.Clone(q.Labels), ContainerID: q.ContainerID,
			CommonName: q.EPCommonName, Machine: q.Machine, DockerNetwork: q.DockerNetwork, VTEP: tunnelEnd(tx.View, q.ConfigEP.Host), Pod: pod,
		}
		if b := q.Bandwidth; b != nil {
			made.Bandwidth = record.Bandwidth(*b)
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

// defaultGroup is the group of containers of an ACI fabric that name none: there, the VLAN belongs to the group.
const defaultGroup = "default-group"

func groupOf(v *catalog.View, q model.CreateEndpointRequest) string {
	group := q.ConfigEP.ServiceName
	n := v.Network(identity.Network{Tenant: q.TenantName, Name: q.NetworkName})
	if group == "" && derive.ByACI(v.Global()) && n != nil && n.Record.Kind != record.InfraNetwork {
		return defaultGroup
	}
	return group
}

// tunnelEnd returns the tunnel address of a host, invalid if no machine is that host. Agents that start while the host is down thus reach
// its endpoints later.
func tunnelEnd(v *catalog.View, host string) (a netip.Addr) {
	if h := v.Host(host); h != nil {
		a = h.VTEP
	}
	return a
}

// existing returns an endpoint to its own host, or moves it to the requesting host if no machine is its own host any more.
func (s *Service) existing(tx *commit.Tx, e *record.Endpoint, q model.CreateEndpointRequest) error {
	host := q.ConfigEP.Host
	if host == "" || host == e.Host && (q.Machine == "" || q.Machine == e.Machine) {
		return nil
	}
	if host != e.Host {
		if tx.Host(e.Host) != nil {
			return model.Errorf(model.CodeConflict, "ConfigEP.Host", "host %s has endpoint %s, so host %s does not get it", e.Host, e.ID, host).
				Try("detach the container on %s first; when that is gone for good: netctl node forget %s", e.Host, e.Host)
		}
		if err := s.drains.check(host); err != nil {
			return err
		}
		s.log.Info("endpoint moved", "endpoint", e.ID, "from", e.Host, "to", host)
	}
	e.Host, e.Machine, e.VTEP = host, q.Machine, tunnelEnd(tx.View, host)
	moved := *e
	return tx.PutEndpoint(&moved)
}

// address4 gives the endpoint the requested IPv4 address, or the next free one of its group's pool or network.
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

// next4 finds the next free address; if there is none, it ends the longest quarantine after a release and returns that address.
func next4(tx *commit.Tx, p home) (netip.Addr, error) {
	a, err := p.network.Next4(p.groupID())
	if !errors.Is(err, ipam.ErrExhausted) {
		return a, err
	}
	pool, ok := p.network.Block(p.groupID())
	in := "pool " + pool.String()
	if !ok {
		pool, _ = p.network.Pool4()
		in = p.network.Record.ID.String()
	}
	if a, ok := tx.EndOldestQuarantine(p.network, pool.Contains); ok {
		return a, nil
	}
	return a, p.network.Exhausted(in, err)
}

// next6 is next4 for IPv6.
func next6(tx *commit.Tx, n *catalog.Network) (netip.Addr, error) {
	a, err := n.Next6()
	if err == nil {
		return a, nil
	}
	if a, ok := tx.EndOldestQuarantine(n, netip.Addr.Is6); ok {
		return a, nil
	}
	return a, model.Errorf(model.CodeExhausted, "", "Reached MaxHosts: no IPv6 address is left in %s", n.Record.Subnet6).Because(err)
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
	return give(tx, p, e, a, &q)
}

// give assigns an endpoint an address that is free or held for it.
func give(tx *commit.Tx, p home, e *record.Endpoint, a netip.Addr, q *model.EndpointConfigRequest) error {
	if acquireHeld(tx, e, a, q) {
		return nil
	}
	return available(p, a)
}

// available refuses an address that is not free.
func available(p home, a netip.Addr) error {
	if err := p.network.Check(p.groupID(), a); err != nil {
		return p.network.Unavailable("IPAddress", a, err)
	}
	return nil
}

func address6(tx *commit.Tx, p home, e *record.Endpoint, q model.EndpointConfigRequest) error {
	wanted := q.IPv6Address
	if !p.network.Gives6() {
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
	return give(tx, p, e, a, &q)
}

// acquireHeld takes over an address that is in quarantine after its release, or that is held for the requested endpoint: by its token, for
// its host, or for anyone.
func acquireHeld(tx *commit.Tx, e *record.Endpoint, a netip.Addr, q *model.EndpointConfigRequest) bool {
	h, ok := tx.HoldOf(e.ID.Network, a)
	open := h.Token == "" && (h.By == "" || h.By == q.Host || h.Quarantine != "")
	own := open || slices.Contains(q.Tokens, h.Token) || len(q.Tokens) == 0 && h.By == q.Host && !h.Swarm
	if !ok || !own || !held(tx, e.ID.Network, a) {
		return false
	}
	e.Swarm = e.Swarm || h.Swarm
	return true
}

// held takes over an address that was held for a future endpoint, or is in quarantine after its release.
func held(tx *commit.Tx, network identity.Network, a netip.Addr) bool {
	h, ok := tx.HoldOf(network, a)
	if ok = ok && h.Transferable(); ok {
		tx.EndHold(network, a)
	}
	return ok
}

// parse parses an address, with or without a prefix length.
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
