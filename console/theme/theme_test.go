// SPDX-License-Identifier: Apache-2.0

package theme

import (
	"strings"
	"testing"
)

func TestThemes(t *testing.T) {
	for _, name := range Names() {
		th, err := New(name, false)
		if err != nil {
			t.Fatal(err)
		}
		for r := Plain; r <= Cursor; r++ {
			if got := th.Render(th.Paint(r, "x")); !strings.Contains(got, "x") || name == "mono" && strings.Contains(got, "38;") {
				t.Errorf("%s role %d: got %q", name, r, got)
			}
		}
		if got := th.Render(th.Paint(Good, "x")); name != "mono" && !strings.Contains(got, "[38;") && !strings.Contains(got, "[32m") {
			t.Errorf("%s: got %q, want a colour", name, got)
		}
	}
	if _, err := New("pink", false); err == nil || !strings.Contains(err.Error(), "dark, light, sixteen, mono") {
		t.Errorf("want the names that there are, got %v", err)
	}
}
