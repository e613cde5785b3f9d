// SPDX-License-Identifier: Apache-2.0

package contiv_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxWords is the length of a page of the documentation. The rows of its tables and the lines of its generated parts do not count.
const maxWords = 1500

// longPages are the pages that are longer. This list only shrinks.
var longPages = []string{}

// pages are the paths of the Markdown files of the repository.
func pages(t *testing.T) (out []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || path == "bin") {
			return filepath.SkipDir
		}
		if err == nil && filepath.Ext(path) == ".md" {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 50 {
		t.Fatalf("pages: got %d, want at least 50", len(out))
	}
	return out
}

// prose returns the lines of a page without its blocks of code, which are fenced or indented.
func prose(text string) (out []string) {
	fenced := false
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		if !fenced && !strings.HasPrefix(line, "    ") {
			out = append(out, line)
		}
	}
	return out
}

// anchors are the fragments that lead to the headings of a page, as GitHub makes them.
func anchors(text string) map[string]bool {
	out := map[string]bool{}
	for _, line := range prose(text) {
		if m := regexp.MustCompile(`^#{1,6} +(.*)$`).FindStringSubmatch(line); m != nil {
			title := regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(m[1], "$1")
			title = regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(strings.ToLower(title), "")
			out[strings.ReplaceAll(strings.TrimSpace(title), " ", "-")] = true
		}
	}
	return out
}

var (
	linkOf = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	named  = regexp.MustCompile(`\bdocs/[a-zA-Z/-]+\.md\b`)
)

// Every relative link of every page leads to a file of the repository, and its fragment to a heading of that file.
func TestLinks(t *testing.T) {
	links := 0
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range linkOf.FindAllStringSubmatch(strings.Join(prose(string(text)), "\n"), -1) {
			link, fragment, _ := strings.Cut(m[1], "#")
			if strings.Contains(link, ":") {
				continue // another site
			}
			links++
			path := page
			if link != "" {
				path = filepath.Join(filepath.Dir(page), link)
			}
			target, err := os.ReadFile(path)
			if info, statErr := os.Stat(path); statErr == nil && info.IsDir() && fragment == "" {
				continue
			}
			if err != nil {
				t.Errorf("%s: link %q: got no file %s, want one", page, m[1], path)
			} else if fragment != "" && !anchors(string(target))[fragment] {
				t.Errorf("%s: link %q: %s has no heading of this fragment", page, m[1], path)
			}
		}
	}
	if links < 500 {
		t.Errorf("links: got %d, want at least 500: pages write links in another way", links)
	}
}

// Every page of docs that an error, a finding, a comment or a page names exists.
func TestNamedPages(t *testing.T) {
	count := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") && path != "." || path == "bin" {
				return filepath.SkipDir
			}
			return nil
		}
		if !slices.Contains([]string{".go", ".md", ".yaml", ".txtar", ".mk", ".txt", ""}, filepath.Ext(path)) || path == "docs_test.go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, name := range named.FindAllString(string(text), -1) {
			count++
			if _, err := os.Stat(name); err != nil {
				t.Errorf("%s names %s: got no such page, want one", path, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if count < 50 {
		t.Errorf("named pages: got %d, want at least 50", count)
	}
}

// Pages of the documentation are short: a reader finds one subject on each.
func TestPageLengths(t *testing.T) {
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text[:min(len(text), 500)]), "DO NOT EDIT") {
			continue // generated
		}
		words := 0
		for _, line := range strings.Split(string(text), "\n") {
			if !strings.HasPrefix(strings.TrimSpace(line), "|") {
				words += len(strings.Fields(line))
			}
		}
		switch long := slices.Contains(longPages, page); {
		case words > maxWords && !long:
			t.Errorf("%s: got %d words outside of tables, want at most %d: split it by subject", page, words, maxWords)
		case words <= maxWords && long:
			t.Errorf("%s has at most %d words now: remove it from longPages", page, maxWords)
		}
	}
}

