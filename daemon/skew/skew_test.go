// SPDX-License-Identifier: Apache-2.0

package skew

import "testing"

func TestRange(t *testing.T) {
	for _, row := range []struct {
		a, b   Range
		common int
		older  bool // a than b
	}{
		{Range{}, Range{}, 1, false},
		{Range{}, Range{1, 2}, 1, false},
		{Range{}, Range{2, 3}, 0, true},
		{Range{1, 2}, Range{2, 3}, 2, false},
		{Range{2, 3}, Range{1, 3}, 3, false},
		{Range{3, 4}, Range{1, 2}, 0, false},
	} {
		if got := row.a.Common(row.b); got != row.common {
			t.Errorf("%s with %s: got version %d, want %d", row.a, row.b, got, row.common)
		}
		if got := row.b.Common(row.a); got != row.common {
			t.Errorf("%s with %s: got version %d, want %d", row.b, row.a, got, row.common)
		}
		if got := row.a.Older(row.b); got != row.older {
			t.Errorf("%s older than %s: got %t", row.a, row.b, got)
		}
	}
	if got := (Range{1, 2}).String() + " " + (Range{}).String(); got != "1-2 1" {
		t.Errorf("texts: got %q", got)
	}
	for text, want := range map[string]Range{"": {}, "1": {1, 1}, "2-3": {2, 3}} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%q: got %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"0", "2-1", "x", "-1", "1-2-3"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
	for v, want := range map[int]bool{0: false, 1: true, 2: true, 3: false} {
		if got := (Range{1, 2}).Includes(v); got != want {
			t.Errorf("1-2 includes %d: got %t", v, got)
		}
	}
}

// Each release works with the one before it.
func TestKeepsPrevious(t *testing.T) {
	for name, r := range map[string]Range{"protocol": Protocol, "records": Records} {
		if r.Newest > 1 && r.Oldest >= r.Newest {
			t.Errorf("%s: got %s, want the version before the newest one too", name, r)
		}
	}
}
