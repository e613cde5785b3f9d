// SPDX-License-Identifier: Apache-2.0

package page

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

func TestBlocks(t *testing.T) {
	got, err := Blocks(strings.Join([]string{
		"# Title", "", "On h1:", "", "    contiv init", "", "    contiv token create", "", "which prints:", "", "    a", "", "Text.", "",
		"On h2 and on h3, with the token:", "", "    contiv join", "On every host:", "", "    ls", "", "On your machine:", "", "    scp",
	}, "\n"))
	want := []Block{
		{Line: 5, Hosts: []string{"h1"}, Shell: "contiv init\n\ncontiv token create", Prints: "a"},
		{Line: 17, Hosts: []string{"h2", "h3"}, Shell: "contiv join"},
		{Line: 20, Hosts: []string{All}, Shell: "ls"},
		{Line: 24, Hosts: []string{Source}, Shell: "scp"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("want %+v, got %+v, %v", want, got, err)
	}
	for _, text := range []string{"    ls", "Do this:\n\n    ls", "On h1\n\n    ls", "On host one:\n\n    ls", "which prints:\n\n    a", "On h1:\n\n    ls\n\nwhich prints:\n\n    a\n\nwhich prints:\n\n    b",
		"On h1:\n\n    a\n\nText.\n\n    b"} {
		if got, err := Blocks(text); err == nil {
			t.Errorf("%q: want it refused, got %+v", text, got)
		}
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct{ shown, printed, want string }{
		{"", "a\nb", ""},
		{"a  b\n...\nc", "a b\nx\n  c", ""},
		{"host ... is healthy", "wait\nhost h1 is healthy", ""},
		{"token ID.…...@h1", "token ID.…xyz@h1", ""},
		{"a\nb", "b\na", "b"},
		{"c", "a\nb", "c"},
		{"c...", "ab c", "c..."},
		{"a...c", "a c d", "a...c"},
		{"a", "a b", "a"},
	} {
		if got := Matches(c.shown, c.printed); got != c.want {
			t.Errorf("%q in %q: want %q missing, got %q", c.shown, c.printed, c.want, got)
		}
	}
}

func TestSubstitute(t *testing.T) {
	got := Substitute("join TOKEN@192.0.2.1:9999 192.0.2.1 192.0.2.11", map[string]string{"192.0.2.1": "a", "192.0.2.11": "b", "TOKEN@192.0.2.1:9999": "t"})
	if got != "join t a b" {
		t.Errorf("got %q", got)
	}
}

// The page of the installation has no block that TestInstall of test/machines would not run.
func TestInstall(t *testing.T) {
	text, err := os.ReadFile("../../../docs/tutorials/install.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := Blocks(string(text))
	if err != nil || len(blocks) < 10 {
		t.Errorf("docs/tutorials/install.md: %d blocks, %v", len(blocks), err)
	}
}

func TestCommands(t *testing.T) {
	got, err := Commands("# Title\n\n    up\n    attach\n\nText:\n\n    $ ls -l\n    total 1\n\n    a\n    $ rm a\n\nText.\n\n    down\n")
	want := []Typed{{Line: 3, Shell: "up"}, {Line: 4, Shell: "attach"}, {Line: 8, Shell: "ls -l", Prints: "total 1\na\n"}, {Line: 12, Shell: "rm a"}, {Line: 16, Shell: "down"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("want %+v, got %+v, %v", want, got, err)
	}
	if got, err := Commands("    up\n    $ ls"); err == nil {
		t.Errorf("a prompt in a list of commands: want an error, got %+v", got)
	}
}
