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
		{"help", []string{"--help"}, 0, "contiv [command]", ""},
		{"lab help", []string{"lab"}, 0, "attach", ""},
		{"unknown", []string{"paint"}, 1, "", `contiv: unknown command "paint"`},
		{"no lab", []string{"lab", "--dir", dir, "ls"}, 1, "", "contiv: there is no lab lab: contiv lab up makes one"},
		{"no lab to end", []string{"lab", "--dir", dir, "down"}, 0, "", ""},
		{"bad format", []string{"lab", "--dir", dir, "ls", "-o", "xml"}, 1, "", "one of table, json is wanted"},
		{"bad plan", []string{"lab", "--dir", dir, "up", "--hosts", "0"}, 1, "", "0 hosts"},
		{"bad store", []string{"lab", "--dir", dir, "up", "--store", "paper"}, 1, "", `store "paper"`},
		{"attach without a network", []string{"lab", "--dir", dir, "attach", "h1", "web"}, 1, "", "network"},
		{"too few arguments", []string{"lab", "--dir", dir, "kill", "h1"}, 1, "", "accepts 2 arg(s), received 1"},
		{"process 1 by hand", []string{"lab", "host", dir, "h1"}, 1, "", "not process 1"},
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
