// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const annKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGu4WqR1xz0O9i0oVq5mV3F8kq6yqQmE0tqHc1e0Qk1B ann@laptop"

func TestReadKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	for _, row := range []struct{ text, want string }{
		{"# nobody\n\ncontext=\"ann\" " + annKey + "\n", ""},
		{annKey, `:1: got the options "", want context="NAME"`},
		{"\nno-pty,context=\"ann\" " + annKey, `:2: got the options "no-pty,context=\"ann\""`},
		{`context="" ` + annKey, "want context="},
		{"context=\"ann\" ssh-ed25519 AAAA", "got no public key"},
	} {
		if err := os.WriteFile(path, []byte(row.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readKeys(path)
		switch {
		case row.want == "":
			if err != nil || len(got) != 1 || len(got["ann"]) != 1 {
				t.Errorf("%s: got %v, %v, want a key of ann", row.text, got, err)
			}
		case err == nil || !strings.Contains(err.Error(), row.want):
			t.Errorf("%s: got %v, want %s", row.text, err, row.want)
		}
	}
	if got, err := readKeys(path + ".gone"); err != nil || len(got) != 0 {
		t.Errorf("a missing file: got %v, %v, want no keys", got, err)
	}
}

func FuzzParseKey(f *testing.F) {
	for _, seed := range []string{"context=\"ann\" " + annKey, annKey, `context="a\"b" ` + annKey, "x", "command=\"sh\",context=\"ann\" " + annKey} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if name, key, err := parseKey(line); err == nil && (name == "" || key == nil) {
			t.Errorf("%q: got %q and %v without an error", line, name, key)
		}
	})
}
