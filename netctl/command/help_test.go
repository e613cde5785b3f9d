// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Every command shows an example in its help, which netctl accepts.
func TestEveryHelpHasAnExample(t *testing.T) {
	whole := func() *cobra.Command { return newRoot(&Factory{Getenv: func(string) string { return "" }}, "") }
	for _, c := range runnable(whole()) {
		if c.Example == "" {
			t.Errorf("%s has no example: add it to helpExamples", c.CommandPath())
		}
		for line := range strings.Lines(c.Example) {
			args, ok := strings.CutPrefix(strings.TrimSpace(line), "netctl ")
			if !ok {
				t.Errorf("%s: the example %q is no command line of netctl", c.CommandPath(), line)
				continue
			}
			if strings.HasPrefix(args, "web ") { // an alias
				continue
			}
			root := whole()
			cmd, rest, err := root.Find(doubled(root, words(args)))
			if err == nil {
				err = cmd.ParseFlags(rest)
			}
			if err == nil {
				err = cmd.ValidateArgs(cmd.Flags().Args())
			}
			if err != nil {
				t.Errorf("%s: the example %q is refused: %v", c.CommandPath(), line, err)
			}
		}
	}
}

// The help of netctl lists every command in a group, and each group has commands.
func TestHelpIsGrouped(t *testing.T) {
	root := newRoot(&Factory{Getenv: func(string) string { return "" }}, "")
	root.InitDefaultCompletionCmd()
	have := map[string]int{}
	for _, c := range root.Commands() {
		if c.GroupID == "" {
			t.Errorf("%s is in no group", c.Name())
		}
		have[c.GroupID]++
	}
	for _, g := range root.Groups() {
		if have[g.ID] == 0 {
			t.Errorf("group %s has no command", g.ID)
		}
	}
}

// Mistyped commands, flags and kinds are followed by what is similar.
func TestSuggestions(t *testing.T) {
	for line, want := range map[string]string{
		"stauts":                     "did you mean status?",
		"network create --tennant x": "unknown flag: --tennant: did you mean --tenant?",
		"get netwrok":                `unknown kind "netwrok": did you mean network?`,
		"describe grop x":            `unknown kind "grop": did you mean group?`,
		"network lss":                "did you mean ls?",
	} {
		got := netctl(t, t.Context(), "http://127.0.0.1:1", strings.Fields(line)...)
		if got.code != 1 || !strings.Contains(got.err, want) {
			t.Errorf("netctl %s: want %q, got %+v", line, want, got)
		}
	}
}
