// SPDX-License-Identifier: Apache-2.0

package widget

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestWrap(t *testing.T) {
	tests := []struct {
		text          string
		width, indent int
		want          []string
	}{
		{"short", 30, 4, []string{"short"}},
		{"one two three four five six seven eight nine ten", 30, 4, []string{"one two three four five six", "    seven eight nine ten"}},
		{"there is no room beside the indent", 21, 10, []string{"there is no room beside the indent"}},
		{"a list of endpoints, web-one, web-two, and endpoint-blue.default-web6", 31, 4, []string{"a list of endpoints, web-one,", "    web-two, and endpoint-", "    blue.default-web6"}},
		{strings.Repeat("x", 50), 30, 5, []string{strings.Repeat("x", 30), "     " + strings.Repeat("x", 20)}},
	}
	for _, tt := range tests {
		if got := Wrap(tt.text, tt.width, tt.indent); !slices.Equal(got, tt.want) {
			t.Errorf("%q: want %q, got %q", tt.text, tt.want, got)
		}
	}
	for _, line := range Wrap("\x1b[1m"+strings.Repeat("word ", 40)+"\x1b[0m", 40, 6) {
		if ansi.StringWidth(line) > 40 {
			t.Errorf("want at most 40 cells, got %q", line)
		}
	}
}
