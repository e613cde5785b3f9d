// SPDX-License-Identifier: Apache-2.0

package configfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/contiv/contiv/configfile"
)

func TestParseMap(t *testing.T) {
	const sample = "# one\nlog-level: DEBUG\n\nports: [tcp/22, 80]\nmax: 0x10\nquiet: true\nrate: 1.5\nnone:\nday: 2026-01-02\ninner:\n  a: \"5\"\n"
	got, problems := configfile.ParseMap([]byte(sample))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	text := func(line int, s string) configfile.Value {
		return configfile.Value{Kind: configfile.Text, Line: line, Text: s}
	}
	scalar := func(kind configfile.Kind, line int, s string) configfile.Value {
		return configfile.Value{Kind: kind, Line: line, Text: s}
	}
	want := []configfile.Entry{
		{"log-level", 2, text(2, "DEBUG")},
		{"ports", 4, configfile.Value{Kind: configfile.List, Line: 4, Items: []configfile.Value{text(4, "tcp/22"), scalar(configfile.Int, 4, "80")}}},
		{"max", 5, scalar(configfile.Int, 5, "0x10")},
		{"quiet", 6, scalar(configfile.Bool, 6, "true")},
		{"rate", 7, scalar(configfile.Float, 7, "1.5")},
		{"none", 8, scalar(configfile.Null, 8, "")},
		{"day", 9, text(9, "2026-01-02")},
		{"inner", 10, configfile.Value{Kind: configfile.Map, Line: 11, Map: []configfile.Entry{{"a", 11, text(11, "5")}}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("want\n%+v\ngot\n%+v", want, got)
	}
}

// Each problem has its line, and the other entries are read.
func TestParseMap_Problems(t *testing.T) {
	for _, row := range []struct {
		name, in string
		entries  int
		want     []string // "LINE: a part of the text"
	}{
		{"nothing", "", 0, nil},
		{"comments", "# a\n\n# b\n", 0, nil},
		{"an empty document", "---\n", 0, nil},
		{"null", "~\n", 0, nil},
		{"a text", "DEBUG\n", 0, []string{"1: got text (DEBUG), want a map"}},
		{"a list", "- a\n- b\n", 0, []string{"1: got a list, want a map"}},
		{"a doubled key", "a: 1\nb: 2\na: 3\n", 2, []string{"3: a: got the key twice, want it once: it is also in line 1"}},
		{"doubled below", "m:\n  a: 1\n  a: 2\n", 1, []string{"3: a: got the key twice"}},
		{"two", "a: 1\na: 2\n[b]: 3\n", 1, []string{"2: a: got the key twice", "3: got a key that is not text"}},
		{"a number as a key", "5: a\nb: c\n", 1, []string{"1: got a key that is not text"}},
		{"an alias", "a: &x 5\nb: *x\n", 2, []string{"2: got an alias (*x)"}},
		{"a second document", "a: 1\n---\nb: 2\n", 0, []string{"2: got a second document"}},
		{"no YAML", "a: 1\nb: c: d\n", 0, []string{"2: wrong YAML: mapping values are not allowed"}},
		{"a tab", "a:\n\tb: 1\n", 0, []string{"2: wrong YAML: found character that cannot start any token"}},
		{"deep", "a: " + strings.Repeat("[", 12) + strings.Repeat("]", 12), 1, []string{"1: got more than 8 nested"}},
	} {
		entries, problems := configfile.ParseMap([]byte(row.in))
		if len(entries) != row.entries || len(problems) != len(row.want) {
			t.Errorf("%s: want %d entries and %q, got %v and %v", row.name, row.entries, row.want, entries, problems)
			continue
		}
		for i, p := range problems {
			if line, text, _ := strings.Cut(row.want[i], ": "); line != strconv.Itoa(p.Line) || !strings.HasPrefix(p.Text, text) {
				t.Errorf("%s: want %q, got line %d: %s", row.name, row.want[i], p.Line, p.Text)
			}
		}
	}
}

func TestParseEnv(t *testing.T) {
	got := configfile.ParseEnv([]byte("# a\nA=1\n ; b\nB = two words \nC=\"x \\\"y\\\" \\$z\"\n=5\nno\nA=3\nD='it is'\nE=\n"))
	want := []configfile.Variable{{"A", "3", 8}, {"B", "two words", 4}, {"C", `x "y" $z`, 5}, {"D", "it is", 9}, {"E", "", 10}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("want %v, got %v", want, got)
	}
}

// Only regular files of a bounded size are read, also behind a link, and a pipe does not block.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(at("good"), []byte("a"), 0o600), os.Symlink("good", at("link")), syscall.Mkfifo(at("pipe"), 0o600),
		os.WriteFile(at("most"), make([]byte, configfile.MaxSize), 0o600), os.WriteFile(at("more"), make([]byte, configfile.MaxSize+1), 0o600)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"good": "", "link": "", "most": "", "more": "got more than 1048576 bytes", "pipe": "got a pipe, want a regular file", ".": "got a directory"} {
		_, err := configfile.Read(at(name))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: want %q, got %v", name, want, err)
		}
	}
	if _, err := configfile.Read(at("none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: got %v", err)
	}
}

// A daemon of root takes no settings from a file that another user has created.
func TestReadTrusted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := configfile.ReadTrusted(path); err != nil || string(text) != "a" {
		t.Errorf("a file of root: got %q, %v", text, err)
	}
	if err := os.Chown(path, 61, 62); err != nil {
		t.Fatal(err)
	}
	if text, err := configfile.ReadTrusted(path); err == nil || !strings.Contains(err.Error(), "does not belong to root") || len(text) > 0 {
		t.Errorf("a file of another user: got %q, %v", text, err)
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"20-b.yaml", "10-a.yaml", ".hidden.yaml", "x.yml", "README"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := configfile.Files(dir)
	if want := []string{filepath.Join(dir, "10-a.yaml"), filepath.Join(dir, "20-b.yaml")}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("want %v, got %v, %v", want, got, err)
	}
	if got, err := configfile.Files(filepath.Join(dir, "none")); got != nil || err != nil {
		t.Errorf("a missing directory: got %v, %v", got, err)
	}
}

// Decoding ends for every text, and each entry and problem has a line of the text.
func FuzzParseMap(f *testing.F) {
	for _, text := range []string{"a: 1\n", "a: [b, c]\nd: {e: f}\n", "a: &x [*x]\n", "? [a]\n: b\n", "<<: {a: 1}\n", "---\n---\n", "a: |\n  b\n", "\x00", "a: !!binary x\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		entries, problems := configfile.ParseMap(text)
		lines := strings.Count(string(text), "\n") + strings.Count(string(text), "\r") + strings.Count(string(text), "\u0085") + strings.Count(string(text), "\u2028") + strings.Count(string(text), "\u2029") + 2
		for _, e := range entries {
			if e.Line < 1 || e.Line > lines {
				t.Errorf("%q: line %d of %d", e.Key, e.Line, lines)
			}
		}
		for _, p := range problems {
			if p.Line < 1 || p.Line > lines || p.Text == "" {
				t.Errorf("problem at line %d of %d: %s", p.Line, lines, p.Text)
			}
		}
	})
}
