// SPDX-License-Identifier: Apache-2.0

package contiv_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// phrase is wording that the documentation, comments and strings of this project do not use.
type phrase struct {
	pattern string // a regular expression; a space matches any white space
	except  string // a regular expression of what stays allowed although the pattern matches it; "": nothing
	instead string
}

var phrases = []phrase{
	{`told|tells?|telling`, ``, "report, send, say, return or show"},
	{`heard`, `json:"heard`, "received, seen or known"},
	{`anew|made again`, ``, "again, recreated"},
	{`so many`, ``, "the number of, a limit"},
	{`(go|goes|went|going) on`, ``, "continue"},
	{`alone`, `(leave|leaves|left|leaving|let)( \S+){0,3} alone|\S+-alone|standalone|(?-i:Alone)|^alone$|or "alone`, "only, before its word"}, // "alone" is a value of the API
	{`no more`, `no more than`, "no longer, not"},
	{`looked at`, ``, "checked, read or examined"},
	{`at the most`, ``, "at most"},
	{`all the same`, ``, "nevertheless, in any case"},
	{`what there is`, ``, "the existing ones, by their noun"},
	{`(is|are|was|were|be) wanted`, ``, "expected, required"},
	{`(is|are|was|were|be|been) (waited for|looked for|spoken of|thought of|said)`, ``, "an active verb with its subject"},
	{`(stands?|stood) in`, `(stands?|stood) in for`, "is in"},
	{`whoever`, ``, "the noun: a user, a client"},
	{`in vain`, ``, "without success, failed"},
	{`folders?`, ``, "directory"},
	{`says? (whether|what|why|how|which|who)`, ``, "reports whether, describes, names or returns"},
	{`under way`, ``, "in progress"},
	{`(^|[.!?] )(What|Whatever|Whoever|Who) [^.?!:]+[.!]`, ``, "a noun as the subject of the sentence"},
	{`(^|[.!?] )One (that|who|whose|of them that) `, ``, "a noun as the subject of the sentence"},
}

// The documentation, comments and strings use plain English: see "Language" in CONTRIBUTING.md.
func TestPhrases(t *testing.T) {
	var patterns, excepts []*regexp.Regexp
	var all []string
	for _, p := range phrases {
		all = append(all, p.pattern)
		patterns = append(patterns, spaced(p.pattern))
		excepts = append(excepts, spaced(p.except))
	}
	found, some := map[string][]string{}, regexp.MustCompile("(?i)"+strings.ReplaceAll(strings.Join(all, "|"), " ", `\s+`))
	read := func(path string, line int, text string) {
		if !some.MatchString(text) {
			return // most texts: one search is faster than one per phrase
		}
		for i, p := range phrases {
			kept := excepts[i].FindAllStringIndex(text, -1)
			for _, at := range patterns[i].FindAllStringIndex(text, -1) {
				if p.except != "" && within(at, kept) {
					continue
				}
				quoted := strings.Join(strings.Fields(text[at[0]:at[1]]), " ")
				dir := filepath.ToSlash(filepath.Dir(path))
				found[dir] = append(found[dir], fmt.Sprintf("%s:%d: %q: use %s", path, line+strings.Count(text[:at[0]], "\n"), quoted, p.instead))
			}
		}
	}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch generated := strings.HasPrefix(path, filepath.Join("docs", "reference")); {
		case err != nil || d.IsDir() || generated:
			return err
		case filepath.Ext(path) == ".md", filepath.Ext(path) == ".yaml" && strings.HasPrefix(path, "api"+string(filepath.Separator)):
			text, err := os.ReadFile(path)
			if err == nil && !strings.Contains(string(text[:min(len(text), 500)]), "DO NOT EDIT") {
				read(path, 1, examples.ReplaceAllString(string(text), ""))
			}
			return err
		case filepath.Ext(path) == ".go" && path != "phrases_test.go":
			return readGo(path, read)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	ratchet(t, "testdata/phrases.txt", "Phrases to avoid, per directory: see Language in CONTRIBUTING.md.", found)
}

// spaced compiles a pattern of whole words.
func spaced(pattern string) *regexp.Regexp {
	if !strings.HasPrefix(pattern, "(^") {
		pattern = `\b(?i:` + pattern + `)\b`
	}
	return regexp.MustCompile(strings.ReplaceAll(pattern, " ", `\s+`))
}

// within reports whether one of ranges includes at.
func within(at []int, ranges [][]int) bool {
	for _, r := range ranges {
		if r[0] <= at[0] && at[1] <= r[1] {
			return true
		}
	}
	return false
}

// examples are the parts of pages that show what to avoid, headings, whose form is free, and the marks of lists and tables.
var examples = regexp.MustCompile(`(?s:\n## Language\n.*?\n## )|(?m:^\| [^|\n]* \| [^|\n]* \| [a-z, ]*\|$|^#+ .*$|^\s*[-*|] |^\s*\d+\. )`)

// readGo calls read for the comments and the strings of a file that is not generated.
func readGo(path string, read func(path string, line int, text string)) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(file) {
		return err
	}
	for _, group := range file.Comments {
		var lines []string
		for _, c := range group.List {
			text := strings.TrimPrefix(strings.TrimPrefix(c.Text, "//"), "/*")
			lines = append(lines, strings.TrimPrefix(text, " "))
		}
		read(path, set.Position(group.Pos()).Line, strings.Join(lines, "\n"))
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				read(path, set.Position(lit.Pos()).Line, text)
			}
		}
		return true
	})
	return nil
}
