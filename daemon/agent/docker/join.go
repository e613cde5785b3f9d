// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/daemon/agent/attach"
)

// prefix is the prefix of interface names in containers, followed by a number.
const prefix = "eth"

// join returns the interface of the host that becomes the container's, and its routes.
func (d *Driver) join(ctx context.Context, q endpointRequest) (joinResponse, error) {
	res, err := d.Attacher.Find(ctx, q.EndpointID, ifName)
	if err != nil {
		return joinResponse{}, fmt.Errorf("EndpointID: %w (remove the container and run it again)", err)
	}
	n, err := d.network(ctx, q.NetworkID)
	if err != nil {
		return joinResponse{}, err
	}
	return joined(&res, n.Internal), nil
}

// joined is the answer for an attachment. Without a gateway the engine would connect the container to a bridge of its own, as its exit.
func joined(res *attach.Result, internal bool) joinResponse {
	out := joinResponse{InterfaceName: interfaceName{SrcName: res.FarName, DstPrefix: prefix}}
	if !internal {
		for _, gateway := range res.Gateways {
			if gateway.Is4() {
				out.Gateway = gateway.String()
			} else {
				out.GatewayIPv6 = gateway.String()
			}
			if !slices.ContainsFunc(res.Addrs, func(p netip.Prefix) bool { return p.Contains(gateway) }) {
				own := netip.PrefixFrom(gateway, gateway.BitLen()).String()
				out.StaticRoutes = append(out.StaticRoutes, staticRoute{Destination: own, RouteType: routeConnected})
			}
		}
	}
	out.DisableGatewayService = out.Gateway == ""
	return out
}
