// SPDX-License-Identifier: Apache-2.0

package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/master/mastertest"
)

// The console uses the contexts of netctl: that of the command line, else the current one, unless NETMASTER is set.
func TestContexts(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	home := t.TempDir()
	path := filepath.Join(home, ".config", "contiv", "config.yaml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	text := "clusters: {here: {servers: [" + m.URL + "]}}\ncontexts: {here: {cluster: here}, there: {}}\ncurrent-context: here\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, netmaster string
		args            []string
		want            string // in the output, or the error
	}{
		{"the current context", "", nil, "default"},
		{"the context of the command line", "http://127.0.0.1:1", []string{"--context", "here"}, "default"},
		{"a variable", "http://127.0.0.1:1", nil, "127.0.0.1:1"},
		{"an unknown context", "", []string{"--context", "her"}, "did you mean here?"},
	} {
		var out strings.Builder
		cmd := NewCommand(strings.NewReader(""), &out, func(name string) string {
			return map[string]string{"HOME": home, "NETMASTER": row.netmaster}[name]
		}, func() string { return "" })
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs(append(row.args, "--once", "--screen", "tenants"))
		got := ""
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			got = err.Error()
		}
		if !strings.Contains(got+out.String(), row.want) {
			t.Errorf("%s: want %q, got %s\n%s", row.name, row.want, got, &out)
		}
	}
}
