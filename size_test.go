// SPDX-License-Identifier: Apache-2.0

package contiv_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Limits of code that a reader has to keep in mind.
const (
	mostFunction = 79  // lines of the longest function
	mostMedian   = 109 // lines of the file in the middle
)

// Functions and files of the product are short. Generated files and the test programs on the picture's first floor do not count.
func TestSizes(t *testing.T) {
	lines, all := picture(t), packages(t)
	var sizes []int
	for name, p := range all {
		if at, _ := place(lines, name); at >= 0 && lines[at].floor == "trials" {
			continue
		}
		for _, file := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, file))
			if err != nil {
				t.Fatal(err)
			}
			set := token.NewFileSet()
			parsed, err := parser.ParseFile(set, file, text, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			if ast.IsGenerated(parsed) {
				continue
			}
			sizes = append(sizes, bytes.Count(text, []byte("\n"))-2) // without the line of the licence
			for _, d := range parsed.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				if n := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1; n > mostFunction {
					t.Errorf("%s/%s: %s has %d lines, more than %d: split it", name, file, f.Name.Name, n, mostFunction)
				}
			}
		}
	}
	slices.Sort(sizes)
	if median := sizes[len(sizes)/2]; median > mostMedian {
		t.Errorf("half of the product's files have %d lines or more, which is over %d: split the long ones", median, mostMedian)
	}
}
