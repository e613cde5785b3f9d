// SPDX-License-Identifier: Apache-2.0

package model

import "testing"

func TestResource(t *testing.T) {
	for _, row := range []struct {
		name     string
		resource Resource
		want     Severity
	}{
		{"unknown", Resource{Used: 9}, ""},
		{"free", Resource{Max: 10}, ""},
		{"below 80 %", Resource{Used: 799, Max: 1000}, ""},
		{"80 %", Resource{Used: 800, Max: 1000}, SeverityWarning},
		{"80 % of a small limit", Resource{Used: 4, Max: 5}, SeverityWarning},
		{"nothing left", Resource{Used: 1000, Max: 1000}, SeverityError},
		{"more than there is", Resource{Used: 1200, Max: 1000}, SeverityError},
		{"as much as is needed", Resource{Used: 984, Max: 1000, Need: 16}, SeverityWarning},
		{"less than is needed", Resource{Used: 985, Max: 1000, Need: 16}, SeverityError},
		{"a large share, and enough", Resource{Used: 900, Max: 1000, Enough: 100}, ""},
		{"a large share, and not enough", Resource{Used: 901, Max: 1000, Enough: 100}, SeverityWarning},
		{"a small share, and not enough", Resource{Used: 700, Max: 1000, Enough: 500}, ""},
		{"less than is needed, by a small share", Resource{Used: 700, Max: 1000, Need: 301}, SeverityError},
	} {
		got, low := row.resource.Low()
		if got != row.want || low != (row.want != "") {
			t.Errorf("%s: got %q, %v, want %q", row.name, got, low, row.want)
		}
	}
}
