// SPDX-License-Identifier: Apache-2.0

package link

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// Listener is a socket that receives packets for its port.
type Listener struct {
	Protocol uint8
	Addr     netip.Addr // unspecified: any address
	Port     uint16
}

// listening is the state TCP_LISTEN of a TCP socket (include/net/tcp_states.h of Linux).
const listening = 10

// sockets lists the listening sockets, of TCP and UDP, in the network namespace of the calling thread (proc(5)). The files exist in every
// kernel, while the netlink family of sockets is a module, and another for each protocol.
func sockets() (out []Listener, err error) {
	proc, err := procfs.NewFS("/proc/thread-self")
	if err != nil {
		return nil, fmt.Errorf("list sockets: %w", err)
	}
	add := func(protocol uint8, address []byte, port uint64) {
		if at, ok := netip.AddrFromSlice(address); ok {
			out = append(out, Listener{protocol, at.Unmap(), uint16(port)})
		}
	}
	for _, list := range []func() (procfs.NetTCP, error){proc.NetTCP, proc.NetTCP6} {
		tcp, err := list()
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // without IPv6 its file does not exist
			return nil, fmt.Errorf("list sockets of TCP: %w", err)
		}
		for _, x := range tcp {
			if x.St == listening {
				add(unix.IPPROTO_TCP, x.LocalAddr, x.LocalPort)
			}
		}
	}
	for _, list := range []func() (procfs.NetUDP, error){proc.NetUDP, proc.NetUDP6} {
		udp, err := list()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("list sockets of UDP: %w", err)
		}
		for _, x := range udp {
			if x.RemPort == 0 {
				add(unix.IPPROTO_UDP, x.LocalAddr, x.LocalPort)
			}
		}
	}
	return out, nil
}

// Listens reports whether a socket receives packets for a port of an address.
func (s *Seen) Listens(protocol uint8, to netip.AddrPort) bool {
	for _, l := range s.Listeners {
		// A socket of IPv6 for any address receives IPv4 as well, unless it has the option IPV6_V6ONLY, which /proc does not show.
		if l.Protocol == protocol && l.Port == to.Port() && (l.Addr == to.Addr() || l.Addr.IsUnspecified() && (l.Addr.Is6() || to.Addr().Is4())) {
			return true
		}
	}
	return false
}
