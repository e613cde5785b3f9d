// SPDX-License-Identifier: Apache-2.0

package model

import (
	"slices"
	"strings"
	"testing"
)

func TestAlike(t *testing.T) {
	names := []string{"default", "acme", "acne", "blue", "a", "b", "", strings.Repeat("x", 300)}
	for word, want := range map[string][]string{
		"defualt": {"default"}, "Default": {"default"}, "defaul": {"default"}, "acme": {"acme", "acne"}, "acnee": {"acne"}, "bleu": {"blue"}, "green": nil,
		strings.Repeat("x", 299): {strings.Repeat("x", 300)}, "abcdefgh": nil,
	} {
		if got := Alike(word, names); !slices.Equal(got, want) {
			t.Errorf("alike %q: want %q, got %q", word, want, got)
		}
	}
}
