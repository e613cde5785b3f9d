package contiv_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs/findings.md has a row for every code that the product's checks give, and no other.
func TestFindings(t *testing.T) {
	page, err := os.ReadFile("docs/findings.md")
	if err != nil {
		t.Fatal(err)
	}
	documented, given := map[string]bool{}, map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		documented[m[1]] = true
	}
	code := regexp.MustCompile(`(?:\bCode: |\bnote\(|\bwrong\(|\bf\.Code, .*= |\bf\.Code = )"([a-z-]+)"`)
	for _, dir := range []string{"daemon/agent/hostcheck", "daemon/agent/check", "daemon/agent/pathprobe", "daemon/agent/conflicts", "daemon/master/health", "daemon/master/server/doctor"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			for _, m := range code.FindAllStringSubmatch(string(text), -1) {
				given[m[1]] = true
			}
		}
	}
	if len(given) < 20 {
		t.Errorf("only %d codes are found in the checks: they are written in another way", len(given))
	}
	for c := range given {
		if !documented[c] {
			t.Errorf("docs/findings.md has no row of %q", c)
		}
	}
	for c := range documented {
		if !given[c] {
			t.Errorf("docs/findings.md has a row of %q, which no check gives", c)
		}
	}
}
