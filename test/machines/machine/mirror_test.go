// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestFindMirror(t *testing.T) {
	for _, row := range []struct {
		name  string
		files map[string]string
		want  Mirror
		wrong string
	}{
		{"paragraphs", map[string]string{"sources.list.d/debian.sources": `Types: deb
# a comment: with a colon
URIs: http://mirror/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /keys/debian.gpg

Types: deb
URIs: http://mirror/security
Suites: bookworm-security
Components: main
`, "sources.list.d/other.sources": "Types: deb\nURIs: http://other/node\nSuites: nodistro\n"},
			Mirror{"http://mirror/debian", "http://mirror/security", "/keys/debian.gpg"}, ""},
		{"lines", map[string]string{"sources.list": `# deb http://off/debian bookworm main
deb-src http://source/debian bookworm main
deb [arch=amd64 signed-by=/keys/a.gpg] http://mirror/debian bookworm main contrib
`, "sources.list.d/cloud.list": "deb http://cloud/apt cloud-bookworm main\n"}, Mirror{Main: "http://mirror/debian", Keyring: "/keys/a.gpg"}, ""},
		{"switched off", map[string]string{"sources.list.d/debian.sources": "Enabled: no\nTypes: deb\nURIs: http://off\nSuites: bookworm\n"},
			Mirror{}, "no source of this machine's own release"},
		{"another release", map[string]string{"sources.list": "deb http://mirror/ubuntu noble main\n"}, Mirror{}, "built on Debian"},
	} {
		etc := fstest.MapFS{}
		for path, text := range row.files {
			etc[path] = &fstest.MapFile{Data: []byte(text)}
		}
		got, err := findMirror(etc, "bookworm")
		if got != row.want || (err == nil) != (row.wrong == "") || err != nil && !strings.Contains(err.Error(), row.wrong) {
			t.Errorf("%s: want %+v %q, got %+v %v", row.name, row.want, row.wrong, got, err)
		}
	}
}

func TestLists(t *testing.T) {
	m := Mirror{Main: "http://m/debian", Security: "http://m/security", Keyring: "/k.gpg"}
	for _, r := range Releases() {
		want := "deb [signed-by=/k.gpg] http://m/debian " + r.Name + " main\n"
		if r.Supported {
			want += "deb [signed-by=/k.gpg] http://m/security " + r.Name + "-security main\n"
		}
		if got := m.lists(r); got != want {
			t.Errorf("%s: want %q, got %q", r, want, got)
		}
	}
}
