// SPDX-License-Identifier: Apache-2.0

package contiv_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// logKeys are the keys of log lines. Each kind of value has one key in all log lines; a new key is added here.
var logKeys = strings.Fields(`
	address adopted after as authorities bond bytes by cluster code command component condition conflicts container control difference differences dropped duration endpoint endpoints
	enough error file flag freed from holder host id identity incarnation interface is key kind machine member method mtu netns network object open owner panic partner
	path peers phase port prefix profile protected quota reason records released repairing requests restarting retry revision role routes shard socket stack
	status store subnet tasks term to until uplinks used user version vtep want was`)

// goFiles calls visit for every Go file of the tree.
func goFiles(t *testing.T, visit func(path string, set *token.FileSet, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err == nil {
			visit(path, set, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Log lines use one key for each kind of value, and no declaration shadows a builtin.
func TestNames(t *testing.T) {
	used := map[string]bool{}
	goFiles(t, func(path string, set *token.FileSet, file *ast.File) {
		report := func(word string, at token.Pos, text string) {
			t.Errorf("%s: %s: %s", set.Position(at), word, text)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			for _, id := range declared(n) {
				if types.Universe.Lookup(id.Name) != nil {
					report(id.Name, id.Pos(), "shadows a builtin: give it a specific name")
				}
			}
			if m, ok := n.(*ast.MapType); ok {
				if key, ok := m.Key.(*ast.Ident); ok && key.Name == "bool" {
					report("bool", m.Pos(), "is no key for a map: an if says it")
				}
			}
			for _, key := range keysOf(path, n) {
				word, err := strconv.Unquote(key.Value)
				used[word] = true
				if err != nil || !slices.Contains(logKeys, word) {
					report(word, key.Pos(), "is no key of log lines: take one of logKeys in style_test.go, or add it there")
				}
			}
			return true
		})
	})
	for _, key := range logKeys {
		if !used[key] {
			t.Errorf("no log line has the key %q: remove it from logKeys", key)
		}
	}
}

// declared returns the identifiers that a node declares. Fields and methods shadow nothing.
func declared(n ast.Node) (out []*ast.Ident) {
	fields := func(lists ...*ast.FieldList) {
		for _, l := range lists {
			if l == nil {
				continue
			}
			for _, f := range l.List {
				out = append(out, f.Names...)
			}
		}
	}
	define := func(tok token.Token, all ...ast.Expr) {
		for _, x := range all {
			if id, ok := x.(*ast.Ident); ok && tok == token.DEFINE {
				out = append(out, id)
			}
		}
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		define(n.Tok, n.Lhs...)
	case *ast.RangeStmt:
		define(n.Tok, n.Key, n.Value)
	case *ast.ValueSpec:
		out = n.Names
	case *ast.TypeSpec:
		out = append(out, n.Name)
		fields(n.TypeParams)
	case *ast.FuncType:
		fields(n.TypeParams, n.Params, n.Results)
	case *ast.FuncDecl:
		if fields(n.Recv); n.Recv == nil {
			out = append(out, n.Name)
		}
	}
	return out
}

// keysOf returns the keys that a call logs, nil for any other node.
func keysOf(path string, n ast.Node) (out []*ast.BasicLit) {
	call, ok := n.(*ast.CallExpr)
	if !ok || strings.HasSuffix(path, "_test.go") {
		return nil
	}
	fun, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	first := map[string]int{"With": 0, "Debug": 1, "Info": 1, "Warn": 1, "Error": 1, "Log": 3}
	at, ok := first[fun.Sel.Name]
	if !ok || at > 0 && (len(call.Args) < at || constant(call.Args[at-1]) == "") {
		return nil
	}
	for ; at < len(call.Args); at += 2 {
		if key, ok := call.Args[at].(*ast.BasicLit); ok && key.Kind == token.STRING {
			out = append(out, key)
		}
	}
	return out
}
