// SPDX-License-Identifier: Apache-2.0

package underlay

import (
	"fmt"
	"net"
	"net/netip"
	"strings"

	"github.com/contiv/contiv/daemon/flags"
)

// address parses an address flag; if it is empty, otherwise applies, or else an address of this host.
func address(flag, text string, otherwise netip.Addr) (netip.Addr, error) {
	if text == "" {
		if otherwise.IsValid() {
			return otherwise, nil
		}
		a, err := flags.LocalAddress()
		if err != nil {
			return a, fmt.Errorf("--%s: %w", flag, err)
		}
		return a, nil
	}
	if strings.Contains(text, "/") {
		return addressIn(flag, text)
	}
	a, err := netip.ParseAddr(text)
	if err != nil || a.Zone() != "" || a.IsUnspecified() {
		return a, fmt.Errorf("--%s %s: it is an IP address of this host, or a prefix such as 192.168.0.0/24", flag, text)
	}
	return a.Unmap(), nil
}

// addressIn returns this host's only address in a prefix.
func addressIn(flag, text string) (out netip.Addr, err error) {
	in, err := netip.ParsePrefix(text)
	if err != nil {
		return out, fmt.Errorf("--%s %s: it is an IP address of this host, or a prefix such as 192.168.0.0/24", flag, text)
	}
	all, err := net.InterfaceAddrs()
	if err != nil {
		return out, fmt.Errorf("--%s %s: list addresses: %w", flag, text, err)
	}
	for _, a := range all {
		p, err := netip.ParsePrefix(a.String())
		switch {
		case err != nil || !in.Contains(p.Addr()) || p.Addr() == out:
		case out.IsValid():
			return out, fmt.Errorf("--%s %s: this host has %s and %s there; name a narrower prefix", flag, text, out, p.Addr())
		default:
			out = p.Addr()
		}
	}
	if !out.IsValid() {
		return out, fmt.Errorf("--%s %s: %w; `ip addr` lists the addresses of this host", flag, text, flags.ErrAbsent)
	}
	return out, nil
}
