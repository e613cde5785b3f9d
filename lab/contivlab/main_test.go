// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/lab/command"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	tests := []struct {
		name string
		args []string
		code int
		out  string
		err  string
	}{
		{"help", []string{"--help"}, 0, "contiv lab [command]", ""},
		{"no command", []string{}, 0, "attach", ""},
		{"unknown", []string{"paint"}, 1, "", `contiv: unknown command "paint" for "contiv lab"`},
		{"no lab", []string{"--dir", dir, "ls"}, 1, "", "contiv: there is no lab lab: contiv lab up makes one"},
		{"no lab to end", []string{"--dir", dir, "down"}, 0, "", ""},
		{"bad format", []string{"--dir", dir, "ls", "-o", "xml"}, 1, "", "want table or json"},
		{"bad plan", []string{"--dir", dir, "up", "--hosts", "0"}, 1, "", "hosts: got 0"},
		{"bad store", []string{"--dir", dir, "up", "--store", "paper"}, 1, "", `store: got "paper"`},
		{"attach without a network", []string{"--dir", dir, "attach", "h1", "web"}, 1, "", "network"},
		{"too few arguments", []string{"--dir", dir, "kill", "h1"}, 1, "", "accepts 2 arg(s), received 1"},
		{"process 1 by hand", []string{"host", dir, "h1"}, 1, "", "not process 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out, errs strings.Builder
			code := run(t.Context(), tt.args, command.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
			if code != tt.code || !strings.Contains(out.String(), tt.out) || !strings.Contains(errs.String(), tt.err) {
				t.Errorf("want %d %q %q, got %d %q %q", tt.code, tt.out, tt.err, code, out.String(), errs.String())
			}
		})
	}
}
