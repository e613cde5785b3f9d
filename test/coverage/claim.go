package coverage

import (
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

// Claims finds the claims of all Go tests and scripts below root. A Go test claims the ids in its name, its doc comment
// and its body; a script those in its comments. "GLB-02 to GLB-08", and TestGLB_02_to_08, claim all between.
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
	var comments []string
	for line := range strings.Lines(text) {
		if _, comment, has := strings.Cut(line, "#"); has {
			comments = append(comments, comment)
		}
	}
	return claims(strings.Join(comments, " "), Claim{Test: strings.TrimSuffix(path.Base(file), ".txtar"), File: file, Has: Cluster})
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
		from := f.Pos()
		if f.Doc != nil {
			from = f.Doc.Pos()
		}
		text := string(source[fset.Position(from).Offset:fset.Position(f.End()).Offset])
		name := strings.TrimPrefix(f.Name.Name, "Test")
		out = append(out, claims(name+"\n"+text, Claim{Test: f.Name.Name, File: file, Has: levelOf(file)})...)
	}
	return out, nil
}

// levelOf is what the Go tests of a file run: the agent's node tests have a real switch, master and namespaces.
func levelOf(file string) Level {
	if strings.HasPrefix(file, "daemon/agent/node/") {
		return Host
	}
	return API
}

var mention = regexp.MustCompile(`\b([A-Z][A-Z0-9]+)[-_]([0-9]{2})(?:(?:_to_| to )(?:[A-Z][A-Z0-9]+[-_])?([0-9]{2}))?(?:\b|_)`)

// claims makes a claim like c of every id that text mentions.
func claims(text string, c Claim) []Claim {
	var out []Claim
	for _, m := range mention.FindAllStringSubmatch(text, -1) {
		first, _ := strconv.Atoi(m[2]) // two digits, by the expression
		last := first
		if m[3] != "" {
			last, _ = strconv.Atoi(m[3])
		}
		for n := first; n <= last; n++ {
			c.ID = m[1] + "-" + string(rune('0'+n/10)) + string(rune('0'+n%10))
			if !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	return out
}
