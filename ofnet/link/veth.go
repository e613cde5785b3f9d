package link

import (
	"errors"
	"fmt"
	"net"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// Pair is a veth pair as it is made.
type Pair struct {
	Host         string // name of the host end
	Netns        string // path of the container's network namespace
	Stays        bool   // the container's end stays on the host, down, for a runtime that takes it from there; then Netns is not used
	IfName       string // name of the container's end
	MTU          int    // of the host end
	ContainerMTU int    // 0: that of the host end
	MAC          net.HardwareAddr
	Alias        string // of the host end, at most 255 bytes; "": none
	SoftSum      bool   // turn transmit checksum offload off: needed on a userspace datapath
}

// makeVeth makes the pair with its whole configuration. Every later change would be one more link event, and
// ovs-vswitchd, which hears those of the containers too (NETLINK_LISTEN_ALL_NSID), looks at all its ports after each.
// The host end alone is set up by a second request: the kernel opens no end whose peer it has not registered
// (drivers/net/veth.c, veth_open).
func (h *Host) makeVeth(p Pair, container *Namespace) error {
	if err := h.execute(p.message(container, h.ns)); err != nil {
		return err
	}
	if err := h.execute(noIPv6Message(p.Host)); err != nil && !errors.Is(err, unix.EAFNOSUPPORT) {
		return err // a kernel without IPv6 has nothing to turn off
	}
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

// prepare changes the rest of what makes link events, on a thread inside the container's namespace.
func (p *Pair) prepare() error {
	if p.SoftSum {
		if err := TxChecksumOff(p.IfName); err != nil {
			return fmt.Errorf("turn checksum offload off: %w", err)
		}
	}
	if p.Stays {
		return nil
	}
	return setLoopbackUp()
}

func (h *Host) execute(req *nl.NetlinkRequest) error {
	req.Sockets = h.maker
	_, err := req.Execute(unix.NETLINK_ROUTE, 0)
	return err
}

// message asks for the pair: the container's end up when it is there, the host end promiscuous, as ovs-vswitchd would make it, without ARP, and down.
func (p *Pair) message(container, host *Namespace) *nl.NetlinkRequest {
	req := nl.NewNetlinkRequest(unix.RTM_NEWLINK, unix.NLM_F_CREATE|unix.NLM_F_EXCL|unix.NLM_F_ACK)
	inner := nl.NewIfInfomsg(unix.AF_UNSPEC)
	if !p.Stays {
		inner.Flags, inner.Change = unix.IFF_UP, unix.IFF_UP
	}
	req.AddData(inner)
	mtu := p.ContainerMTU
	if mtu == 0 {
		mtu = p.MTU
	}
	for _, a := range endAttrs(p.IfName, container, mtu) {
		req.AddData(a)
	}
	if p.MAC != nil {
		req.AddData(nl.NewRtAttr(unix.IFLA_ADDRESS, p.MAC))
	}
	info := nl.NewRtAttr(unix.IFLA_LINKINFO, nil)
	info.AddRtAttr(nl.IFLA_INFO_KIND, nl.NonZeroTerminated("veth"))
	outer := info.AddRtAttr(nl.IFLA_INFO_DATA, nil).AddRtAttr(nl.VETH_INFO_PEER, nil)
	msg := nl.NewIfInfomsgChild(outer, unix.AF_UNSPEC)
	// Beside a userspace datapath the kernel hears the container too: it must not answer for the host's addresses.
	msg.Flags, msg.Change = unix.IFF_PROMISC|unix.IFF_NOARP, unix.IFF_PROMISC|unix.IFF_NOARP
	for _, a := range endAttrs(p.Host, host, p.MTU) {
		outer.AddChild(a)
	}
	outer.AddRtAttr(unix.IFLA_GROUP, nl.Uint32Attr(GroupLive))
	req.AddData(info)
	return req
}

// endAttrs are what both ends are told; mtu 0 is the kernel's choice.
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

// noIPv6Message asks that a host end get no link-local address: it would send packets of its own into the switch, and
// each of its routes would have ovs-vswitchd read the routing table again. While the interface is down this makes no
// event; the message that makes the interface cannot carry it.
func noIPv6Message(name string) *nl.NetlinkRequest {
	req := nl.NewNetlinkRequest(unix.RTM_SETLINK, unix.NLM_F_ACK)
	req.AddData(nl.NewIfInfomsg(unix.AF_UNSPEC))
	req.AddData(nl.NewRtAttr(unix.IFLA_IFNAME, nl.ZeroTerminated(name)))
	spec := nl.NewRtAttr(unix.IFLA_AF_SPEC, nil)
	spec.AddRtAttr(unix.AF_INET6, nil).AddRtAttr(unix.IFLA_INET6_ADDR_GEN_MODE, []byte{addrGenNone})
	req.AddData(spec)
	return req
}

// aliasMessage asks for an alias. While the interface is down this makes no event.
func aliasMessage(name, alias string) *nl.NetlinkRequest {
	req := nl.NewNetlinkRequest(unix.RTM_SETLINK, unix.NLM_F_ACK)
	req.AddData(nl.NewIfInfomsg(unix.AF_UNSPEC))
	req.AddData(nl.NewRtAttr(unix.IFLA_IFNAME, nl.ZeroTerminated(name)))
	req.AddData(nl.NewRtAttr(unix.IFLA_IFALIAS, nl.NonZeroTerminated(alias)))
	return req
}

// upMessage asks to set an interface up.
func upMessage(name string) *nl.NetlinkRequest {
	req := nl.NewNetlinkRequest(unix.RTM_SETLINK, unix.NLM_F_ACK)
	msg := nl.NewIfInfomsg(unix.AF_UNSPEC)
	msg.Flags, msg.Change = unix.IFF_UP, unix.IFF_UP
	req.AddData(msg)
	req.AddData(nl.NewRtAttr(unix.IFLA_IFNAME, nl.ZeroTerminated(name)))
	return req
}
