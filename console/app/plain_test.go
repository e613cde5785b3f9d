// SPDX-License-Identifier: Apache-2.0

package app

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/master/mastertest"
)

// plainly runs the console in plain mode over lines, and returns what it prints.
func plainly(t *testing.T, lines string) string {
	t.Helper()
	m := mastertest.Start(t, mastertest.Options{})
	var out strings.Builder
	cmd := NewCommand(strings.NewReader(lines), &out, func(name string) string { return map[string]string{"HOME": t.TempDir()}[name] }, func() string { return "" })
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs([]string{"--netmaster", m.URL, "--plain"})
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	return out.String()
}

// In plain mode, a line is a page, a filter or keys, and pages are text without empty lines.
func TestPlain(t *testing.T) {
	got := plainly(t, ":tenants\nenter\nesc\n/nothing\n:nowhere\nfoo\n?\nq\nxyzzy\n")
	for _, want := range []string{
		"contiv > overview",         // the first page
		"> tenants",                 // a page by its name
		"$ netctl tenant",           // its command
		"filter nothing",            // a filter
		`got "foo", want a key`,     // no key
		"go to a page, such as",     // the help
		"filter by a regular expre", // of the console's keys
	} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
	for line := range strings.Lines(got) {
		if rule.MatchString(strings.TrimSuffix(line, "\n")) && line != "\n" || strings.ContainsAny(line, "\x1b─│▶") {
			t.Errorf("want text only, got %q", line)
		}
	}
	if strings.Contains(got, "xyzzy") {
		t.Error("lines after q were read")
	}
}

func TestPressOf(t *testing.T) {
	for _, row := range []struct{ name, want string }{
		{"enter", "enter"}, {"pgdn", "pgdown"}, {"ctrl+p", "ctrl+p"}, {"f5", "f5"}, {"alt+x", "alt+x"}, {"G", "G"}, {"esc", "esc"}, {"space", "space"}, {"/", "/"},
	} {
		if got, err := pressOf(row.name); err != nil || got.String() != row.want {
			t.Errorf("%s: got %q, %v, want %q", row.name, got.String(), err, row.want)
		}
	}
	for _, name := range []string{"enterr", "f0", "f21", "ctrl+", ""} {
		if got, err := pressOf(name); err == nil {
			t.Errorf("%s: got %q, want an error", name, got.String())
		}
	}
}
