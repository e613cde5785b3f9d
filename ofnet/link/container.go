// SPDX-License-Identifier: Apache-2.0

package link

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"unsafe"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// Config is the configuration of a container's interface.
type Config struct {
	Netns    string
	IfName   string
	Host     string // name of the host end, for Check
	MAC      net.HardwareAddr
	MTU      int
	Addrs    []netip.Prefix // with the length of their subnet
	Gateways []netip.Addr   // at most one a family; a default route is made through each, in a subnet of Addrs or not
	SoftSum  bool           // turn transmit checksum offload off: needed on a userspace datapath
}

// Configure gives the container's end its MAC, MTU and addresses, sets it and lo up and adds default routes. IPv6 addresses skip duplicate
// address detection (RFC 4862 section 5.4: the network assigns them, and a container must be able to use them at once). A default route by
// another interface stays. Configuring again changes nothing.
func (h *Host) Configure(c Config) error {
	ns, err := h.container(c.Netns)
	if err != nil {
		return err
	}
	defer ns.Close()
	h.slots <- struct{}{}
	defer func() { <-h.slots }()
	err = ns.Do(func() error {
		in, err := netlink.NewHandle(unix.NETLINK_ROUTE)
		if err != nil {
			return err
		}
		defer in.Close()
		l, err := in.LinkByName(c.IfName)
		if err != nil {
			return err
		}
		return c.apply(in, l)
	})
	return wrap(err, "configure %s in %s", c.IfName, c.Netns)
}

func (c *Config) apply(in *netlink.Handle, l netlink.Link) error {
	if c.SoftSum {
		if err := TxChecksumOff(c.IfName); err != nil {
			return fmt.Errorf("turn checksum offload off: %w", err)
		}
	}
	if !c.madeSo(l.Attrs()) {
		if err := setUp(c.IfName, c.MAC, c.MTU); err != nil {
			return fmt.Errorf("set MAC, MTU and up: %w", err)
		}
	}
	if slices.ContainsFunc(c.Addrs, func(p netip.Prefix) bool { return p.Addr().Is6() }) {
		if err := enableIPv6(c.IfName); err != nil {
			return err
		}
	}
	if err := setLoopbackUp(); err != nil {
		return err
	}
	if err := c.addresses(in, l); err != nil {
		return err
	}
	for _, gw := range c.Gateways {
		if err := c.defaultRoute(in, l, gw); err != nil {
			return fmt.Errorf("default route via %s: %w", gw, err)
		}
	}
	return nil
}

// madeSo reports whether the interface is already up with its MAC and MTU, as Create makes it.
func (c *Config) madeSo(a *netlink.LinkAttrs) bool {
	return a.Flags&net.FlagUp != 0 && (c.MAC == nil || bytes.Equal(a.HardwareAddr, c.MAC)) && (c.MTU == 0 || a.MTU == c.MTU)
}

// setUp sets an interface up, and MAC (unless nil) and MTU (unless 0), by one message, on a thread inside its namespace.
func setUp(ifname string, mac net.HardwareAddr, mtu int) error {
	req := upMessage(ifname)
	if mac != nil {
		req.AddData(nl.NewRtAttr(unix.IFLA_ADDRESS, mac))
	}
	if mtu > 0 {
		req.AddData(nl.NewRtAttr(unix.IFLA_MTU, nl.Uint32Attr(uint32(mtu))))
	}
	_, err := req.Execute(unix.NETLINK_ROUTE, 0)
	return err
}

// SetContainerMTU sets the MTU of a container's end; a missing container or interface is success.
func (h *Host) SetContainerMTU(netns, ifname string, mtu int) error {
	ns, err := h.container(netns)
	if errors.Is(err, ErrNoNamespace) {
		return nil
	}
	if err != nil {
		return err
	}
	defer ns.Close()
	return wrap(ns.Do(func() error {
		in, err := netlink.NewHandle(unix.NETLINK_ROUTE)
		if err != nil {
			return err
		}
		defer in.Close()
		l, err := find(in, ifname)
		if err != nil || l == nil || l.Attrs().MTU == mtu {
			return err
		}
		return gone(in.LinkSetMTU(l, mtu))
	}), "set MTU of %s in %s", ifname, netns)
}

