package app

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/contiv/contiv/console/theme"
)

var update = flag.Bool("update", false, "write the golden frames anew")

// Every page fills the terminal exactly, in every theme, and says the same in all of them: one text is their golden
// frame. How each is painted is kept for the smallest size.
func TestGoldenFrames(t *testing.T) {
	sizes := [][2]int{{80, 24}, {120, 40}, {200, 60}}
	for _, screen := range screens() {
		for _, size := range sizes {
			name := fmt.Sprintf("%s-%dx%d", screen.Name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				for _, paint := range theme.Names() {
					m, _ := still(t, look(t, paint, false), screen.Make(), size[0], size[1])
					frame := m.Frame()
					lines := strings.Split(frame, "\n")
					if len(lines) != size[1] {
						t.Errorf("%s: want %d lines, got %d", paint, size[1], len(lines))
					}
					for i, l := range lines {
						if w := ansi.StringWidth(l); w != size[0] {
							t.Errorf("%s: line %d: want %d cells, got %d: %q", paint, i, size[0], w, l)
						}
					}
					golden(t, name+".txt", Plain(frame)+"\n")
					if size[0] == 80 {
						golden(t, screen.Name+"."+paint, strings.ReplaceAll(frame, "\x1b", "^")+"\n")
					}
				}
			})
		}
	}
}

// golden compares a frame with the one in testdata, or writes that anew.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s: the frame changed (-update accepts it)\nwant:\n%s\ngot:\n%s", name, want, got)
	}
}

func TestASCII(t *testing.T) {
	for _, e := range screens() {
		m, _ := still(t, mono(t, true), e.Make(), minWidth, minHeight)
		for _, r := range Plain(m.Frame()) {
			if r > 126 {
				t.Errorf("%s: %q is not ASCII", e.Name, r)
			}
		}
	}
}
