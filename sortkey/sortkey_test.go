// SPDX-License-Identifier: Apache-2.0

package sortkey

import "testing"

// Cells are ordered by what they are: addresses, also in ranges, lists and with ports, quantities with units, durations.
func TestOrder(t *testing.T) {
	for name, want := range map[string][]string{
		"addresses": {"10.1.1.2", "10.1.1.10", "10.1.2.1"},
		"subnets":   {"9.0.0.0/8", "10.0.0.0/8", "10.2.1.10-10.2.1.20/24", "2001:db8::/64"},
		"ports":     {"192.0.2.9:9999", "192.0.2.10:80", "192.0.2.10:9999"},
		"unknown":   {"?", "3", "12"},
		"rates":     {"0.3 bit/s", "12 bit/s", "2.9 kbit/s", "1 Mbit/s"},
		"packets":   {"900 /s", "1.2 k/s"},
		"sizes":     {"900 KiB", "3 MiB", "1 GiB"},
		"durations": {"50s", "3m", "2h", "1d"},
		"text":      {"a", "b"},
	} {
		for i := range len(want) - 1 {
			if a, b := Of(want[i]), Of(want[i+1]); a.Compare(b) >= 0 || b.Compare(a) <= 0 {
				t.Errorf("%s: want %q before %q, got %d and %d", name, want[i], want[i+1], a.Compare(b), b.Compare(a))
			}
		}
	}
}
