// SPDX-License-Identifier: Apache-2.0

package link

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// GroupHost is the link group (IFLA_GROUP) of the interfaces that connect the host itself to networks.
const GroupHost = 0xc0473

// routeProtocol marks the routes that SetHostPort has made (rtm_protocol; iproute2 names the numbers that others use, FRR those from 186
// to 198).
const routeProtocol netlink.RouteProtocol = 141

// HostPort is the configuration of an interface that connects the host itself to a network.
type HostPort struct {
	Name     string
	MTU      int            // 0: unchanged
	Addrs    []netip.Prefix // with the length of their subnet; others are removed, except link-local ones
	Routes   []netip.Prefix // by the interface directly, in addition to those of Addrs
	Gateways []GatewayRoute // further routes
}

// GatewayRoute is a route by a router behind the interface.
type GatewayRoute struct {
	To   netip.Prefix
	Via  netip.Addr // within the subnet of one of the interface's addresses
	From netip.Addr // the source of the host's own packets, an address of the host
}

// Equal reports whether two are equal.
func (p *HostPort) Equal(o *HostPort) bool {
	return p.Name == o.Name && p.MTU == o.MTU && slices.Equal(p.Addrs, o.Addrs) && slices.Equal(p.Routes, o.Routes) && slices.Equal(p.Gateways, o.Gateways)
}

// allRoutes are all routes of an interface: those that lead to it directly have neither router nor source.
func (p *HostPort) allRoutes() map[netip.Prefix]GatewayRoute {
	out := map[netip.Prefix]GatewayRoute{}
	for _, r := range p.Routes {
		out[r] = GatewayRoute{To: r}
	}
	for _, w := range p.Gateways {
		out[w.To] = w
	}
	return out
}

// SetHostPort gives an interface of the host its addresses, MTU and routes and sets it up. Repeating it changes nothing. Other routes stay;
// if one conflicts, SetHostPort continues with the rest and returns an error.
func (h *Host) SetHostPort(p HostPort) error {
	l, err := h.nl.LinkByName(p.Name)
	if err != nil {
		return fmt.Errorf("look up interface %s: %w", p.Name, err)
	}
	if l.Attrs().Group != GroupHost {
		if err := h.nl.LinkSetGroup(l, GroupHost); err != nil {
			return fmt.Errorf("set the group of %s: %w", p.Name, err)
		}
	}
	if p.MTU != 0 {
		if err := h.SetMTU(p.Name, p.MTU); err != nil {
			return err
		}
	}
	if err := h.SetUp(p.Name); err != nil {
		return err
	}
	addrs := Config{Addrs: p.Addrs}
	if err := addrs.addresses(h.nl, l); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	return h.routes(l, p.allRoutes())
}

// routes makes these the only routes of ours by l.
func (h *Host) routes(l netlink.Link, want map[netip.Prefix]GatewayRoute) error {
	ours, err := h.ownRoutes(l)
	if err != nil {
		return err
	}
	var errs []error
	for p, r := range ours {
		if w, ok := want[p]; !ok || w != gatewayRouteOf(p, &r) {
			if err := h.nl.RouteDel(&r); err != nil && !errors.Is(err, unix.ESRCH) {
				errs = append(errs, fmt.Errorf("delete route %s of %s: %w", p, l.Attrs().Name, err))
			}
		}
	}
	for p, w := range want {
		if r, ok := ours[p]; ok && gatewayRouteOf(p, &r) == w {
			continue
		}
		r := &netlink.Route{LinkIndex: l.Attrs().Index, Dst: ipNet(p), Protocol: routeProtocol, Scope: netlink.SCOPE_LINK}
		if w.Via.IsValid() {
			r.Scope, r.Gw, r.Src = netlink.SCOPE_UNIVERSE, w.Via.AsSlice(), w.From.AsSlice()
		}
		err := h.nl.RouteAdd(r)
		if errors.Is(err, unix.EEXIST) {
			err = errors.New("the host has another route to it; delete that, or leave it")
		}
		errs = append(errs, wrap(err, "add route %s of %s", p, l.Attrs().Name))
	}
	return errors.Join(errs...)
}

// ownRoutes returns the routes by l that SetHostPort has made.
func (h *Host) ownRoutes(l netlink.Link) (map[netip.Prefix]netlink.Route, error) {
	have, err := h.nl.RouteListFiltered(netlink.FAMILY_ALL, &netlink.Route{LinkIndex: l.Attrs().Index, Protocol: routeProtocol},
		netlink.RT_FILTER_OIF|netlink.RT_FILTER_PROTOCOL)
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return nil, fmt.Errorf("list routes of %s: %w", l.Attrs().Name, err)
	}
	out := map[netip.Prefix]netlink.Route{}
	for _, r := range have {
		if r.Dst != nil {
			out[prefixOf(r.Dst)] = r
		}
	}
	return out, nil
}

// gatewayRouteOf is the inverse of routes for one route.
func gatewayRouteOf(p netip.Prefix, r *netlink.Route) GatewayRoute {
	w := GatewayRoute{To: p}
	if via, ok := netip.AddrFromSlice(r.Gw); ok {
		from, _ := netip.AddrFromSlice(r.Src)
		w.Via, w.From = via.Unmap(), from.Unmap()
	}
	return w
}

// prefixOf is the inverse of ipNet.
func prefixOf(n *net.IPNet) netip.Prefix {
	addr, _ := netip.AddrFromSlice(n.IP)
	bits, _ := n.Mask.Size()
	return netip.PrefixFrom(addr.Unmap(), bits)
}

// HostPortDrift compares an interface with the desired one of SetHostPort and changes nothing: was lists existing things that should not be
// there, want the missing ones. It ignores routes made by others.
func (h *Host) HostPortDrift(p HostPort) (was, want []string, err error) {
	l, err := find(h.nl, p.Name)
	if err != nil {
		return nil, nil, err
	}
	if l == nil {
		return nil, []string{"interface " + p.Name}, nil
	}
	if a := l.Attrs(); a.Flags&net.FlagUp == 0 {
		was, want = append(was, "down"), append(want, "up")
	}
	if a := l.Attrs(); a.Group != GroupHost {
		was, want = append(was, fmt.Sprintf("group %d", a.Group)), append(want, fmt.Sprintf("group %d", GroupHost))
	}
	if a := l.Attrs(); p.MTU != 0 && a.MTU != p.MTU {
		was, want = append(was, fmt.Sprintf("MTU %d", a.MTU)), append(want, fmt.Sprintf("MTU %d", p.MTU))
	}
	have, err := h.nl.AddrList(l, netlink.FAMILY_ALL)
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return nil, nil, fmt.Errorf("list addresses of %s: %w", p.Name, err)
	}
	there := map[netip.Prefix]bool{}
	for _, a := range have {
		if addr := prefixOf(a.IPNet); !addr.Addr().IsLinkLocalUnicast() {
			there[addr] = true
			if !slices.Contains(p.Addrs, addr) {
				was = append(was, "address "+addr.String())
			}
		}
	}
	for _, addr := range p.Addrs {
		if !there[addr] {
			want = append(want, "address "+addr.String())
		}
	}
	ours, err := h.ownRoutes(l)
	if err != nil {
		return nil, nil, err
	}
	ways := p.allRoutes()
	for _, to := range slices.SortedFunc(maps.Keys(ways), netip.Prefix.Compare) {
		if r, ok := ours[to]; !ok || gatewayRouteOf(to, &r) != ways[to] {
			want = append(want, "route "+to.String())
		}
	}
	return was, want, nil
}
