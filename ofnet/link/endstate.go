// SPDX-License-Identifier: Apache-2.0

package link

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// Where a link has its settings of a family (IFLA_INET_CONF, IFLA_INET6_CONF), and the places among these of IPv4's rp_filter, counted
// from 1 (IPV4_DEVCONF_RP_FILTER of linux/ip.h), and IPv6's disable_ipv6, counted from 0 (DEVCONF_DISABLE_IPV6 of linux/ipv6.h).
const (
	conf4RPFilter    = 8
	conf6DisableIPv6 = 26
)

// strict makes the kernel refuse IPv4 packets at an interface to which it would not send the answer: all packets at one without addresses
// and routes.
const strict = 1

// endState holds the settings that close a host end to the host's stack.
type endState struct {
	group    uint32
	arp      bool
	rpFilter uint32
	ipv6     bool
}

// open lists the settings that differ from those of makeVeth. Whether IPv6 is on does not count if sixStays is set.
func (s *endState) open(sixStays bool) (was, want []string) {
	differs := func(name, is, should string) {
		was, want = append(was, name+"="+is), append(want, name+"="+should)
	}
	if s.group != GroupLive {
		differs("group", strconv.FormatUint(uint64(s.group), 10), strconv.FormatUint(GroupLive, 10))
	}
	if s.arp {
		differs("arp", "on", "off")
	}
	if s.rpFilter == 0 {
		differs("rp_filter", "0", strconv.Itoa(strict))
	}
	if s.ipv6 && !sixStays {
		differs("disable_ipv6", "0", "1")
	}
	return was, want
}

// endStates returns those of all veth interfaces, by name.
func (h *Host) endStates() (map[string]endState, error) {
	req := nl.NewNetlinkRequest(unix.RTM_GETLINK, unix.NLM_F_DUMP)
	req.AddData(nl.NewIfInfomsg(unix.AF_UNSPEC))
	info := nl.NewRtAttr(unix.IFLA_LINKINFO, nil)
	info.AddRtAttr(nl.IFLA_INFO_KIND, nl.NonZeroTerminated("veth"))
	req.AddData(info)
	req.Sockets = h.maker
	list, err := req.Execute(unix.NETLINK_ROUTE, unix.RTM_NEWLINK)
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return nil, fmt.Errorf("list interfaces: %w", err)
	}
	out := make(map[string]endState, len(list))
	for _, m := range list {
		name, s, err := parseEnd(m)
		if err != nil {
			return nil, fmt.Errorf("list interfaces: %w", err)
		}
		out[name] = s
	}
	return out, nil
}

// parseEnd reads an RTM_NEWLINK message.
func parseEnd(m []byte) (name string, s endState, err error) {
	if len(m) < unix.SizeofIfInfomsg {
		return "", s, errors.New("a link message is too short")
	}
	s.arp = nl.DeserializeIfInfomsg(m).Flags&unix.IFF_NOARP == 0
	attrs, err := nl.ParseRouteAttr(m[unix.SizeofIfInfomsg:])
	if err != nil {
		return "", s, err
	}
	for _, a := range attrs {
		switch a.Attr.Type & nl.NLA_TYPE_MASK {
		case unix.IFLA_IFNAME:
			name = nl.BytesToString(a.Value)
		case unix.IFLA_GROUP:
			s.group = word(a.Value, 0)
		case unix.IFLA_AF_SPEC:
			if err := s.settings(a.Value); err != nil {
				return name, s, err
			}
		}
	}
	return name, s, nil
}

// settings reads an interface's settings for each family. A kernel without IPv6 has none for it.
func (s *endState) settings(spec []byte) error {
	families, err := nl.ParseRouteAttr(spec)
	if err != nil {
		return err
	}
	for _, f := range families {
		attrs, err := nl.ParseRouteAttr(f.Value)
		if err != nil {
			return err
		}
		for _, a := range attrs {
			switch [2]int{int(f.Attr.Type & nl.NLA_TYPE_MASK), int(a.Attr.Type & nl.NLA_TYPE_MASK)} {
			case [2]int{unix.AF_INET, unix.IFLA_INET_CONF}:
				s.rpFilter = word(a.Value, conf4RPFilter-1)
			case [2]int{unix.AF_INET6, unix.IFLA_INET6_CONF}:
				s.ipv6 = word(a.Value, conf6DisableIPv6) == 0
			}
		}
	}
	return nil
}

// word is a number of a list, 0 when the list is shorter.
func word(list []byte, at int) uint32 {
	if len(list) < 4*(at+1) {
		return 0
	}
	return nl.NativeEndian().Uint32(list[4*at:])
}

// closeEnd makes a host end pass no packets to the host's stack, as far as the interface's own settings can.
func (h *Host) closeEnd(name string) error {
	err := h.execute(closedMessage(name, true))
	if errors.Is(err, unix.EAFNOSUPPORT) { // a kernel without IPv6 has nothing to turn off
		return h.execute(closedMessage(name, false))
	}
	if err != nil {
		return err
	}
	return h.ns.Do(func() error {
		err := os.WriteFile(filepath.Join(interfaces6, name, "disable_ipv6"), []byte("1"), 0)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case errors.Is(err, unix.EROFS) || errors.Is(err, fs.ErrPermission): // as in a container; only the table of CloseEnds remains
			h.ends.sixStays.Store(true)
			return nil
		}
		return err
	})
}

// closedMessage makes a host end refuse all IPv4 and, with six, have no link-local address: it would send packets of its own into the
// switch, and each of its routes would make ovs-vswitchd read the routing table again. While the interface is down this causes no event;
// the message that makes the interface cannot carry it.
func closedMessage(name string, six bool) *nl.NetlinkRequest {
	req := nl.NewNetlinkRequest(unix.RTM_SETLINK, unix.NLM_F_ACK)
	req.AddData(nl.NewIfInfomsg(unix.AF_UNSPEC))
	req.AddData(nl.NewRtAttr(unix.IFLA_IFNAME, nl.ZeroTerminated(name)))
	spec := nl.NewRtAttr(unix.IFLA_AF_SPEC, nil)
	spec.AddRtAttr(unix.AF_INET, nil).AddRtAttr(unix.IFLA_INET_CONF, nil).AddRtAttr(conf4RPFilter, nl.Uint32Attr(strict))
	if six {
		spec.AddRtAttr(unix.AF_INET6, nil).AddRtAttr(unix.IFLA_INET6_ADDR_GEN_MODE, []byte{addrGenNone})
	}
	req.AddData(spec)
	return req
}
