// SPDX-License-Identifier: Apache-2.0

package bgp

import "net/netip"

// martian reports whether a route has addresses that no network beyond a router has (RFC 6890, RFC 7454 section 6.1): loopback, link-local,
// multicast, and reserved ones. A default route is none.
func martian(p netip.Prefix) bool {
	if p.Bits() == 0 {
		return false
	}
	for _, text := range []string{"0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3", "::/8", "fe80::/10", "ff00::/8"} {
		if special := netip.MustParsePrefix(text); special.Bits() <= p.Bits() && special.Contains(p.Addr()) {
			return true
		}
	}
	return false
}
