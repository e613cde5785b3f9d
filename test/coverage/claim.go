// SPDX-License-Identifier: Apache-2.0

package coverage

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Claim is a test that names a behaviour.
type Claim struct {
	ID   string
	Test string // "TestNET_Created", or the name of a script
	File string // slash path from the root
	Has  Level
}

// Claims finds the claims of all Go tests and scripts below root. A test claims an id by saying so, and not by merely
// mentioning it:
//
//   - a Go test in its name: TestGLB_02_to_08_Settings;
//   - a Go test or a script in a comment, by ids that begin a sentence and are followed by a colon, or by a comment of
//     nothing but ids: "// GLB-10, GLB-15: networks hold settings", "remove web # NET-19";
//   - a Go test in a string that begins with the id, the name of a row: {"GLB-07 too high", ...}.
//
// "GLB-02 to GLB-08" claims all between.
func Claims(root fs.FS) ([]Claim, error) {
	var out []Claim
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name != "." && strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || name == "test/coverage"):
			return fs.SkipDir
		case strings.HasSuffix(name, "_test.go"), strings.HasSuffix(name, ".txtar"):
		default:
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		if strings.HasSuffix(name, ".txtar") {
			out = append(out, script(name, string(text))...)
			return nil
		}
		found, err := goTests(name, text)
		out = append(out, found...)
		return err
	})
	return out, err
}

// script finds the claims of a scenario's comments.
func script(file, text string) []Claim {
	c := Claim{Test: strings.TrimSuffix(path.Base(file), ".txtar"), File: file, Has: Cluster}
	var out []Claim
	var paragraph []string // lines of nothing but a comment, in a row
	end := func() {
		out = append(out, c.of(said(strings.Join(paragraph, " ")))...)
		paragraph = nil
	}
	for line := range strings.Lines(text) {
		code, comment, has := strings.Cut(line, "#")
		if has && strings.TrimSpace(code) == "" {
			paragraph = append(paragraph, strings.TrimSpace(comment))
			continue
		}
		end()
		if has {
			out = append(out, c.of(said(comment))...)
		}
	}
	end()
	return distinct(out)
}

// goTests finds the claims of the test functions of a file.
func goTests(file string, source []byte) ([]Claim, error) {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var out []Claim
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") {
			continue
		}
		c := Claim{Test: f.Name.Name, File: file, Has: levelOf(file)}
		name := strings.ReplaceAll(strings.TrimPrefix(f.Name.Name, "Test"), "_", "-")
		out = append(out, c.of(named(strings.ReplaceAll(name, "-to-", " to ")))...)
		for _, group := range parsed.Comments {
			if group == f.Doc || f.Pos() <= group.Pos() && group.End() <= f.End() {
				out = append(out, c.of(said(strings.ReplaceAll(group.Text(), "\n", " ")))...)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil {
					out = append(out, c.of(named(text))...)
				}
			}
			return true
		})
	}
	return distinct(out), nil
}

// levelOf is what the Go tests of a file run: the agent's node tests have a real switch, master and namespaces, those of Docker
// and Kubernetes hosts of a lab.
func levelOf(file string) Level {
	switch {
	case strings.HasPrefix(file, "test/docker/"), strings.HasPrefix(file, "test/kubernetes/"):
		return Cluster
	case strings.HasPrefix(file, "daemon/agent/node/"):
		return Host
	}
	return API
}

const (
	id  = `[A-Z][A-Z0-9]+-[0-9]{2}`
	ids = `(?:` + id + `(?: to (?:[A-Z][A-Z0-9]+-)?[0-9]{2})?(?:, | and )?)+`
)

var (
	sentence = regexp.MustCompile(`(?:^|[.:;] )(` + ids + `):`)
	alone    = regexp.MustCompile(`^` + ids + `$`)
	leading  = regexp.MustCompile(`^` + ids + `(?:\W|$)`)
	oneOrAll = regexp.MustCompile(`([A-Z][A-Z0-9]+)-([0-9]{2})(?: to (?:[A-Z][A-Z0-9]+-)?([0-9]{2}))?`)
)

// said returns the ids that a comment claims.
func said(comment string) []string {
	comment = strings.TrimSpace(comment)
	if alone.MatchString(comment) {
		return expand(comment)
	}
	var out []string
	for _, m := range sentence.FindAllStringSubmatch(comment, -1) {
		out = append(out, expand(m[1])...)
	}
	return out
}

// named returns the ids that the name of a test or of a row begins with.
func named(text string) []string { return expand(leading.FindString(text)) }

// expand returns the ids in a list of them, with those between the ends of a range.
func expand(list string) []string {
	var out []string
	for _, m := range oneOrAll.FindAllStringSubmatch(list, -1) {
		first, _ := strconv.Atoi(m[2]) // two digits, by the expression
		last := first
		if m[3] != "" {
			last, _ = strconv.Atoi(m[3])
		}
		for n := first; n <= last; n++ {
			out = append(out, fmt.Sprintf("%s-%02d", m[1], n))
		}
	}
	return out
}

// of makes claims like c of ids.
func (c Claim) of(ids []string) []Claim {
	var out []Claim
	for _, c.ID = range ids {
		out = append(out, c)
	}
	return out
}

// distinct leaves out what is there already.
func distinct(claims []Claim) []Claim {
	var out []Claim
	for _, c := range claims {
		if !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}
