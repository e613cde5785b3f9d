// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
)

// labProgram is the program that does what "contiv lab" says. Hosts of a cluster need not have it.
const labProgram = "contiv-lab"

// newLab makes the command "lab", which becomes the program contiv-lab with the same arguments.
func newLab() *cobra.Command {
	return &cobra.Command{
		Use:                "lab",
		Short:              "Run several hosts on this machine, each with its own Open vSwitch, to try Contiv (program " + labProgram + ")",
		DisableFlagParsing: true, // the flags are those of the program
		RunE: func(_ *cobra.Command, args []string) error {
			program, err := findLab(os.Executable)
			if err != nil {
				return err
			}
			return fmt.Errorf("start %s: %w", program, unix.Exec(program, append([]string{labProgram}, args...), os.Environ()))
		},
		ValidArgsFunction: completeLab,
	}
}

// findLab returns the path of contiv-lab: beside this program, which self returns, or else in $PATH.
func findLab(self func() (string, error)) (string, error) {
	own, err := self()
	if err == nil {
		beside := filepath.Join(filepath.Dir(own), labProgram)
		if err = unix.Access(beside, unix.X_OK); err == nil {
			return beside, nil
		}
	}
	found, err := exec.LookPath(labProgram)
	if err != nil {
		return "", fmt.Errorf("the program %s is neither beside %s nor in $PATH: make build builds it, and hosts of a cluster do not need it", labProgram,
			cmp.Or(own, "contiv"))
	}
	return filepath.Abs(found)
}

// completeLab asks contiv-lab for completions. It blocks until the program ends.
func completeLab(cmd *cobra.Command, args []string, last string) ([]cobra.Completion, cobra.ShellCompDirective) {
	program, err := findLab(os.Executable)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	out, err := exec.CommandContext(cmd.Context(), program, append(append([]string{cobra.ShellCompRequestCmd}, args...), last)...).Output()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return parseCompletions(string(out))
}

// parseCompletions reads what cobra prints for a shell: lines, the last of which is a colon and the directive.
func parseCompletions(out string) ([]cobra.Completion, cobra.ShellCompDirective) {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var directive cobra.ShellCompDirective
	if _, err := fmt.Sscanf(lines[len(lines)-1], ":%d", &directive); err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return lines[:len(lines)-1], directive
}
