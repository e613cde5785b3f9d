// SPDX-License-Identifier: Apache-2.0

package trust

import (
	"strings"
	"testing"
)

func TestToken(t *testing.T) {
	pin := strings.Repeat("0f", 32)
	made := NewToken(pin)
	text := made.String()
	got, err := ParseToken(text)
	if err != nil || got != made {
		t.Fatalf("want %+v back, got %+v, %v", made, got, err)
	}
	if other := NewToken(pin); other.ID == made.ID || other.Hash() == made.Hash() {
		t.Error("two tokens are the same")
	}
	if strings.HasPrefix(text, "-") || strings.ContainsAny(text, "@ /+=") {
		t.Errorf("%s cannot be handed on in a command line", text)
	}
	for name, bad := range map[string]string{
		"empty": "", "two parts": "a.b", "cut": text[:len(text)-1], "upper case": strings.ToUpper(text), "padded": text + "=", "short secret": made.ID + ".AAAA." + strings.Split(text, ".")[2],
		"id of another length": "a" + text, "a space": " " + text,
	} {
		if _, err := ParseToken(bad); err == nil || !strings.Contains(err.Error(), "contiv token create") {
			t.Errorf("%s: want a remedy, got %v", name, err)
		}
	}
}

func FuzzParseToken(f *testing.F) {
	f.Add(NewToken(strings.Repeat("ab", 32)).String())
	f.Add("aaaaaaaa.A.A")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseToken(text)
		if err == nil && got.String() != text {
			t.Errorf("%q is read as %q", text, got)
		}
	})
}
