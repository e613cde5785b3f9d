// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bufio"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// example is a netctl command line that a document shows.
type example struct {
	place string // file:line
	args  []string
}

// examples are the command lines in the blocks of a document: the words behind netctl, up to what is the shell's.
func examples(t *testing.T, file string) (out []example) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	fenced := false
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		if !fenced && !strings.HasPrefix(line, "    ") {
			continue
		}
		line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
		command, ok := strings.CutPrefix(line, "netctl ")
		if !ok || strings.Contains(command, "   ") && !strings.HasPrefix(strings.TrimSpace(lines.Text()), "$") { // a table
			continue
		}
		out = append(out, example{place: filepath.Base(file) + ":" + strconv.Itoa(n), args: words(command)})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// words splits a command line as a shell does that knows quotes, and ends it where another command or a file follows.
func words(line string) (out []string) {
	var word strings.Builder
	started, quote := false, rune(0)
	end := func() {
		if started {
			out = append(out, word.String())
		}
		word.Reset()
		started = false
	}
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, started = r, true
		case r == ' ':
			end()
		case strings.ContainsRune("|;&><#", r) && (!started || r == ';'):
			end()
			return out
		default:
			word.WriteRune(r)
			started = true
		}
	}
	end()
	return out
}

// Every netctl command that a document shows is one that netctl takes, with its flags and arguments; those that are shown
// being refused are listed here.
func TestDocumentsShowCommandsThatExist(t *testing.T) {
	refused := []string{"network create --colour red x"}
	var files []string
	err := filepath.WalkDir("../../docs", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" && path != referencePage { // which shows usage, and no examples
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, file := range append(files, "../../README.md") {
		for _, e := range examples(t, file) {
			seen++
			root := newRoot(&Factory{Getenv: func(string) string { return "" }}, "")
			cmd, rest, err := root.Find(doubled(root, e.args))
			if err == nil {
				err = cmd.ParseFlags(rest)
			}
			if err == nil {
				err = cmd.ValidateArgs(cmd.Flags().Args())
			}
			if wrong := slices.Contains(refused, strings.Join(e.args, " ")); wrong != (err != nil) {
				t.Errorf("%s: netctl %s: shown as refused %v, got %v", e.place, strings.Join(e.args, " "), wrong, err)
			}
		}
	}
	if seen < 50 {
		t.Errorf("want 50 commands or more in the documents, got %d", seen)
	}
}
