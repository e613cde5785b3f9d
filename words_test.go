// SPDX-License-Identifier: Apache-2.0

package contiv_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// The packages, types, functions, methods, fields, variables and constants of the product have the terms of docs/glossary.md in
// their names, and none of the words that its column "not" rejects for a term.
func TestWords(t *testing.T) {
	terms := rejected(t)
	lines, all := picture(t), packages(t)
	found := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if at, _ := place(lines, name); at >= 0 && lines[at].floor == "trials" {
			continue
		}
		report := func(id string, pos token.Position) {
			for _, part := range camel(id[strings.LastIndexByte(id, '.')+1:]) {
				if term := terms[part]; term != "" {
					key := name + ":" + id
					at := fmt.Sprintf("%s:%d", path.Join(name, filepath.Base(pos.Filename)), pos.Line)
					found[key] = append(found[key], fmt.Sprintf("%s: %s has %q: the term is %s", at, id, part, term))
				}
			}
		}
		report(path.Base(name), token.Position{Filename: "."})
		for _, base := range all[name].GoFiles {
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, filepath.Join(all[name].Dir, base), nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			if !ast.IsGenerated(file) {
				names(file, func(id string, pos token.Pos) { report(id, set.Position(pos)) })
			}
		}
	}
	ratchet(t, "testdata/words.txt", "Identifiers with a word that docs/glossary.md rejects.", found)
}

// rejected maps each word of the column "not" of the glossary to the term to use.
func rejected(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile("docs/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || strings.TrimSpace(cells[2]) == "not" {
			continue
		}
		for _, word := range strings.FieldsFunc(cells[2], func(r rune) bool { return !unicode.IsLower(r) }) {
			if out[word] != "" {
				t.Errorf("docs/glossary.md rejects %q twice, for %s and for %s", word, out[word], cells[0])
			}
			out[word] = strings.TrimSpace(cells[0])
		}
	}
	if len(out) < 30 {
		t.Errorf(`the column "not" of docs/glossary.md has only %d words: its tables look different now`, len(out))
	}
	return out
}

// names calls visit for the declarations of a file: methods as Type.Method and fields as Type.Field.
func names(file *ast.File, visit func(id string, pos token.Pos)) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			visit(receiver(d)+d.Name.Name, d.Name.Pos())
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						visit(id.Name, id.Pos())
					}
				case *ast.TypeSpec:
					visit(spec.Name.Name, spec.Name.Pos())
					members(spec, visit)
				}
			}
		}
	}
}

// members calls visit for the fields of a struct and the methods of an interface, and for those of the types within.
func members(spec *ast.TypeSpec, visit func(id string, pos token.Pos)) {
	ast.Inspect(spec.Type, func(n ast.Node) bool {
		var list *ast.FieldList
		switch n := n.(type) {
		case *ast.StructType:
			list = n.Fields
		case *ast.InterfaceType:
			list = n.Methods
		default:
			return true
		}
		for _, f := range list.List {
			for _, id := range f.Names {
				visit(spec.Name.Name+"."+id.Name, id.Pos())
			}
		}
		return true
	})
}

// receiver returns the type of a method with a dot, "" for a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	name := ""
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name + "."
		}
		return true
	})
	return name
}

// camel splits a name into its parts, in lower case: "maxHTTPSize2" has max, http and size.
func camel(name string) (parts []string) {
	runes := []rune(name)
	start := 0
	cut := func(end int) {
		if part := strings.ToLower(strings.Trim(string(runes[start:end]), "_0123456789")); part != "" {
			parts = append(parts, part)
		}
		start = end
	}
	for i := 1; i < len(runes); i++ {
		lower := func(i int) bool { return i < len(runes) && unicode.IsLower(runes[i]) }
		if !unicode.IsLower(runes[i]) && (lower(i-1) || lower(i+1)) && i > start {
			cut(i)
		}
	}
	cut(len(runes))
	return parts
}

func TestCamel(t *testing.T) {
	for name, want := range map[string]string{
		"seen": "seen", "seenWhen": "seen when", "maxHTTPSize2": "max http size", "HTTP": "http", "almostAll": "almost all", "A": "a", "VTEPOf": "vtep of", "is_set": "is set",
	} {
		if got := strings.Join(camel(name), " "); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
