// SPDX-License-Identifier: Apache-2.0

package link

import (
	"cmp"
	"fmt"
	"net"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// Pair is the specification of a veth pair.
type Pair struct {
	Host         string // name of the host end
	Netns        string // path of the container's network namespace
	Stays        bool   // the container's end stays on the host, down, for a runtime that moves it; then Netns is not used
	IfName       string // name of the container's end
	MTU          int    // of the host end
	ContainerMTU int    // 0: that of the host end
	MAC          net.HardwareAddr
	Alias        string // of the host end, at most 255 bytes; "": none
	SoftSum      bool   // turn transmit checksum offload off: needed on a userspace datapath
}

// makeVeth makes the pair with as few requests as all supported kernels accept. Every later change would be one more link event, and
// ovs-vswitchd, which receives those of the containers too (NETLINK_LISTEN_ALL_NSID), checks all its ports after each.
//
// The host end is the link that the request creates, and the container's end its peer. Kernels before 6.15 look the name of the created
// link up in the socket's namespace, wherever the link is to be (net/core/rtnetlink.c, rtnl_newlink), so a container's eth0 would collide
// with the host's own. The name of the peer is only looked up in the peer's namespace (drivers/net/veth.c, veth_newlink). The peer of that
// request cannot be up, because its own peer is not registered yet (veth_open); a request inside the container's namespace sets it up.
func (h *Host) makeVeth(p Pair, container *Namespace) error {
	if err := h.execute(p.message(container, h.ns)); err != nil {
		return err
	}
	if err := h.closeEnd(p.Host); err != nil {
		return err
	}
	h.ends.keep(p.Host)
	if p.Alias != "" {
		if err := h.execute(aliasMessage(p.Host, p.Alias)); err != nil {
			return err
		}
	}
	if err := h.execute(upMessage(p.Host)); err != nil {
		return err
	}
	return container.Do(func() error { return p.prepare() })
}

// prepare completes the container's end, on a thread inside the container's namespace.
func (p *Pair) prepare() error {
	if p.SoftSum {
		if err := TxChecksumOff(p.IfName); err != nil {
			return fmt.Errorf("turn checksum offload off: %w", err)
		}
	}
	if p.Stays {
		return nil
	}
	if err := setUp(p.IfName, nil, 0); err != nil {
		return fmt.Errorf("set the container's end up: %w", err)
	}
	return setLoopbackUp()
}

func (h *Host) execute(req *nl.NetlinkRequest) error {
	req.Sockets = h.maker
	_, err := req.Execute(unix.NETLINK_ROUTE, 0)
	return err
}

// message requests the pair, both ends down: the host end promiscuous, as ovs-vswitchd would make it, and without ARP.
func (p *Pair) message(container, host *Namespace) *nl.NetlinkRequest {
	req := nl.NewNetlinkRequest(unix.RTM_NEWLINK, unix.NLM_F_CREATE|unix.NLM_F_EXCL|unix.NLM_F_ACK)
	outer := nl.NewIfInfomsg(unix.AF_UNSPEC)
	// Beside a userspace datapath the kernel receives the container's packets too: it must not answer for the host's addresses.
	outer.Flags, outer.Change = unix.IFF_PROMISC|unix.IFF_NOARP, unix.IFF_PROMISC|unix.IFF_NOARP
	req.AddData(outer)
	for _, a := range endAttrs(p.Host, host, p.MTU) {
		req.AddData(a)
	}
	req.AddData(nl.NewRtAttr(unix.IFLA_GROUP, nl.Uint32Attr(GroupLive)))
	info := nl.NewRtAttr(unix.IFLA_LINKINFO, nil)
	info.AddRtAttr(nl.IFLA_INFO_KIND, nl.NonZeroTerminated("veth"))
	inner := info.AddRtAttr(nl.IFLA_INFO_DATA, nil).AddRtAttr(nl.VETH_INFO_PEER, nil)
	nl.NewIfInfomsgChild(inner, unix.AF_UNSPEC)
	for _, a := range endAttrs(p.IfName, container, cmp.Or(p.ContainerMTU, p.MTU)) {
		inner.AddChild(a)
	}
	if p.MAC != nil {
		inner.AddRtAttr(unix.IFLA_ADDRESS, p.MAC)
	}
	req.AddData(info)
	return req
}

// endAttrs are the attributes of both ends; mtu 0 leaves the choice to the kernel.
func endAttrs(name string, ns *Namespace, mtu int) []*nl.RtAttr {
	attrs := []*nl.RtAttr{
		nl.NewRtAttr(unix.IFLA_IFNAME, nl.ZeroTerminated(name)),
		nl.NewRtAttr(unix.IFLA_NET_NS_FD, nl.Uint32Attr(uint32(ns.fd))),
	}
	if mtu > 0 {
		attrs = append(attrs, nl.NewRtAttr(unix.IFLA_MTU, nl.Uint32Attr(uint32(mtu))))
	}
	return attrs
}

// addrGenNone is IN6_ADDR_GEN_MODE_NONE of linux/if_link.h.
const addrGenNone = 1

// aliasMessage requests an alias. While the interface is down this causes no event.
func aliasMessage(name, alias string) *nl.NetlinkRequest {
	req := nl.NewNetlinkRequest(unix.RTM_SETLINK, unix.NLM_F_ACK)
	req.AddData(nl.NewIfInfomsg(unix.AF_UNSPEC))
	req.AddData(nl.NewRtAttr(unix.IFLA_IFNAME, nl.ZeroTerminated(name)))
	req.AddData(nl.NewRtAttr(unix.IFLA_IFALIAS, nl.NonZeroTerminated(alias)))
	return req
}

// upMessage requests that an interface be up.
func upMessage(name string) *nl.NetlinkRequest {
	req := nl.NewNetlinkRequest(unix.RTM_SETLINK, unix.NLM_F_ACK)
	msg := nl.NewIfInfomsg(unix.AF_UNSPEC)
	msg.Flags, msg.Change = unix.IFF_UP, unix.IFF_UP
	req.AddData(msg)
	req.AddData(nl.NewRtAttr(unix.IFLA_IFNAME, nl.ZeroTerminated(name)))
	return req
}
