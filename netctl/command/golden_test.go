// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/daemon/master/mastertest"
)

const goldenSession = "testdata/session.txt"

// The output of every command, and its exit code. testdata/session.txt is one session, in order: a command line after "$ ", then its
// output, its errors after "! ", and its exit code if that is not 0. go test -update rewrites the answers. A command that no line runs is
// an error.
func TestGoldenSession(t *testing.T) {
	text, err := os.ReadFile(goldenSession)
	if err != nil {
		t.Fatal(err)
	}
	m := mastertest.Start(t, mastertest.Options{})
	m.Endpoint(t, "default", sessionNetwork(t, m), "", "c1", "")
	ran := map[string]bool{}
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			b.WriteString(line)
			continue
		}
		args, ok := strings.CutPrefix(line, "$ netctl ")
		if !ok {
			continue
		}
		b.WriteString(line)
		got := netctl(t, context.Background(), m.URL, strings.Fields(args)...)
		b.WriteString(strings.ReplaceAll(got.out, m.URL, "URL"))
		if got.out != "" && !strings.HasSuffix(got.out, "\n") {
			b.WriteString("\n")
		}
		for complaint := range strings.Lines(got.err) {
			b.WriteString("! " + strings.TrimSuffix(strings.ReplaceAll(complaint, m.URL, "URL"), "\n") + "\n")
		}
		if got.code != 0 {
			fmt.Fprintf(&b, "exit %d\n", got.code)
		}
		if c, _, err := newRoot(&Factory{Getenv: func(string) string { return "" }}, "").Find(strings.Fields(args)); err == nil {
			ran[c.CommandPath()] = true
		}
	}
	if *update {
		if err := os.WriteFile(goldenSession, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if b.String() != string(text) {
		t.Errorf("%s is not what netctl prints now; run go test ./netctl/command -update and look at the difference:\n%s",
			goldenSession, firstDifference(string(text), b.String()))
	}
	for _, path := range leaves(newRoot(&Factory{Getenv: func(string) string { return "" }}, "")) {
		if !ran[path] {
			t.Errorf("no line of %s runs %q", goldenSession, path)
		}
	}
}

// sessionNetwork makes the network of the endpoint that the session finds.
func sessionNetwork(t *testing.T, m *mastertest.Master) string {
	t.Helper()
	if got := netctl(t, context.Background(), m.URL, "network", "create", "back", "-s", "10.9.0.0/24"); got.code != 0 {
		t.Fatal(got.err)
	}
	return "back"
}

// leaves lists the commands that do something. events runs until it is interrupted: TestWatchList has its machinery.
func leaves(c *cobra.Command) (out []string) {
	for _, sub := range c.Commands() {
		switch {
		case sub.Name() == "help", sub.Name() == "completion", sub.Name() == "events":
		case sub.HasSubCommands():
			out = append(out, leaves(sub)...)
		default:
			out = append(out, sub.CommandPath())
		}
	}
	return out
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return fmt.Sprintf("line %d\nwant %s\ngot  %s", i+1, w[i], g[i])
		}
	}
	return fmt.Sprintf("want %d lines, got %d", len(w), len(g))
}
