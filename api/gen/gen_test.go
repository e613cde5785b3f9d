// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

func TestCommittedFilesAreUpToDate(t *testing.T) {
	stale, err := generate("../..", true)
	if err != nil || len(stale) > 0 {
		t.Errorf("run make generate: %v, %v", stale, err)
	}
}

func TestSchemaRefuses(t *testing.T) {
	const whole = "name: thing\nplural: things\ndoc: A thing.\nkey: [id]\n"
	tests := []struct{ name, schema, want string }{
		{"a misspelt member", whole + "colour: red\n", "colour"},
		{"no key", "name: thing\nplural: things\ndoc: A thing.\n", "key"},
		{"a field without doc", whole + "fields:\n  - name: id\n", "field id: doc"},
		{"an unknown type", whole + "fields:\n  - {name: id, type: float, doc: x}\n", "float"},
		{"a list of nothing", whole + "fields:\n  - {name: id, type: list, doc: x}\n", "type: got \"list\", want string, int, strings or labels"},
		{"an unknown key field", whole + "fields:\n  - {name: other, doc: x}\n", `"id"`},
		{"a column of nothing", whole + "fields:\n  - {name: id, doc: x}\ncolumns:\n  - {header: X, field: nothing}\n", `"nothing"`},
		{"no sample", whole + "fields:\n  - {name: id, doc: x}\ncommand: {use: thing, names: Thing}\n", "sample"},
		{"a sample of nothing", whole + "fields:\n  - {name: id, doc: x}\nsample: {colour: red}\n", `"colour"`},
		{"a flag of nothing", whole + "fields:\n  - {name: id, doc: x}\ncommand:\n  flags:\n    - {name: x, field: nothing}\n", `"nothing"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "thing.yaml"), []byte(test.schema), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := load(dir, nil); err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "thing.yaml") {
				t.Errorf("want a complaint about %s that names the file, got %v", test.want, err)
			}
		})
	}
}

// A name identifies one kind.
func TestNamesAreDistinct(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"policy", "policies"} {
		schema := "name: " + name + "\nplural: " + name + "x\nmany: policies\ndoc: A thing.\nkey: [id]\nfields:\n  - {name: id, doc: x}\n"
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(schema), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := load(dir, nil); err == nil || !strings.Contains(err.Error(), `policies and policy are both called "policies"`) {
		t.Errorf("want the two kinds of one name, got %v", err)
	}
}

func TestNoSchema(t *testing.T) {
	var errs bytes.Buffer
	root := t.TempDir()
	if err := os.CopyFS(filepath.Join(root, "api"), fstest.MapFS{"common.yaml": {Data: []byte("fields: []\n")}}); err != nil {
		t.Fatal(err)
	}
	if code := run([]string{"-root", root, "-check"}, &errs); code != 1 || !strings.Contains(errs.String(), "no schema files") {
		t.Errorf("want exit 1 and a reason, got %d %q", code, errs.String())
	}
}