// docs/README.md links to every page, except the generated pages of kinds, which docs/reference/README.md lists.
func TestIndex(t *testing.T) {
	index, err := os.ReadFile("docs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages(t) {
		rel, err := filepath.Rel("docs", page)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		kind := filepath.Dir(rel) == "reference" && strings.Contains(string(text[:min(len(text), 500)]), "DO NOT EDIT")
		if strings.HasPrefix(rel, "..") || rel == "README.md" || kind || strings.Contains(string(index), "]("+rel+")") {
			continue
		}
		t.Errorf("docs/README.md: got no link to %s, want one", rel)
	}
}

// glob returns the files of a pattern.
func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: got %d files, %v", pattern, len(files), err)
	}
	return files
}

// docs/reference/metrics.md has every metric that the daemons register: in full, or after "..." behind its neighbour.
func TestMetrics(t *testing.T) {
	page, err := os.ReadFile("docs/reference/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	registered, count := regexp.MustCompile(`(?:\.(?:gauge|counter|labelled)\(|\bpart\.(?:Gauge|Counter)\(|\btotal\(|\bdesc\()"([a-z_]+)"|"contiv_(?:master_|agent_)?([a-z_]+)"`), 0
	for _, files := range [][]string{glob(t, "daemon/agent/inspect/*.go"), glob(t, "daemon/master/*.go"), glob(t, "daemon/master/*/*.go"), glob(t, "daemon/master/server/*/*.go")} {
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range registered.FindAllStringSubmatch(string(text), -1) {
				name := strings.Trim(m[1]+m[2], "_")
				if strings.HasSuffix(file, "_test.go") || name == "" {
					continue
				}
				count++
				known := strings.Contains(string(page), name)
				for rest := name; !known && strings.Contains(rest, "_"); {
					_, rest, _ = strings.Cut(rest, "_")
					known = strings.Contains(string(page), "`..._"+rest+"`")
				}
				if !known {
					t.Errorf("docs/reference/metrics.md: got no %q of %s, want it", name, file)
				}
			}
		}
	}
	if count < 40 {
		t.Errorf("metrics: got %d, want at least 40: the daemons register them in another way", count)
	}
}

// Each question of docs/dev/where.md has two searches, which together find all files that its answer names.
func TestWhere(t *testing.T) {
	const path = "docs/dev/where.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	search, file := regexp.MustCompile(`(?m)^    grep -rl '([^']+)' (.+)$`), regexp.MustCompile("`([a-z0-9_/]+\\.go)`")
	sections := strings.Split(string(text), "\n## ")[1:]
	if len(sections) < 10 {
		t.Errorf("%s: got %d questions, want at least 10", path, len(sections))
	}
	for _, section := range sections {
		question, _, _ := strings.Cut(section, "\n")
		searches, found := search.FindAllStringSubmatch(section, -1), map[string]bool{}
		if len(searches) != 2 || !strings.HasSuffix(question, "?") {
			t.Errorf("%s: %q: got %d searches, want a question with 2", path, question, len(searches))
		}
		for _, m := range searches {
			hits := containing(t, m[1], strings.Fields(m[2]))
			if len(hits) == 0 || len(hits) > 30 {
				t.Errorf("%s: %q: %q: got %d files, want 1 to 30", path, question, m[0], len(hits))
			}
			for _, hit := range hits {
				found[hit] = true
			}
		}
		files := file.FindAllStringSubmatch(section, -1)
		if len(files) == 0 {
			t.Errorf("%s: %q: got no file in the answer, want one", path, question)
		}
		for _, m := range files {
			if !found[m[1]] {
				t.Errorf("%s: %q: %s: not among the hits of the searches", path, question, m[1])
			}
		}
	}
}

// containing are the Go files below dirs, other than tests, that have a term.
func containing(t *testing.T, term string, dirs []string) (out []string) {
	t.Helper()
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if err == nil && strings.Contains(string(text), term) {
				out = append(out, path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	return out
}
