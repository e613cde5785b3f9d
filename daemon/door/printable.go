package door

import (
	"strings"
	"unicode/utf8"
)

// Printable keeps of what a stranger sends what may stand in a terminal, and of that so many bytes at most.
func Printable(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError || r >= 0x80 && r < 0xa0 {
			return -1
		}
		return r
	}, s)
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return strings.TrimSpace(s)
}
