package link

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// GroupHost is the link group (IFLA_GROUP) of the interfaces by which a host itself takes part in networks.
const GroupHost = 0xc0473

// routeProtocol marks the routes that SetHostPort has made (rtm_protocol; numbers from 192 on are nobody's).
const routeProtocol netlink.RouteProtocol = 196

// HostPort is how an interface by which the host itself takes part in a network shall be.
type HostPort struct {
	Name   string
	MTU    int            // 0: as it is
	Addrs  []netip.Prefix // with the length of their subnet; others are removed, but for link-local ones
	Routes []netip.Prefix // that lead to the interface directly, beside those of Addrs
}

// SetHostPort gives an interface of the host its addresses, MTU and routes and sets it up. Doing it again changes nothing.
// Routes that others have made stay; where one leads elsewhere already, that is an error and the rest is done.
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
	return h.routes(l, p.Routes)
}

// routes makes the routes of ours through l exactly these.
func (h *Host) routes(l netlink.Link, want []netip.Prefix) error {
	have, err := h.nl.RouteListFiltered(netlink.FAMILY_ALL, &netlink.Route{LinkIndex: l.Attrs().Index, Protocol: routeProtocol},
		netlink.RT_FILTER_OIF|netlink.RT_FILTER_PROTOCOL)
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return fmt.Errorf("list routes of %s: %w", l.Attrs().Name, err)
	}
	var errs []error
	there := map[netip.Prefix]bool{}
	for _, r := range have {
		if r.Dst == nil {
			continue
		}
		addr, _ := netip.AddrFromSlice(r.Dst.IP)
		bits, _ := r.Dst.Mask.Size()
		p := netip.PrefixFrom(addr.Unmap(), bits)
		there[p] = true
		if !slices.Contains(want, p) {
			if err := h.nl.RouteDel(&r); err != nil && !errors.Is(err, unix.ESRCH) {
				errs = append(errs, fmt.Errorf("delete route %s of %s: %w", p, l.Attrs().Name, err))
			}
		}
	}
	for _, p := range want {
		if there[p] {
			continue
		}
		err := h.nl.RouteAdd(&netlink.Route{LinkIndex: l.Attrs().Index, Dst: ipNet(p), Protocol: routeProtocol, Scope: netlink.SCOPE_LINK})
		if errors.Is(err, unix.EEXIST) {
			err = errors.New("the host has another route to it; delete that, or leave it")
		}
		errs = append(errs, wrap(err, "add route %s of %s", p, l.Attrs().Name))
	}
	return errors.Join(errs...)
}
