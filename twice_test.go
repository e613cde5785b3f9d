// SPDX-License-Identifier: Apache-2.0

package contiv_test

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model/twice"
)

// No error repeats itself, within its message, within its remedy or between both.
func TestErrorsSayThingsOnce(t *testing.T) {
	found := 0
	goFiles(t, func(path string, files *token.FileSet, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		inner := map[ast.Node]bool{} // parts of chains that were read as a whole
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || inner[call] {
				return true
			}
			text := chain(call, inner)
			if text == "" {
				return true
			}
			found++
			if phrase := twice.InFormat(text); phrase != "" {
				t.Errorf("%s: %q says %q twice", files.Position(call.Pos()), text, phrase)
			}
			return true
		})
	})
	if found < 500 {
		t.Errorf("only %d errors are made in the whole tree: their constructors have other names", found)
	}
}

// makers are the functions that create an error from a text.
var makers = map[string]bool{"Errorf": true, "New": true, "Try": true, "BadUsage": true, "Because": true, "NewError": true}

// chain returns the constant text of an error and of the calls chained to it: Errorf(...).Because(...).Try(...). It returns "" for any other
// call.
func chain(call *ast.CallExpr, inner map[ast.Node]bool) string {
	fun, ok := call.Fun.(*ast.SelectorExpr)
	name := ""
	if ok {
		name = fun.Sel.Name
	} else if id, is := call.Fun.(*ast.Ident); is {
		name = id.Name
	}
	if !makers[name] {
		return ""
	}
	before := ""
	if ok {
		if former, is := fun.X.(*ast.CallExpr); is {
			inner[former] = true
			before = chain(former, inner)
		}
	}
	var texts []string
	if before != "" {
		texts = append(texts, before)
	}
	for _, arg := range call.Args {
		if text := constant(arg); strings.Contains(text, " ") || strings.Contains(text, "%") {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "; ")
}

// constant returns the text of a constant expression, "" for any other expression.
func constant(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(x.Value); err == nil && x.Kind == token.STRING {
			return text
		}
	case *ast.BinaryExpr:
		return constant(x.X) + constant(x.Y)
	case *ast.ParenExpr:
		return constant(x.X)
	}
	return ""
}
