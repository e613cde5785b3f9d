// SPDX-License-Identifier: Apache-2.0

package theme

import (
	"strings"
	"testing"
)

func TestNewSkin(t *testing.T) {
	th, err := NewSkin("mine", Skin{Base: "light", Styles: map[string]string{"good": "bold #859900 on 7", "bad": "9"}}, false)
	if err != nil {
		t.Fatal(err)
	}
	light, err := New("light", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		role Role
		want string
	}{
		{Good, "38;2;133;153;0"}, {Good, "1;"}, {Good, "47"}, {Bad, "91"},
		{Warn, light.styles[Warn].begin}, // of the base
	} {
		if got := th.styles[row.role].begin; !strings.Contains(got, row.want) {
			t.Errorf("role %d: got %q, want %q in it", row.role, got, row.want)
		}
	}
	if th.Name != "mine" || th.Base != "light" {
		t.Errorf("got the name %q on %q", th.Name, th.Base)
	}
}

func TestNewSkin_Wrong(t *testing.T) {
	for _, row := range []struct {
		skin Skin
		want string
	}{
		{Skin{Base: "pink"}, `base: got "pink", want one of dark, light, sixteen, mono`},
		{Skin{Styles: map[string]string{"god": "2"}}, `got a style of "god", want one of bad, cursor`},
		{Skin{Styles: map[string]string{"good": "256"}}, `good: got "256", want bold`},
		{Skin{Styles: map[string]string{"good": "2 on"}}, `good: got "2 on", want a colour after on`},
	} {
		if _, err := NewSkin("x", row.skin, false); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%v: got %v, want %s", row.skin, err, row.want)
		}
	}
}
