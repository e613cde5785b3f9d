// SPDX-License-Identifier: Apache-2.0

package app

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contiv/contiv/console/theme"
)

var update = flag.Bool("update", false, "write the golden frames again")

// Every page looks as it did, and says the same in all themes.
func TestGoldenFrames(t *testing.T) {
	const width, height = 120, 36
	for _, screen := range realScreens(t) {
		t.Run(screen.name, func(t *testing.T) {
			for _, name := range theme.Names() {
				frame := realModel(t, look(t, name, false), screen.make(), width, height).Frame()
				if wrong := exact(frame, width, height); wrong != "" {
					t.Errorf("%s: %s", name, wrong)
				}
				golden(t, screen.name+".txt", Plain(frame)+"\n")
			}
		})
	}
}

// How a theme paints is a sheet of some pages, in which every role is to be seen.
func TestGoldenThemes(t *testing.T) {
	for _, name := range theme.Names() {
		var sheet strings.Builder
		th := look(t, name, false)
		for _, path := range []string{"overview", "topology/group/shop/cart", "matrix/shop", "addresses", "addresses/shop/front/10.6.0.28", "addresses/shop/front:ages", "flows/node-01:all", "leader", "events",
			"why/endpoint/shop:front:cart-1/endpoint/shop:data:db-2/tcp/5432"} {
			m := realModel(t, th, opened(t, path), minWidth, minHeight)
			m.Frame()
			s, now := realistic()
			s.Nodes[4].Flows++ // a cell that changed
			s.Received = now
			m.Update(s)
			sheet.WriteString(m.Frame() + "\n\n")
		}
		golden(t, "theme-"+name+".txt", strings.ReplaceAll(sheet.String(), "\x1b", "^"))
	}
}

// golden compares a frame with the one in testdata, or writes that again.
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
		m, _ := still(t, mono(t, true), e.make(), minWidth, minHeight)
		for _, r := range Plain(m.Frame()) {
			if r > 126 {
				t.Errorf("%s: %q is not ASCII", e.name, r)
			}
		}
	}
}
