// SPDX-License-Identifier: Apache-2.0

package app

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestSVG(t *testing.T) {
	tests := []struct{ name, frame, want string }{
		{"plain", "ab", `<text x="12.0" y="25" textLength="16.8" fill="#1f2328" xml:space="preserve">ab</text>`},
		{"escaped", "a<b&c", `>a&lt;b&amp;c</text>`},
		{"bold colour", "\x1b[1;38;5;160mbad\x1b[m", `fill="#d70000" font-weight="bold" xml:space="preserve">bad</text>`},
		{"grey", "\x1b[38;5;242mold", `fill="#6c6c6c"`},
		{"after the end of a colour", "\x1b[38;5;28mx\x1b[my", `<text x="20.4" y="25" textLength="8.4" fill="#1f2328" xml:space="preserve">y</text>`},
		{"reverse", "\x1b[7mx \x1b[0m", `<rect x="12.0" y="12" width="16.8" height="18" fill="#1f2328"/>`},
		{"underline and faint", "\x1b[4;2mx", `opacity="0.6" text-decoration="underline"`},
		{"a wide character takes two cells", "世x", `textLength="25.2"`},
		{"second line", "a\nb", `<text x="12.0" y="43"`},
		{"size", "abc\nd", `viewBox="0 0 49 60"`},
		{"another sequence is passed over", "a\x1b[2Jb", `>ab</text>`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := svg(tt.frame, groundOf("light")); !strings.Contains(got, tt.want) {
				t.Errorf("want %s in\n%s", tt.want, got)
			}
		})
	}
	if got := svg("a", groundOf("dark")); !strings.Contains(got, `fill="#16181d"`) {
		t.Errorf("want a dark ground, got\n%s", got)
	}
}

// The picture is XML, whatever a frame holds.
func FuzzSVG(f *testing.F) {
	for _, seed := range []string{"a", "\x1b[1;38;5;999mx", "\x1b[38;5m\x1b[38m", "<&>\"'", "\x1b[7m世界\n", "\x1b]0;t\x07x", "\x1b[;;m", "\xff\x00\x01"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, frame string) {
		d := xml.NewDecoder(strings.NewReader(svg(frame, groundOf("dark"))))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				t.Fatalf("%q: %v", frame, err)
			}
		}
	})
}
