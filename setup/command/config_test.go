// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The commands run the programs of the daemons that the host has, and print all errors.
func TestConfig(t *testing.T) {
	root, bin := t.TempDir(), t.TempDir()
	put := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(bin, "netmaster"), `#!/bin/sh
case $1 in
--print-config=json) echo '[{"key":"a"}]';;
--check-config) echo 'netmaster: f:1: one
f:2: two' >&2; exit 22;;
*) echo "a: b # $1";;
esac
`)
	put(filepath.Join(bin, "netplugin"), `#!/bin/sh
case $1 in
--print-config=json) echo '[]';;
--check-config) echo 'the configuration is valid';;
*) echo "c: d # $1";;
esac
`)
	for _, row := range []struct {
		name, file string // the file exists from now on
		args       []string
		want, err  string
	}{
		{"no daemon", "", []string{"check"}, "", "name netmaster or netplugin"},
		{"a named one", "", []string{"check", "netplugin"}, "netplugin: the configuration is valid\n", ""},
		{"one with errors", "", []string{"check", "netmaster"}, "netmaster: f:1: one\nnetmaster: f:2: two\n", "the configuration has errors: 2"},
		{"a host of an agent", "etc/contiv/host/netplugin.env", []string{"check"}, "netplugin: the configuration is valid\n", ""},
		{"print", "", []string{"print"}, "c: d # --print-config=yaml\n", ""},
		{"both", "etc/contiv/netmaster.yaml", []string{"print"}, "# netmaster\na: b # --print-config=yaml\n---\n# netplugin\nc: d # --print-config=yaml\n", ""},
		{"both as JSON", "", []string{"print", "-o", "json"}, "{\n  \"netmaster\": [\n    {\n      \"key\": \"a\"\n    }\n  ],\n  \"netplugin\": []\n}\n", ""},
		{"both checked", "", []string{"check"}, "netmaster: f:1: one\nnetmaster: f:2: two\nnetplugin: the configuration is valid\n", "the configuration has errors: 2"},
		{"another format", "", []string{"print", "-o", "xml"}, "", "-o: got xml, want yaml or json"},
		{"schema", "", []string{"schema", "netmaster"}, "a: b # --config-schema\n", ""},
		{"schema of none", "", []string{"schema"}, "", "expected netmaster or netplugin, got 0 arguments"},
		{"another daemon", "", []string{"check", "netctl"}, "", "daemon: got netctl, want netmaster or netplugin"},
	} {
		if row.file != "" {
			put(filepath.Join(root, row.file), "# empty\n")
		}
		var out bytes.Buffer
		c := newConfig()
		c.SilenceErrors, c.SilenceUsage = true, true
		c.SetOut(&out)
		c.SetArgs(append(row.args, "--root", root, "--bin", bin))
		err := c.ExecuteContext(t.Context())
		if out.String() != row.want || (err == nil) != (row.err == "") || err != nil && !strings.Contains(err.Error(), row.err) {
			t.Errorf("%s: want %q and error %q, got %q, %v", row.name, row.want, row.err, out.String(), err)
		}
	}
}
