// SPDX-License-Identifier: Apache-2.0

// Package sanitize makes untrusted text fit to be kept, logged and shown: it replaces or cuts characters that could control a terminal, are
// invisible, or are too many.
package sanitize

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// cut is the end of a truncated text.
const cut = "…"

// shown reports whether a character has a shape of its own, or is a blank. Control characters (C0, DEL, C1), those that change the
// direction of writing, line separators and invisible ones do not (Unicode, categories Cc, Cf, Zl and Zp).
func shown(r rune) bool { return unicode.IsGraphic(r) }

// lined are also the characters for lines and columns.
func lined(r rune) bool { return r == '\n' || r == '\t' || shown(r) }

// Line returns a text as one line of at most a number of bytes: U+FFFD replaces each character without a shape, and invalid UTF-8. A longer
// text ends with an ellipsis.
func Line(s string, most int) string { return bounded(s, most, shown) }

// Text is a Line that keeps lines and tabs.
func Text(s string, most int) string { return bounded(s, most, lined) }

// bounded returns a text of at most a number of bytes, without rejected characters.
func bounded(s string, most int, meant func(rune) bool) string {
	long := len(s) > most
	if long {
		s = strings.ToValidUTF8(s[:most], "") // reads only what is kept
	}
	s = strings.TrimSpace(strings.Map(replaced(meant), s))
	if !long && len(s) <= most {
		return s
	}
	if most < len(cut) {
		return ""
	}
	return strings.ToValidUTF8(s[:min(len(s), most-len(cut))], "") + cut
}

// Flat returns a text as one line of any length.
func Flat(s string) string { return strings.Map(replaced(shown), s) }

// replaced maps rejected characters to U+FFFD.
func replaced(meant func(rune) bool) func(rune) rune {
	return func(r rune) rune {
		if meant(r) {
			return r
		}
		return utf8.RuneError
	}
}

// JSON returns a text of JSON in which each character that could control a terminal is escaped, so that no information is lost.
func JSON(text []byte) []byte {
	if bytes.IndexFunc(text, func(r rune) bool { return !lined(r) || r == utf8.RuneError }) < 0 {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for _, r := range string(text) {
		switch {
		case lined(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// Writer writes text with U+FFFD for each character that could control a terminal; it keeps lines and tabs. It buffers a possibly
// incomplete character until the next Write, and is not safe for concurrent use.
func Writer(w io.Writer) io.Writer { return &writer{next: w} }

type writer struct {
	next io.Writer
	part []byte // of a character
}

// Write passes text on. It blocks as the next Writer does.
func (w *writer) Write(p []byte) (int, error) {
	text := append(w.part, p...)
	end := len(text)
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		if c := text[len(text)-back]; utf8.RuneStart(c) {
			if !utf8.FullRune(text[len(text)-back:]) {
				end = len(text) - back
			}
			break
		}
	}
	w.part = append([]byte(nil), text[end:]...)
	if _, err := io.WriteString(w.next, strings.Map(replaced(lined), string(text[:end]))); err != nil {
		return 0, err
	}
	return len(p), nil
}
