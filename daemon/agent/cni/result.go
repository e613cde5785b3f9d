// SPDX-License-Identifier: Apache-2.0

package cni

import (
	"encoding/json"
	"fmt"
	"net"
	"net/netip"

	"github.com/containernetworking/cni/pkg/types"
	types100 "github.com/containernetworking/cni/pkg/types/100"
	"github.com/containernetworking/cni/pkg/version"

	"github.com/contiv/contiv/daemon/agent/attach"
)

// cniResult is an attachment in the format of the specification: host end, container end, addresses, default routes, and the DNS settings
// of the network configuration.
func cniResult(a *attach.Result, conf *Conf) *types100.Result {
	const container = 1 // index in Interfaces
	r := &types100.Result{CNIVersion: types100.ImplementedSpecVersion, DNS: conf.DNS, Interfaces: []*types100.Interface{
		{Name: a.HostName, Mtu: a.MTU},
		{Name: a.IfName, Mac: a.MAC.String(), Mtu: a.MTU, Sandbox: a.Netns},
	}}
	for _, p := range a.Addrs {
		ip := &types100.IPConfig{Interface: types100.Int(container), Address: ipNet(p)}
		for _, gw := range a.Gateways {
			if gw.Is4() == p.Addr().Is4() {
				ip.Gateway = gw.AsSlice()
				defaultRoute := netip.PrefixFrom(netip.IPv4Unspecified(), 0)
				if gw.Is6() {
					defaultRoute = netip.PrefixFrom(netip.IPv6Unspecified(), 0)
				}
				r.Routes = append(r.Routes, &types.Route{Dst: ipNet(defaultRoute), GW: gw.AsSlice()})
			}
		}
		r.IPs = append(r.IPs, ip)
	}
	return r
}

func ipNet(p netip.Prefix) net.IPNet {
	return net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
}

// previous returns prevResult of a configuration in the configuration's version; nil if there is none.
func previous(config json.RawMessage, conf *Conf) (*types100.Result, error) {
	var c struct {
		PrevResult json.RawMessage `json:"prevResult"`
	}
	if err := json.Unmarshal(config, &c); err != nil {
		return nil, fmt.Errorf("read prevResult: %w", err)
	}
	if len(c.PrevResult) == 0 || string(c.PrevResult) == "null" {
		return nil, nil
	}
	v := conf.CNIVersion
	if v == "" {
		v = "0.1.0"
	}
	res, err := version.NewResult(v, c.PrevResult)
	if err != nil {
		return nil, fmt.Errorf("read prevResult: %w", err)
	}
	out, err := types100.NewResultFromResult(res)
	if err != nil {
		return nil, fmt.Errorf("read prevResult: %w", err)
	}
	return out, nil
}

// mine reports whether an address of a chain's result is on the container's interface ifname.
func mine(r *types100.Result, ip *types100.IPConfig, ifname string) bool {
	if ip.Interface == nil {
		return len(r.Interfaces) == 0
	}
	i := *ip.Interface
	return i >= 0 && i < len(r.Interfaces) && r.Interfaces[i] != nil && r.Interfaces[i].Name == ifname &&
		r.Interfaces[i].Sandbox != ""
}
