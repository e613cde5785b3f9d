// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestRun(t *testing.T) {
	t.Setenv("PATH", "")
	tests := []struct {
		name string
		args []string
		code int
		out  string
		err  string
	}{
		{"help", []string{"--help"}, 0, "contiv [command]", ""},
		{"unknown", []string{"paint"}, 1, "", `contiv: unknown command "paint"`},
		{"the lab's program is missing", []string{"lab", "up", "--hosts", "0"}, 1, "", "contiv-lab is neither beside"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out, errs strings.Builder
			code := run(t.Context(), tt.args, streams{strings.NewReader(""), &out, &errs})
			if code != tt.code || !strings.Contains(out.String(), tt.out) || !strings.Contains(errs.String(), tt.err) {
				t.Errorf("want %d %q %q, got %d %q %q", tt.code, tt.out, tt.err, code, out.String(), errs.String())
			}
		})
	}
}

// The program beside contiv comes before one in $PATH.
func TestFindLab(t *testing.T) {
	beside, elsewhere := t.TempDir(), t.TempDir()
	t.Setenv("PATH", elsewhere)
	self := func() (string, error) { return filepath.Join(beside, "contiv"), nil }
	if got, err := findLab(self); err == nil {
		t.Errorf("got %s, want an error", got)
	}
	for _, dir := range []string{elsewhere, beside} {
		want := filepath.Join(dir, labProgram)
		if err := os.WriteFile(want, nil, 0o755); err != nil {
			t.Fatal(err)
		}
		if got, err := findLab(self); err != nil || got != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
	if got, err := findLab(func() (string, error) { return "", errors.New("unknown") }); err != nil || got != filepath.Join(elsewhere, labProgram) {
		t.Errorf("got %s, %v, want the one in $PATH", got, err)
	}
}

func TestParseCompletions(t *testing.T) {
	tests := []struct {
		name, out string
		want      []string
		directive cobra.ShellCompDirective
	}{
		{"two", "up\tMake a lab\ndown\n:4\n", []string{"up\tMake a lab", "down"}, cobra.ShellCompDirectiveNoFileComp},
		{"none", ":0\n", []string{}, cobra.ShellCompDirectiveDefault},
		{"not cobra's", "usage", nil, cobra.ShellCompDirectiveNoFileComp},
		{"empty", "", nil, cobra.ShellCompDirectiveNoFileComp},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, directive := parseCompletions(tt.out)
			if !slices.Equal(got, tt.want) || directive != tt.directive {
				t.Errorf("got %q, %d, want %q, %d", got, directive, tt.want, tt.directive)
			}
		})
	}
}
