// SPDX-License-Identifier: Apache-2.0

package resources

import "testing"

func TestProcessors(t *testing.T) {
	for _, tt := range []struct {
		what string
		have int
		env  string
		want int
	}{
		{"half", 8, "", 4},
		{"of an odd number", 3, "", 1},
		{"one at least", 1, "", 1},
		{"as the environment says", 8, "6", 0},
	} {
		if got := Processors(tt.have, tt.env); got != tt.want {
			t.Errorf("%s: want %d, got %d", tt.what, tt.want, got)
		}
	}
}
