// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// compile builds a program as make build does, whose packages are compiled.
func compile(t *testing.T, out, source string) {
	t.Helper()
	cmd := exec.Command("go", "build", "-trimpath", "-o", out, source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", cmd, err, text)
	}
}

// entries are the entries of an archive: of a link where it leads, of a file what it holds.
func entries(t *testing.T, r io.Reader) map[string]string {
	t.Helper()
	out := map[string]string{}
	for archive := tar.NewReader(r); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		text, failed := io.ReadAll(archive)
		if err = errors.Join(err, failed); err != nil {
			t.Fatal(err)
		}
		out[h.Name] = string(text) + h.Linkname
	}
}

func TestPack(t *testing.T) {
	bin := t.TempDir()
	source, program := filepath.Join(bin, "main.go"), filepath.Join(bin, "program")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	compile(t, program, source)
	for _, p := range programs() {
		if err := os.Link(program, filepath.Join(bin, p)); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(t.TempDir(), "images.tar")
	for range 2 { // the second time in place of the first
		if _, err := pack(bin, out, "v9"); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	archive := entries(t, f)
	for _, ref := range []string{`"contiv/contiv:v9"`, `"contiv/contiv:latest"`} {
		if !strings.Contains(archive["manifest.json"], ref) {
			t.Errorf("want %s in %s", ref, archive["manifest.json"])
		}
	}
	files := entries(t, strings.NewReader(archive["layer.tar"]))
	for _, p := range programs() {
		if files["bin/"+p] == "" {
			t.Errorf("the image has no /bin/%s", p)
		}
	}
	if files["var/run"] != "/run" {
		t.Errorf("/var/run leads to %q, want /run", files["var/run"])
	}
	if left, _ := filepath.Glob(out + ".*"); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

func TestRefusals(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	dynamic := t.TempDir()
	for _, p := range programs() {
		if err := os.Symlink(sh, filepath.Join(dynamic, p)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ name, bin, version, want string }{
		{"no tag", dynamic, "v1+2", `version "v1+2" is no tag`},
		{"not built", t.TempDir(), "v1", "netmaster"},
		{"needs libraries", dynamic, "v1", "CGO_ENABLED=0"},
	} {
		if _, err := pack(tt.bin, filepath.Join(t.TempDir(), "x"), tt.version); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: want %q, got %v", tt.name, tt.want, err)
		}
	}
}
