// SPDX-License-Identifier: Apache-2.0

package link

import (
	"errors"
	"net/netip"

	"golang.org/x/sys/unix"
)

// Bound returns an error if a program of the host uses a port, so that it must not lead to a container. It tests this by binding the port
// for a moment.
func (h *Host) Bound(protocol uint8, at netip.AddrPort) error {
	kind := unix.SOCK_STREAM
	if protocol == unix.IPPROTO_UDP {
		kind = unix.SOCK_DGRAM
	}
	family, addr := unix.AF_INET6, unix.Sockaddr(&unix.SockaddrInet6{Port: int(at.Port()), Addr: at.Addr().As16()})
	if at.Addr().Is4() {
		family, addr = unix.AF_INET, &unix.SockaddrInet4{Port: int(at.Port()), Addr: at.Addr().As4()}
	}
	err := h.ns.Do(func() error { return bind(family, kind, int(protocol), addr) })
	if errors.Is(err, unix.EAFNOSUPPORT) || errors.Is(err, unix.EPROTONOSUPPORT) {
		return nil // without the family or the protocol no program listens
	}
	return wrap(err, "bind %s", at)
}

// bind binds a socket and closes it.
func bind(family, kind, protocol int, addr unix.Sockaddr) error {
	fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC, protocol)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	if family == unix.AF_INET6 {
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, 1); err != nil {
			return err
		}
	}
	if kind == unix.SOCK_STREAM { // ignore remains of closed connections
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
			return err
		}
	}
	return unix.Bind(fd, addr)
}
