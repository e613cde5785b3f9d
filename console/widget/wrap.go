// SPDX-License-Identifier: Apache-2.0

package widget

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Wrap breaks a text of more than width cells between words; what follows the first line is indented. Colours continue. A width that leaves
// no room beside the indent breaks nothing.
func Wrap(text string, width, indent int) []string {
	if ansi.StringWidth(text) <= width || width-indent < 20 {
		return []string{text}
	}
	first, _, _ := strings.Cut(ansi.Wrap(text, width, ""), "\n")
	out, rest := []string{first}, strings.TrimLeft(strings.TrimPrefix(text, first), " ")
	if ansi.StringWidth(rest) == 0 {
		return out
	}
	for line := range strings.Lines(ansi.Wrap(rest, width-indent, "")) {
		out = append(out, strings.Repeat(" ", indent)+strings.TrimSuffix(line, "\n"))
	}
	return out
}
