// SPDX-License-Identifier: Apache-2.0

package main

import "testing"

// Both sides get the same flows into the switch, enough of them for more than one chunk. How long it takes does not matter here.
func TestBothSides(t *testing.T) {
	if err := run("flows", 1, 700, 6000, ""); err != nil {
		t.Fatal(err)
	}
}
