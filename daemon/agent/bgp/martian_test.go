// SPDX-License-Identifier: Apache-2.0

package bgp

import (
	"net/netip"
	"testing"
)

func TestMartian(t *testing.T) {
	for text, want := range map[string]bool{
		"0.0.0.0/0": false, "::/0": false, "0.0.0.0/1": false, "10.1.0.0/16": false, "20.1.1.0/24": false, "192.168.0.0/16": false, "2001:db8::/32": false, "fd00::/8": false,
		"127.0.0.0/8": true, "127.0.0.1/32": true, "169.254.0.0/16": true, "169.254.1.0/24": true, "224.0.0.0/4": true, "239.1.1.1/32": true, "240.0.0.0/4": true,
		"0.1.2.0/24": true, "::1/128": true, "::ffff:10.0.0.0/104": true, "fe80::/64": true, "ff02::1/128": true,
	} {
		if got := martian(netip.MustParsePrefix(text)); got != want {
			t.Errorf("%s: want %v, got %v", text, want, got)
		}
	}
}
