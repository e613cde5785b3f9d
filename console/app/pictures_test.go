// SPDX-License-Identifier: Apache-2.0

package app

import (
	"fmt"
	"path/filepath"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/recording"
)

// The pictures of docs/pictures are frames of pages that scripts/pictures has recorded on a lab. They follow changes of the console:
// -update draws them again.
func TestPictures(t *testing.T) {
	const width = 110
	for _, picture := range []struct {
		name   string
		height int
		screen string // "": name
	}{
		{"overview", 30, ""}, {"topology", 30, ""}, {"matrix", 24, ""}, {"addresses", 24, ""}, {"rules", 24, ""}, {"leader", 32, ""},
		{"why", 24, "why/group/app:acme/endpoint/blue.acme-lab-db-1/tcp/5432"},
	} {
		t.Run(picture.name, func(t *testing.T) {
			r, err := recording.Open(filepath.Join("testdata", "pictures", fmt.Sprintf("%s.%d.recording", picture.name, picture.height)))
			if err != nil {
				t.Fatal(err)
			}
			p, err := feed.NewPlayer(r.Header.Base, r.Inputs)
			if err != nil {
				t.Fatal(err)
			}
			screen := picture.screen
			if screen == "" {
				screen = picture.name
			}
			const theme = "dark"
			m := New(t.Context(), p, look(t, theme, false), opened(t, screen), p.End())
			m.Update(p.Seek(p.End()))
			m.Update(tea.WindowSizeMsg{Width: width, Height: picture.height})
			golden(t, filepath.Join("..", "..", "..", "docs", "pictures", picture.name+".svg"), svg(m.Frame(), groundOf(theme)))
		})
	}
}
