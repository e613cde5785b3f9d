// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/netctl/term"
)

// atHome runs a command line with a home directory, and without NETMASTER.
func atHome(t *testing.T, home, line string) result {
	t.Helper()
	var out, errs bytes.Buffer
	f := &Factory{Streams: term.Streams{In: strings.NewReader(""), Out: &out, Err: &errs, Now: time.Now}, Home: home, Getenv: func(string) string { return "" }, Host: func() string { return "http://127.0.0.1:1" }}
	code := Run(context.Background(), f, strings.Fields(line))
	return result{code, out.String(), errs.String()}
}

// A user makes contexts, and commands use the current one with its tenant, or that of the command line.
func TestContexts(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	home := t.TempDir()
	for _, step := range []struct {
		line string
		code int
		out  string // in the output
		err  string
	}{
		{"config get-contexts", 0, "Current  Name  Cluster  User  Tenant  Servers", ""},
		{"config current-context", term.Local, "", "there is no current context: netctl config use-context NAME"},
		{"config set-context", term.Usage, "", "expected NAME or --current"},
		{"config set-context prod --server " + m.URL + " --tenant blue", 0, `Context "prod" created.`, ""},
		{"config set-context dead --server http://127.0.0.1:1 --cluster far", 0, `Context "dead" created.`, ""},
		{"config set-context lost --cluster farr --user x", 0, `Context "lost" created.`, ""},
		{"config use-context prd", term.Local, "", "got no context prd, want one of dead, lost, prod: did you mean prod?"},
		{"config use-context prod", 0, `Switched to context "prod".`, ""},
		{"config current-context", 0, "prod\n", ""},
		{"config get-contexts", 0, "*        prod  prod           blue    1", ""},
		{"config get-contexts prod -o json", 0, `"tenant": "blue"`, ""},
		{"config get-contexts -o name", 0, "dead\nlost\nprod\n", ""},
		{"config get-contexts -o xml", term.Usage, "", "want table, wide, json"},
		{"config view", 0, "current-context: prod", ""},
		{"config view -o json", 0, `"current-context": "prod"`, ""},
		{"tenant create blue", 0, "Creating tenant: blue", ""},
		{"network create n1 -s 10.1.1.0/24", 0, "Creating network blue:n1", ""},
		{"network ls", 0, "blue    n1", ""},
		{"network ls -t default", 0, "----\n", ""},
		{"--context prod network ls -q", 0, "n1\n", ""},
		{"--context=prod network inspect n1", 0, `"networkName": "n1"`, ""},
		{"--context prod --netmaster " + m.URL + " network ls -q", 0, "n1\n", ""},
		{"--netmaster " + m.URL + " network ls", 0, "----\n", ""},
		{"--context prdo tenant ls", term.Local, "", "did you mean prod?"},
		{"config set-context --current --tenant red", 0, `Context "prod" modified.`, ""},
		{"network ls", 3, "", "tenant not found"},
		{"config delete-context prod", 0, `Deleted context "prod".`, ""},
		{"config set-context --current --tenant red", term.Local, "", "there is no current context"},
		{"config delete-context prod", term.Local, "", "got no context prod"},
	} {
		got := atHome(t, home, step.line)
		if got.code != step.code || !strings.Contains(got.out, step.out) || !strings.Contains(got.err, step.err) || step.err == "" && got.err != "" {
			t.Errorf("netctl %s: want exit %d, %q and %q, got %+v", step.line, step.code, step.out, step.err, got)
		}
	}
	path := filepath.Join(home, ".config", "contiv", "config.yaml")
	if err := os.WriteFile(path, []byte("contexts: {a: {tenent: b}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"tenant ls", "config view"} {
		if got := atHome(t, home, line); got.code != term.Local || !strings.Contains(got.err, path+":1: unknown key tenent: did you mean tenant?") {
			t.Errorf("netctl %s with a wrong file: got %+v", line, got)
		}
	}
}
