// SPDX-License-Identifier: Apache-2.0

package main

import (
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// daemon is a program that lists a flag, as the daemons do.
const daemon = `#!/bin/sh
echo '[{"name": "CONTIV_MODE", "flag": "mode", "usage": "who runs containers", "default": "auto"}]'
`

// made writes all files into a directory.
func made(t *testing.T) string {
	t.Helper()
	bin, root := t.TempDir(), t.TempDir()
	for _, name := range []string{"netmaster", "netplugin"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(daemon), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w := &writer{root: root, pages: pages{version: "1.2.3", date: "2026-01-02"}}
	if err := w.all(bin); err != nil {
		t.Fatal(err)
	}
	return root
}

// content returns all files below a directory, uncompressed.
func content(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		in := io.Reader(f)
		if strings.HasSuffix(path, ".gz") {
			if in, err = gzip.NewReader(f); err != nil {
				return err
			}
		}
		text, err := io.ReadAll(in)
		out[strings.TrimPrefix(path, root)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Every command has a page, daemons list their flags, and the same text is written twice.
func TestFiles(t *testing.T) {
	got, again := content(t, made(t)), content(t, made(t))
	for path, text := range got {
		if again[path] != text {
			t.Errorf("%s differs when it is written again", path)
		}
	}
	for path, want := range map[string]string{
		"/usr/lib/systemd/system/contiv-netmaster.service": "ExecStart=/usr/sbin/netmaster\n",
		"/usr/lib/systemd/system/contiv-netplugin.service": "ExecStart=/usr/sbin/netplugin\n",
		"/usr/lib/sysusers.d/contiv.conf":                  "u contiv - ",
		"/usr/share/man/man8/netmaster.8.gz":               "\\fB\\-\\-mode, $CONTIV_MODE\\fR\nwho runs containers (default auto)\n",
		"/usr/share/man/man1/contiv-init.1.gz":             ".TH \"CONTIV-INIT\" 1 \"2026-01-02\" \"Contiv 1.2.3\"",
		"/usr/share/man/man1/netctl-network-create.1.gz":   "\\-\\-subnet",
		"/usr/share/bash-completion/completions/netctl":    "netctl",
		"/usr/share/zsh/vendor-completions/_contiv":        "#compdef contiv",
		"/usr/share/fish/vendor_completions.d/contiv.fish": "complete -c contiv",
	} {
		if !strings.Contains(got[path], want) {
			t.Errorf("%s: want %q in it, got %.300q", path, want, got[path])
		}
	}
	if _, is := got["/usr/share/man/man1/contiv-lab.1.gz"]; is {
		t.Error("the lab, which is not part of packages, has a page")
	}
}

// No line of a text is a command of man(7).
func TestEscaped(t *testing.T) {
	for in, want := range map[string]string{
		"a-b":          `a\-b`,
		".TH x\n'x\na": "\\&.TH x\n\\&'x\na",
		`C:\x`:         `C:\ex`,
	} {
		if got := escaped(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	p := pages{}
	if _, err := p.daemon(filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Error("a daemon that is not there: want an error, got none")
	}
}
