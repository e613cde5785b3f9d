// SPDX-License-Identifier: Apache-2.0

package model

import "testing"

// NP-03, NP-04: a net profile accepts these bandwidths, with these values.
func TestNP_03_Bandwidth(t *testing.T) {
	tests := []struct {
		text, shown string
		kilobits    uint64
	}{
		{"", "", 0}, {"20mbps", "20Mbps", 20971}, {"10 Gbps", "10Gbps", 10737418}, {"10 Gb", "10Gbps", 10737418},
		{"10 gb", "10Gbps", 10737418}, {"4g", "4Gbps", 4294967}, {"4G", "4Gbps", 4294967}, {"500Kbps", "500Kbps", 512}, {"1k", "1Kbps", 1},
	}
	for _, test := range tests {
		b, err := ParseBandwidth(test.text)
		if err != nil || b.String() != test.shown || b.Kilobits() != test.kilobits {
			t.Errorf("%q: want %q %d, got %q %d %v", test.text, test.shown, test.kilobits, b, b.Kilobits(), err)
		}
	}
	for _, text := range []string{"10 Gkms", "10 G12ms", "10 ms", "10 bms", "Gkms", "Gbps", "0 Gbps", " 10 Gbps", "10", "10MB", "99999999999k"} {
		if b, err := ParseBandwidth(text); err == nil {
			t.Errorf("%q must be refused, got %v", text, b)
		}
	}
}
