// SPDX-License-Identifier: Apache-2.0

package hostaccess

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// directRoutes returns the host's routes to the endpoints of all tenants by their own addresses, in the order of subnets. It leaves out a
// subnet in which a host has its own address, since the host would lose its route to others there: that is an error.
func (e *Engine) directRoutes(networks []record.Network, hosts *machines) (out []link.GatewayRoute, err error) {
	private := e.Flows.Private()
	for i := range networks {
		n := &networks[i]
		if n.Kind == record.InfraNetwork {
			continue
		}
		for _, to := range []netip.Prefix{n.Subnet, n.Subnet6} {
			via := pipeline.NextHop(private)
			if to.Addr().Is6() {
				via = pipeline.NextHop(pipeline.Private6(private))
			}
			from := hosts.self(to.Addr())
			if !to.IsValid() || !from.IsValid() || slices.ContainsFunc(out, func(w link.GatewayRoute) bool { return w.To == to }) {
				continue
			}
			if label := hosts.within(to); label != "" {
				err = errors.Join(err, fmt.Errorf("hosts do not meet the containers of network %s: host %s has its own address in %s; choose another subnet", n.ID, label, to))
				continue
			}
			out = append(out, link.GatewayRoute{To: to, Via: via, From: from})
		}
	}
	return e.serviceRoutes(out, hosts), err
}

// hidden reports whether the endpoints of a network answer others by a gateway of their own, and only hosts by their host.
func (e *Engine) hidden(g *record.Global, network identity.Network) bool {
	return slices.ContainsFunc(e.Flows.Networks(), func(n record.Network) bool {
		return n.ID == network && g.HostAccess == record.HostDirect && g.FwdMode != record.FwdRouting && n.Encap != record.VXLAN
	})
}

// clients adds those whose answers take a path that bypasses the host: hosts, and endpoints, which reach the container by its own address;
// on a bridged VLAN everyone.
func (e *Engine) clients(t *link.Translation, g *record.Global, hosts *machines) {
	own := t.Own[:2]
	for _, h := range hosts.all {
		t.Clients = append(t.Clients, h.Addrs()...)
	}
	slices.SortFunc(t.Clients, netip.Addr.Compare)
	t.Clients = slices.Compact(t.Clients)
	for _, n := range e.Flows.Networks() {
		for i, p := range []netip.Prefix{n.Subnet, n.Subnet6} {
			if !p.IsValid() {
				continue
			}
			t.Private, t.Own = append(t.Private, p), append(t.Own, own[i])
			if by := hosts.self(p.Addr()); by.IsValid() && e.hidden(g, n.ID) {
				t.Hidden = append(t.Hidden, link.Hidden{Prefix: p, By: by})
			}
		}
	}
}
