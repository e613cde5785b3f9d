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
			if got := th.Paint(r, "x"); !strings.Contains(got, "x") || name == "mono" && strings.Contains(got, "38;") {
				t.Errorf("%s role %d: got %q", name, r, got)
			}
		}
	}
	if _, err := New("pink", false); err == nil || !strings.Contains(err.Error(), "dark, light, mono") {
		t.Errorf("want the names that there are, got %v", err)
	}
}
