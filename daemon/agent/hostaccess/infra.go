// SPDX-License-Identifier: Apache-2.0

package hostaccess

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// OpenFlow numbers of the host's ports in infra networks: of those that endpoints do not use, the upper half.
const (
	firstPort = 1050
	lastPort  = 1099
)

// portTimeout bounds the wait for the switch: the next check continues.
const portTimeout = 15 * time.Second

// infra gives the host an interface in every infra network, and removes those of deleted networks.
func (e *Engine) infra(ctx context.Context, g *record.Global, networks []record.Network) error {
	wanted := map[string]bool{} // identities
	var errs []error
	for i := range networks {
		if n := &networks[i]; n.Kind == record.InfraNetwork {
			wanted[e.endpoint(n)] = true
			if err := e.join(ctx, n, e.routes(g, n, networks), g.FwdMode == record.FwdRouting); err != nil {
				errs = append(errs, fmt.Errorf("infra network %s: %w", n.ID, err))
			}
		}
	}
	for _, p := range e.Switch.Ports(ovsdb.IDOwner, Owner) {
		if !wanted[p.ExternalIDs[ovsdb.IDEndpoint]] {
			errs = append(errs, e.leave(ctx, p))
		}
	}
	return errors.Join(errs...)
}

func (e *Engine) endpoint(n *record.Network) string {
	return identity.Endpoint{Network: n.ID, Endpoint: e.Host}.String()
}

// routes returns the destinations that lead to the interface of an infra network, if it is the one for that: the subnets of its tenant's
// VXLAN networks if the switch routes, and in both modes the tenant's services that are in none of these.
func (e *Engine) routes(g *record.Global, n *record.Network, networks []record.Network) (out []netip.Prefix) {
	if n.ID.Name != record.HostNetwork || n.Encap != record.VXLAN {
		return nil
	}
	for i := range networks {
		d := &networks[i]
		if d.ID.Tenant != n.ID.Tenant || d.Kind == record.InfraNetwork || d.Encap != record.VXLAN || g.FwdMode != record.FwdRouting {
			continue
		}
		if d.Subnet.IsValid() {
			out = append(out, d.Subnet)
		}
		if d.Subnet6.IsValid() && n.Subnet6.IsValid() {
			out = append(out, d.Subnet6)
		}
	}
	subnets := out[:len(out):len(out)]
	for _, v := range e.Flows.Services() {
		if v.Tenant != n.ID.Tenant {
			continue
		}
		for _, a := range v.Addresses() {
			within := slices.ContainsFunc(subnets, func(p netip.Prefix) bool { return p.Contains(a) })
			if !within && (a.Is4() || n.Subnet6.IsValid()) {
				out = append(out, netip.PrefixFrom(a, a.BitLen()))
			}
		}
	}
	return out
}

// join gives the host its endpoint and interface in an infra network.
func (e *Engine) join(ctx context.Context, n *record.Network, routes []netip.Prefix, routed bool) error {
	if len(n.ID.Name) > link.NameLimit {
		return fmt.Errorf("its name is that of an interface on every host, which has %d letters at most; use a shorter one", link.NameLimit)
	}
	id := e.endpoint(n)
	if p, ok := e.Switch.Port(n.ID.Name); ok && p.ExternalIDs[ovsdb.IDEndpoint] != id {
		return fmt.Errorf("port %s of the switch is taken; use another name for the network", n.ID.Name)
	}
	ep, ok := e.Flows.Endpoint(id)
	if !ok {
		var err error
		ep, _, err = e.Master.CreateEndpoint(ctx, model.CreateEndpointRequest{TenantName: n.ID.Tenant, NetworkName: n.ID.Name,
			EndpointID: e.Host, EPCommonName: e.Host, ConfigEP: model.EndpointConfigRequest{Container: e.Host, Host: e.Host}})
		if err != nil {
			return fmt.Errorf("ask for an address: %w", err)
		}
	}
	port := link.HostPort{Name: n.ID.Name, Routes: routes}
	if port.MTU = e.Room().OnTrunk(routed); n.Encap == record.VXLAN {
		port.MTU = e.Room().InTunnel(routed)
	}
	for _, p := range []netip.Prefix{netip.PrefixFrom(ep.IP, n.Subnet.Bits()), netip.PrefixFrom(ep.IP6, n.Subnet6.Bits())} {
		if p.IsValid() {
			port.Addrs = append(port.Addrs, p)
		}
	}
	mac := net.HardwareAddr(ep.MAC[:])
	number, err := e.number(n.ID.Name)
	if err != nil {
		return err
	}
	spec := ovsdb.InternalSpec(n.ID.Name, number, mac)
	spec.ExternalIDs = map[string]string{ovsdb.IDEndpoint: id, ovsdb.IDTenant: n.ID.Tenant, ovsdb.IDNetwork: n.ID.Name, ovsdb.IDOwner: Owner}
	e.Flows.SetPort(id, number)
	limited, cancel := context.WithTimeout(ctx, portTimeout)
	defer cancel()
	made, err := e.Switch.EnsurePort(limited, spec)
	if err != nil {
		return err
	}
	e.Flows.SetPort(id, made.OFPort)
	return e.keep(ofnet.Key{Kind: ofnet.KindEndpoint, Name: id}, port)
}

// number returns the port's OpenFlow number, or a free one.
func (e *Engine) number(name string) (uint32, error) {
	if p, ok := e.Switch.Port(name); ok {
		if p.Requested != 0 {
			return p.Requested, nil
		}
		return p.OFPort, nil
	}
	used := map[uint32]bool{}
	for _, p := range e.Switch.Ports(ovsdb.IDEndpoint, "") {
		used[p.OFPort], used[p.Requested] = true, true
	}
	for n := uint32(firstPort); n <= lastPort; n++ {
		if !used[n] {
			return n, nil
		}
	}
	return 0, fmt.Errorf("no OpenFlow number from %d to %d is free: a host takes part in %d infra networks at most", firstPort, lastPort, lastPort-firstPort+1)
}

// leave removes the host from a network that is no longer an infra network, or was deleted.
func (e *Engine) leave(ctx context.Context, p ovsdb.Port) error {
	id := p.ExternalIDs[ovsdb.IDEndpoint]
	e.Flows.SetPort(id, 0)
	e.unkeep(p.Name)
	limited, cancel := context.WithTimeout(ctx, portTimeout)
	defer cancel()
	if err := e.Switch.RemovePort(limited, p.Name); err != nil {
		return fmt.Errorf("leave infra network of %s: %w", id, err)
	}
	e.Log.Info("left an infra network", "interface", p.Name)
	if _, ok := e.Flows.Endpoint(id); !ok {
		return nil
	}
	err := e.Master.DeleteEndpoint(ctx, model.DeleteEndpointRequest{TenantName: p.ExternalIDs[ovsdb.IDTenant],
		NetworkName: p.ExternalIDs[ovsdb.IDNetwork], EndpointID: e.Host, Host: e.Host})
	if err != nil {
		return fmt.Errorf("give back endpoint %s: %w", id, err)
	}
	return nil
}
