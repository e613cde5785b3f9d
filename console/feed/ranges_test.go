// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"net/netip"
	"testing"
)

func TestRanges(t *testing.T) {
	r := ParseRanges("10.0.0.1-10.0.0.3, 10.0.0.9, nonsense, 10.0.0.8-10.0.0.2, 2001:db8::1")
	if len(r) != 2 {
		t.Fatalf("want 2 ranges, got %v", r)
	}
	for a, want := range map[string]bool{"10.0.0.0": false, "10.0.0.1": true, "10.0.0.3": true, "10.0.0.4": false, "10.0.0.9": true, "10.0.0.10": false} {
		if got := r.Contains(netip.MustParseAddr(a)); got != want {
			t.Errorf("Contains(%s): want %v, got %v", a, want, got)
		}
	}
	if n := CountRanges("10.0.0.1-10.0.1.0, 10.9.0.0"); n != 257 {
		t.Errorf("count: want 257, got %d", n)
	}
}

func TestWithin(t *testing.T) {
	r := ParseRanges("10.0.0.1-10.0.0.3, 10.0.0.8-10.0.0.9, 10.0.1.0")
	for _, tt := range []struct {
		first, last string
		want        int
	}{{"10.0.0.0", "10.0.0.255", 5}, {"10.0.0.2", "10.0.0.8", 3}, {"10.0.0.4", "10.0.0.7", 0}, {"10.0.0.9", "10.0.1.0", 2}, {"10.0.2.0", "10.0.2.255", 0}} {
		if got := r.Within(netip.MustParseAddr(tt.first), netip.MustParseAddr(tt.last)); got != tt.want {
			t.Errorf("%s to %s: want %d, got %d", tt.first, tt.last, tt.want, got)
		}
	}
}
