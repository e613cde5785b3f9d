// SPDX-License-Identifier: Apache-2.0

package widget

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/contiv/contiv/console/theme"
)

// strange is text that may be in names, and how it is drawn.
var strange = []struct {
	name, in, want string
	width          int
}{
	{"plain", "web-1", "web-1", 5},
	{"wide", "网络-1", "网络-1", 6},
	{"combining", "e\u0301a", "e\u0301a", 2},
	{"only a mark", "\u0301a", "?a", 2},
	{"many marks", "a" + strings.Repeat("\u0301", 40), "?", 1},
	{"emoji", "🐳x", "🐳x", 3},
	{"joined emoji", "👩\u200d💻", "👩?💻", 5},
	{"flag", "🇦🇹", "🇦🇹", 2},
	{"skin", "👍🏽", "👍?", 3},
	{"variation", "✗\ufe0f", "✗?", 2},
	{"Hebrew", "שלום", "שלום", 4},
	{"turned around", "a\u202eb\u2066c", "a?b?c", 5},
	{"no width", "ad\u200bmin", "ad?min", 6},
	{"colour", "a\x1b[31mb", "a?[31mb", 7},
	{"title", "\x1b]0;gone\x07", "?]0;gone?", 9},
	{"C1", "a\u009b31mb", "a?31mb", 6},
	{"raw C1", "a\x9b31mb", "a?31mb", 6},
	{"broken", "a\xffb", "a?b", 3},
	{"lines", "a\r\nb\tc\x00", "a??b c?", 7},
	{"line separator", "a\u2028b", "a?b", 3},
	{"private", "\ue0b0", "?", 1},
}

func TestPrintable(t *testing.T) {
	for _, tt := range strange {
		got := Printable(&theme.Theme{}, tt.in)
		if got != tt.want || Width(got) != tt.width {
			t.Errorf("%s: want %q of %d cells, got %q of %d", tt.name, tt.want, tt.width, got, Width(got))
		}
	}
}

// What the theme paints has its colours, and nothing else: not even who knows what they look like can paint.
func TestPrintablePaint(t *testing.T) {
	th, err := theme.New("dark", false)
	if err != nil {
		t.Fatal(err)
	}
	name := "\x1b[38;5;114mx\x1b[m"
	got := th.Render(Printable(th, th.Paint(theme.Good, "● "+name)+" y"))
	if want := "\x1b[38;5;114m● ?[38;5;114mx?[m\x1b[m y"; got != want {
		t.Errorf("want %q, got %q", want, got)
	}
}

// A cut never splits a character, and what is left is exactly as wide as asked for.
func TestFitStrange(t *testing.T) {
	for _, tt := range strange {
		text := Printable(&theme.Theme{}, tt.in)
		for width := range 12 {
			if got := Fit(plain(), text, width); ansi.StringWidth(got) != width || ansi.StringWidthWc(got) != width {
				t.Errorf("%s in %d cells: got %q of %d", tt.name, width, got, ansi.StringWidth(got))
			}
		}
	}
}

func FuzzPrintable(f *testing.F) {
	for _, tt := range strange {
		f.Add(tt.in, 4)
	}
	f.Fuzz(func(t *testing.T, text string, width int) {
		got := Printable(&theme.Theme{}, text)
		if strings.ContainsFunc(got, func(r rune) bool { return unicode.Is(unicode.C, r) || unicode.In(r, unicode.Zl, unicode.Zp) }) {
			t.Fatalf("%q became %q", text, got)
		}
		if Printable(&theme.Theme{}, got) != got {
			t.Fatalf("%q: again it is another", got)
		}
		if w := Width(got); w != ansi.StringWidth(got) || w != ansi.StringWidthWc(got) {
			t.Fatalf("%q: Width says %d, the others %d and %d", got, w, ansi.StringWidth(got), ansi.StringWidthWc(got))
		}
		if width = min(max(width, 0), 60); ansi.StringWidth(Fit(plain(), got, width)) != width {
			t.Fatalf("%q in %d cells: %q", got, width, Fit(plain(), got, width))
		}
	})
}
