// SPDX-License-Identifier: Apache-2.0

package command

import (
	"net"
	"net/netip"

	"github.com/contiv/contiv/daemon/flags"
)

// ownAddress returns the address of this machine from which packets to a netmaster leave, or that of its first usable interface if netmaster is
// "" or no route leads there. It sends nothing.
func ownAddress(netmaster string) (string, error) {
	if c, err := net.Dial("udp", netmaster); netmaster != "" && err == nil {
		defer func() { _ = c.Close() }()
		if own, ok := c.LocalAddr().(*net.UDPAddr); ok && !own.IP.IsLoopback() && !own.IP.IsUnspecified() {
			return own.IP.String(), nil
		}
	}
	first, err := flags.LocalAddress()
	if err != nil {
		return "", err
	}
	return first.String(), nil
}

// local reports whether an interface of this machine has an address.
func local(address string) bool {
	want, err := netip.ParseAddr(address)
	if err != nil {
		return false
	}
	all, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, a := range all {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr() == want {
			return true
		}
	}
	return false
}