// addresses adds the desired addresses first and then removes others, except link-local ones.
func (c *Config) addresses(in *netlink.Handle, l netlink.Link) error {
	have, err := in.AddrList(l, netlink.FAMILY_ALL)
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return fmt.Errorf("list addresses: %w", err)
	}
	stale := map[string]netlink.Addr{}
	for _, a := range have {
		if !a.IP.IsLinkLocalUnicast() {
			stale[a.IPNet.String()] = a
		}
	}
	add := func(p netip.Prefix) error {
		a := &netlink.Addr{IPNet: ipNet(p)}
		if p.Addr().Is6() {
			a.Flags = unix.IFA_F_NODAD
		}
		return wrap(in.AddrReplace(l, a), "add address %s", p)
	}
	for _, p := range c.Addrs {
		n := ipNet(p)
		if _, ok := stale[n.String()]; ok {
			delete(stale, n.String())
			continue
		}
		if err := add(p); err != nil {
			return err
		}
	}
	for text, a := range stale {
		if err := in.AddrDel(l, &a); err != nil && !errors.Is(err, unix.EADDRNOTAVAIL) {
			return fmt.Errorf("remove address %s: %w", text, err)
		}
	}
	if len(stale) == 0 {
		return nil
	}
	for _, p := range c.Addrs { // removing the first address of a subnet removes the subnet's others too
		if err := add(p); err != nil {
			return err
		}
	}
	return nil
}

// defaultRoute adds a default route, unless there is one through another interface.
func (c *Config) defaultRoute(in *netlink.Handle, l netlink.Link, gw netip.Addr) error {
	r := &netlink.Route{LinkIndex: l.Attrs().Index, Gw: gw.AsSlice()}
	if !slices.ContainsFunc(c.Addrs, func(p netip.Prefix) bool { return p.Contains(gw) }) {
		r.SetFlag(netlink.FLAG_ONLINK) // only this makes the kernel accept the gateway
	}
	err := in.RouteAdd(r)
	if !errors.Is(err, unix.EEXIST) {
		return err
	}
	_, other, err := defaultVia(in, l, family(gw))
	if err != nil || other {
		return err
	}
	return in.RouteReplace(r)
}

func family(a netip.Addr) int {
	if a.Is4() {
		return netlink.FAMILY_V4
	}
	return netlink.FAMILY_V6
}

// defaultVia returns the gateway of the default route by l, and whether there is one by another interface.
func defaultVia(in *netlink.Handle, l netlink.Link, family int) (gw netip.Addr, other bool, err error) {
	routes, err := in.RouteListFiltered(family, &netlink.Route{Table: unix.RT_TABLE_MAIN}, netlink.RT_FILTER_TABLE)
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return netip.Addr{}, false, err
	}
	for _, r := range routes {
		if r.Dst != nil {
			if ones, _ := r.Dst.Mask.Size(); ones != 0 {
				continue
			}
		}
		if r.LinkIndex == l.Attrs().Index {
			gw, _ = netip.AddrFromSlice(r.Gw)
			gw = gw.Unmap()
		} else {
			other = true
		}
	}
	return gw, other, nil
}

// enableIPv6 reverts the settings of container runtimes that know of no IPv6 network. It is called on a thread inside the namespace:
// /proc/sys/net shows the namespace of the process that opens it.
func enableIPv6(ifname string) error {
	path := "/proc/sys/net/ipv6/conf/" + ifname + "/disable_ipv6"
	now, err := os.ReadFile(path)
	if err == nil && (len(now) == 0 || now[0] != '0') {
		err = os.WriteFile(path, []byte("0"), 0)
	}
	return wrap(err, "enable IPv6")
}

// ethtoolValue is struct ethtool_value of linux/ethtool.h.
type ethtoolValue struct{ cmd, data uint32 }

// ifreqData is struct ifreq with its pointer member.
type ifreqData struct {
	name [unix.IFNAMSIZ]byte
	data unsafe.Pointer
	_    [16]byte
}

// setLoopbackUp sets lo up, on a thread inside the container's namespace, unless it is.
func setLoopbackUp() error {
	up, err := flags("lo")
	if err == nil && up&unix.IFF_UP != 0 {
		return nil
	}
	return wrap(setUp("lo", nil, 0), "set lo up")
}

// flags returns an interface's IFF_ flags, on a thread inside its namespace.
func flags(ifname string) (uint16, error) {
	req, err := unix.NewIfreq(ifname)
	if err != nil {
		return 0, err
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer func() { _ = unix.Close(fd) }()
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, req); err != nil {
		return 0, err
	}
	return req.Uint16(), nil
}

// ethtool runs a command that takes or yields one number, on a thread inside the interface's namespace.
func ethtool(ifname string, cmd, value uint32) (uint32, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer func() { _ = unix.Close(fd) }()
	v := ethtoolValue{cmd, value}
	req := ifreqData{data: unsafe.Pointer(&v)}
	copy(req.name[:unix.IFNAMSIZ-1], ifname)
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&req))); errno != 0 {
		return 0, errno
	}
	return v.data, nil
}

// TxChecksumOff makes an interface of the calling thread's network namespace compute checksums itself. A userspace datapath reads frames
// from the host end unchanged, and would forward them with the checksum that the device was expected to fill in: TCP would never connect.
func TxChecksumOff(ifname string) error {
	if on, err := ethtool(ifname, unix.ETHTOOL_GTXCSUM, 0); err == nil && on == 0 {
		return nil
	}
	_, err := ethtool(ifname, unix.ETHTOOL_STXCSUM, 0)
	return err
}
