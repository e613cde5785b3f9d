// SPDX-License-Identifier: Apache-2.0

package sanitize_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/contiv/contiv/sanitize"
)

func TestLine(t *testing.T) {
	for _, row := range []struct {
		name, in string
		most     int
		want     string
	}{
		{"plain", "ann", 64, "ann"},
		{"letters of others", "Zoë Ωmega 日本 😀", 64, "Zoë Ωmega 日本 😀"},
		{"blanks around", "  ann\t", 64, "ann�"},
		{"a title of a terminal", "u\x1b]0;pwn\a\x1b[2J", 64, "u�]0;pwn��[2J"},
		{"C1", "a\u009b2Jb", 64, "a�2Jb"},
		{"lines", "a\nb\r\nc", 64, "a�b��c"},
		{"line separators", "a\u2028b\u2029c", 64, "a�b�c"},
		{"another direction", "user\u202enimda", 64, "user�nimda"},
		{"invisible", "ad\u200bmin", 64, "ad�min"},
		{"no UTF-8", "a\xff\xfeb", 64, "a��b"},
		{"as long as may be", "12345678", 8, "12345678"},
		{"longer", "123456789", 8, "12345…"},
		{"cut within a character", "1234ééé", 8, "1234…"},
		{"replacements make it longer", "\x01\x02\x03\x04", 8, "�…"},
		{"no room", "abcdef", 2, ""},
		{"nothing", "", 8, ""},
	} {
		if got := sanitize.Line(row.in, row.most); got != row.want {
			t.Errorf("%s: want %q, got %q", row.name, row.want, got)
		}
	}
}

// A million bytes take no longer than what is kept of them.
func TestLine_Long(t *testing.T) {
	long := strings.Repeat("A", 1<<20)
	if got := testing.AllocsPerRun(10, func() { _ = sanitize.Line(long, 64) }); got > 4 {
		t.Errorf("%v allocations", got)
	}
}

func FuzzLine(f *testing.F) {
	f.Add("u\x1b]0;pwn\a", 16)
	f.Add("\xf0\x9f\x98", 3)
	f.Fuzz(func(t *testing.T, s string, most int) {
		most = min(max(most, 0), 1<<12)
		got := sanitize.Line(s, most)
		if len(got) > most || !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsGraphic(r) }) {
			t.Errorf("%q, %d: got %q", s, most, got)
		}
		if again := sanitize.Line(got, most); again != got {
			t.Errorf("%q is not the same a second time: %q", got, again)
		}
	})
}

// It is passed on whole and clean, whatever the parts in which text comes.
func FuzzWriter(f *testing.F) {
	f.Add([]byte("a\x1b[31mb\tc\nd 日本 \xe6"), uint8(1))
	f.Fuzz(func(t *testing.T, text []byte, size uint8) {
		var whole, parts bytes.Buffer
		if n, err := sanitize.Writer(&whole).Write(text); n != len(text) || err != nil {
			t.Fatal(n, err)
		}
		w := sanitize.Writer(&parts)
		for rest := text; len(rest) > 0; {
			n := min(len(rest), max(1, int(size)))
			if _, err := w.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if whole.String() != parts.String() {
			t.Errorf("whole %q, in parts %q", whole.String(), parts.String())
		}
		if strings.ContainsFunc(whole.String(), func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsGraphic(r) }) {
			t.Errorf("%q has %q", text, whole.String())
		}
	})
}

// An escaped text is read back unchanged, and has no control sequence for a terminal.
func TestJSON(t *testing.T) {
	for _, in := range []string{"plain", "a\u009b2Jb\u202ec\x7f", "tag \U000e0041 end", "line\nline\ttab", "日本"} {
		text, err := json.MarshalIndent(map[string]string{"x": in}, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		var back map[string]string
		got := sanitize.JSON(text)
		if err := json.Unmarshal(got, &back); err != nil || back["x"] != in {
			t.Errorf("%q: got %s, %v", in, got, err)
		}
		if strings.ContainsFunc(string(got), func(r rune) bool { return r != '\n' && !unicode.IsGraphic(r) }) {
			t.Errorf("%q: got %q", in, got)
		}
	}
}
