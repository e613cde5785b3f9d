// SPDX-License-Identifier: Apache-2.0

package term

import (
	"os"
	"slices"
	"testing"
)

func TestCommand(t *testing.T) {
	for _, row := range []struct {
		env  map[string]string
		want []string
	}{
		{nil, []string{"vi"}},
		{map[string]string{"EDITOR": "  "}, []string{"vi"}},
		{map[string]string{"EDITOR": "code -w"}, []string{"code", "-w"}},
		{map[string]string{"EDITOR": "nano", "VISUAL": "emacs"}, []string{"emacs"}},
	} {
		if got := EditorCommand(func(name string) string { return row.env[name] }); !slices.Equal(got, row.want) {
			t.Errorf("with %v: want %q, got %q", row.env, row.want, got)
		}
	}
}

func TestDraft(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	path, err := Draft([]byte("a: 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "a: 1\n" {
		t.Errorf("draft: want the text, got %q, %v", text, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the draft: want 0600, got %v, %v", info.Mode(), err)
	}
	t.Setenv("TMPDIR", "/proc/none")
	if _, err := Draft(nil); err == nil {
		t.Error("without a directory for temporary files: want an error, got none")
	}
}
