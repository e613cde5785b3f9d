// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// ErrAbsent is of an interface or address that the machine does not have, and may have in a moment: no other configuration is needed then.
var ErrAbsent = errors.New("this host has none such yet")

// LocalAddress finds an address of this host to be reached at: the first IPv4 address of an interface that is up and
// is none of the runtimes'.
func LocalAddress() (netip.Addr, error) {
	interfaces, err := net.Interfaces()
	if err != nil {
		return netip.Addr{}, fmt.Errorf("list interfaces: %w", err)
	}
	for _, i := range interfaces {
		if i.Flags&net.FlagUp == 0 || foreign(i.Name) {
			continue
		}
		addresses, err := i.Addrs()
		if err != nil {
			continue
		}
		for _, a := range addresses {
			if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Is4() && !p.Addr().IsLinkLocalUnicast() {
				return p.Addr(), nil
			}
		}
	}
	return netip.Addr{}, fmt.Errorf("no interface has a usable IPv4 address (%w); name one with a flag", ErrAbsent)
}

// foreign reports whether the addresses of an interface do not identify the host.
func foreign(name string) bool {
	for _, prefix := range []string{"docker", "veth", "vport", "lo", "contiv"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
