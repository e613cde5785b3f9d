// SPDX-License-Identifier: Apache-2.0

package contiv_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
)

// Every code of api/findings.yaml is reported by the product: a code without a check would have documentation without an effect. The
// compiler holds the other direction, since no other package can make a code.
func TestFindings(t *testing.T) {
	used := map[string]bool{}
	for name, p := range packages(t) {
		if !strings.HasPrefix(name, "daemon/") {
			continue
		}
		for _, file := range p.GoFiles {
			parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if of, ok := s.X.(*ast.Ident); ok && of.Name == "model" {
						used[s.Sel.Name] = true
					}
				}
				return true
			})
		}
	}
	names := codeNames(t)
	for _, c := range model.FindingCodes() {
		if name := names[c.Code.String()]; !used[name] {
			t.Errorf("no daemon reports %s (model.%s): delete it from api/findings.yaml, or report it", c.Code, name)
		}
	}
	if want := len(model.FindingCodes()); len(names) != want {
		t.Errorf("got %d variables of codes in api/model, want the %d codes of the table: %v", len(names), want, slices.Sorted(maps.Keys(names)))
	}
}

// codeNames are the variables of the codes, by the text of each.
func codeNames(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("api/model/findings_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if _, code, found := strings.Cut(rest, "FindingCode{\""); found && strings.HasPrefix(name, "Finding") {
			code, _, _ = strings.Cut(code, "\"")
			out[code] = name
		}
	}
	return out
}
