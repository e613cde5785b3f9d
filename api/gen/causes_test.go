// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A code without an entry in the table of causes is refused, so that its variable does not exist and what reports it does not compile.
func TestCauses(t *testing.T) {
	const rest = "\n  by: [netmaster]\n  severity: [error]\n  summary: \"It is so.\"\n  remedy: \"Do it.\"\n"
	for _, row := range []struct{ name, in, want string }{
		{"entries", "- code: a\n  cut: host\n  explains: {host: [b]}" + rest + "- code: b\n  cut: nothing\n  explains: {}" + rest, ""},
		{"no cut", "- code: a\n  explains: {}" + rest, `finding "a": cut: got "", want one of`},
		{"no entry", "- code: a\n  cut: host" + rest, `finding "a": explains: got nothing, want`},
		{"an unknown relation", "- code: a\n  cut: host\n  explains: {near: [a]}" + rest, `explains: got "near", want one of`},
		{"an unknown code", "- code: a\n  cut: host\n  explains: {host: [b]}" + rest, `finding "a" explains "b", which is not declared`},
		{"itself", "- code: a\n  cut: host\n  explains: {host: [a]}" + rest, "a explains a"},
		{"a cycle", "- code: a\n  cut: host\n  explains: {host: [b]}" + rest + "- code: b\n  cut: host\n  explains: {paths: [c]}" + rest + "- code: c\n  cut: host\n  explains: {cluster: [b]}" + rest, "b explains c explains b"},
	} {
		t.Run(row.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "findings.yaml")
			if err := os.WriteFile(path, []byte(row.in), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := loadFindings(path)
			if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
				t.Errorf("want %q, got %v", row.want, err)
			}
		})
	}
}
