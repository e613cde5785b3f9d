// SPDX-License-Identifier: Apache-2.0

package bgp

import (
	"errors"
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"
)

// signs checks that this host's kernel can sign the segments of a session with its password: otherwise the library starts a session anyway,
// which never comes up. try makes a socket sign.
func signs(p *Peer, try func(to netip.Addr, password string) error) error {
	if p.Password == "" {
		return nil
	}
	err := try(p.Address, p.Password)
	switch {
	case errors.Is(err, unix.ENOPROTOOPT), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
		return fmt.Errorf("BGP neighbour %s: this host's kernel has no TCP MD5 signatures, which a password takes: run a kernel with CONFIG_TCP_MD5SIG, or do without "+
			"(delete the router, and create it without a password): %w", p.Address, err)
	case err != nil:
		return fmt.Errorf("BGP neighbour %s: this host's kernel does not take the password for TCP MD5 signatures (is it in FIPS mode, which has no MD5?): %w", p.Address, err)
	}
	return nil
}

// trySignature makes an unused socket sign its segments to an address.
func trySignature(to netip.Addr, password string) error {
	family := unix.AF_INET
	if to.Is6() {
		family = unix.AF_INET6
	}
	s, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, unix.IPPROTO_TCP)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(s) }()
	sig := unix.TCPMD5Sig{Keylen: uint16(len(password))}
	copy(sig.Key[:], password)
	sig.Addr.Family = uint16(family)
	if to.Is4() {
		a := to.As4() // as in struct sockaddr_in, after family and port
		copy(sig.Addr.Data[2:], a[:])
	} else {
		a := to.As16() // as in struct sockaddr_in6, after family, port and flow
		copy(sig.Addr.Data[6:], a[:])
	}
	return unix.SetsockoptTCPMD5Sig(s, unix.IPPROTO_TCP, unix.TCP_MD5SIG, &sig)
}
