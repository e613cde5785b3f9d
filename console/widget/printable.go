// SPDX-License-Identifier: Apache-2.0

package widget

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/contiv/contiv/console/theme"
)

const (
	unprintable  = '?'
	clusterLimit = 32 // bytes of one character with its marks
)

// Printable is text that may be written to a terminal whatever its source: control and format characters, which move the
// cursor, change the title or turn the direction of writing, become "?", and so does what terminals do not agree on how
// wide it is, such as joined emoji. The marks with which t paints stay. A tab becomes a blank.
func Printable(t *theme.Theme, text string) string {
	for i := 0; i < len(text); {
		n, ok := next(t, text[i:])
		if !ok {
			return replaced(t, text, i)
		}
		i += n
	}
	return text
}

// Bare is Printable of text that comes from the cluster: it has no colours of its own.
func Bare(text string) string { return Printable(&theme.Theme{}, text) }

// replaced is Printable of a text that is fine up to from.
func replaced(t *theme.Theme, text string, from int) string {
	var b strings.Builder
	b.Grow(len(text))
	b.WriteString(text[:from])
	for i := from; i < len(text); {
		n, ok := next(t, text[i:])
		switch {
		case ok:
			b.WriteString(text[i : i+n])
		case text[i] == '\t':
			b.WriteByte(' ')
		default:
			b.WriteByte(unprintable)
		}
		i += n
	}
	// A character beside a replaced one may join it. That is too rare to be drawn well.
	if out := b.String(); ansi.StringWidth(out) == ansi.StringWidthWc(out) {
		return out
	}
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			return r
		}
		return unprintable
	}, b.String())
}

// next is the length of the character or the mark at the start of a text, and whether it may stay.
func next(t *theme.Theme, text string) (n int, ok bool) {
	c := text[0]
	switch {
	case c == 0x1b:
		if n, _ := t.Mark(text); n > 0 {
			return n, true
		}
		return 1, false
	case c < utf8.RuneSelf && (len(text) == 1 || text[1] < utf8.RuneSelf):
		return 1, c >= ' ' && c != 0x7f
	}
	if r, n := utf8.DecodeRuneInString(text); narrow(r) && apart(text[n:]) {
		return n, true
	}
	cluster, width := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
	for i, r := range cluster {
		if n := utf8.RuneLen(r); misleading(r) || r == utf8.RuneError {
			if i > 0 {
				return i, clamped(cluster[:i])
			}
			return max(1, min(n, len(cluster))), false
		}
	}
	return len(cluster), width > 0 && clamped(cluster)
}

// clamped reports whether all terminals give a character with its marks the same width.
func clamped(cluster string) bool {
	w := ansi.StringWidth(cluster)
	return len(cluster) <= clusterLimit && w > 0 && w == ansi.StringWidthWc(cluster)
}

// misleading reports whether a character has no shape of its own but an effect on others.
func misleading(r rune) bool {
	return unicode.Is(unicode.C, r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Variation_Selector) || r >= 0x1f3fb && r <= 0x1f3ff // of skin
}

// narrow reports for the signs that the console itself draws whether they are one cell wide.
func narrow(r rune) bool {
	return r >= 0x2500 && r <= 0x25fc || r == '…' || r == '·' || r == '✗'
}

// apart reports for a text after such a sign whether it surely does not join it.
func apart(text string) bool {
	if text == "" || text[0] < utf8.RuneSelf {
		return true
	}
	r, _ := utf8.DecodeRuneInString(text)
	return narrow(r)
}

// Width is how many cells text takes. Sequences take none.
func Width(text string) int {
	width := 0
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == 0x1b:
			end := strings.IndexByte(text[i:], 'm')
			if end < 0 || len(text) < i+2 || text[i+1] != '[' {
				return ansi.StringWidth(text)
			}
			i += end + 1
			continue
		case c < ' ' || c == 0x7f:
			return ansi.StringWidth(text)
		case c < utf8.RuneSelf:
			i++
		default:
			r, n := utf8.DecodeRuneInString(text[i:])
			if !narrow(r) {
				return ansi.StringWidth(text)
			}
			i += n
		}
		width++
	}
	return width
}
