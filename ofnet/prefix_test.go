// SPDX-License-Identifier: Apache-2.0

package ofnet_test

import (
	"net/netip"
	"testing"

	"github.com/contiv/contiv/ofnet"
)

func TestWithout(t *testing.T) {
	prefix := netip.MustParsePrefix
	for _, row := range []struct {
		block  string
		except []string
		want   int
	}{
		{"10.0.0.0/8", nil, 1},
		{"10.0.0.0/8", []string{"10.1.0.0/16"}, 8},
		{"0.0.0.0/0", []string{"10.0.0.1/32"}, 32},
		{"10.0.0.0/8", []string{"10.0.0.0/8"}, 0},
		{"10.0.0.0/8", []string{"0.0.0.0/0"}, 0},
		{"10.0.0.0/8", []string{"11.0.0.0/16", "fd00::/64"}, 1},
		{"10.0.0.0/8", []string{"10.0.0.0/9", "10.128.0.0/9"}, 0},
		{"fd00::/8", []string{"fd01::/64", "fd01:0:0:1::/64"}, 55},
	} {
		var except []netip.Prefix
		for _, e := range row.except {
			except = append(except, prefix(e))
		}
		got := ofnet.Without(prefix(row.block), except)
		if len(got) != row.want {
			t.Errorf("%s without %v: want %d prefixes, got %v", row.block, row.except, row.want, got)
		}
		for i, p := range got {
			for _, o := range append(got[:i:i], except...) {
				if p.Overlaps(o) {
					t.Errorf("%s without %v: %s overlaps %s", row.block, row.except, p, o)
				}
			}
		}
	}
}
