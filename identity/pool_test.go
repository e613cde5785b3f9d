// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"net/netip"
	"testing"
)

// A printed key is read back as the same, and no other text is accepted.
func TestPools(t *testing.T) {
	for text, ok := range map[string]bool{
		"t:n:|10.1.1.0/24": true, "t:n:g|10.1.1.0/24": true, "re.d:n-1:g.2|fd01::/64": true, "t::|10.0.0.0/8": true,
		"": false, "t:n|10.1.1.0/24": false, "t:n:g": false, "t:n:g|": false, ":n:g|10.1.1.0/24": false, "t::g|10.1.1.0/24": false,
		"t:n:g|10.1.1.1/24": false, "t:n:g|10.1.1.0/024": false, "t:n:g:x|10.1.1.0/24": false, "t:n:g|10.1.1.0-10.1.1.9": false,
	} {
		p, err := ParsePool(text)
		if (err == nil) != ok || ok && p.String() != text {
			t.Errorf("%q: got %q, %v", text, p, err)
		}
	}
	p := Pool{Network{"t", "n"}, "g", netip.MustParsePrefix("10.1.1.0/24")}
	if p.Of() != (Group{"t", "g"}) || !(Pool{Network: p.Network}).Of().IsZero() {
		t.Errorf("groups of %v: %v", p, p.Of())
	}
}

func FuzzParsePool(f *testing.F) {
	f.Add("t:n:g|10.1.1.0/24")
	f.Add("t::|fd01::/64")
	f.Fuzz(func(t *testing.T, text string) {
		if p, err := ParsePool(text); err == nil && p.String() != text {
			t.Errorf("%q reads as %q", text, p)
		}
	})
}
