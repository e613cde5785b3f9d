// SPDX-License-Identifier: Apache-2.0

// Package flagstest compares pages of the documentation with the declared flags of a daemon.
package flagstest

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/flags"
)

// Lines of a page around the table of settings.
const (
	begin = "<!-- settings: go test -run TestSettingsPage -update writes them -->\n"
	end   = "<!-- end of settings -->\n"
)

// secret matches the words for which a value is a secret.
var secret = regexp.MustCompile(`password|token|secret`)

// Page reports an error unless a page has a table of all settings, with their types, defaults and variables, and if the value of a setting could be a
// secret. With update, it writes the table. run is the daemon's program.
func Page(t *testing.T, update bool, path string, run func(args ...string) []byte) {
	t.Helper()
	var settings []flags.Setting
	var schema struct {
		Properties map[string]struct{ Type, Description string }
	}
	for flag, to := range map[string]any{"--print-config=json": &settings, "--config-schema": &schema} {
		if err := json.Unmarshal(run("--config-dir=", flag), to); err != nil {
			t.Fatalf("%s: %v", flag, err)
		}
	}
	var table strings.Builder
	table.WriteString("| key | type | default | meaning | variable |\n|---|---|---|---|---|\n")
	for i := range settings {
		s := &settings[i]
		p := schema.Properties[s.Key]
		if secret.MatchString(s.Key) && !strings.HasSuffix(s.Key, "-file") {
			t.Errorf("%s: the value could be a secret, which is printed with the configuration: name a file", s.Key)
		}
		value := s.Text()
		if value != "" {
			value = "`" + value + "`"
		}
		kind := map[string]string{"string": "text", "array": "list", "integer": "number"}[p.Type]
		if kind == "" {
			kind = p.Type
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s | `%s` |\n", s.Key, kind, value, strings.ReplaceAll(p.Description, "|", `\|`), s.Variable)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ended := strings.Cut(rest, end)
	if !ok || !ended {
		t.Fatalf("%s: want the lines %q and %q", path, begin, end)
	}
	want := before + begin + "\n" + table.String() + "\n" + end + after
	if update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(text) {
		t.Errorf("%s does not have the settings of this build: run the test with -update, and commit the page", path)
	}
}
