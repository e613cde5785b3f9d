// SPDX-License-Identifier: Apache-2.0

package contiv_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/contiv/contiv/"

// pkg is a package of this module as the go command describes it; names are relative to the module.
type pkg struct {
	ImportPath string
	Dir        string
	Doc        string
	GoFiles    []string
	Imports    []string
}

// own lists the packages of this module that the package imports.
func (p *pkg) own() (out []string) {
	for _, i := range p.Imports {
		if name, ok := strings.CutPrefix(i, module); ok {
			out = append(out, name)
		}
	}
	return out
}

// packages returns all packages of the module, by name.
func packages(t *testing.T) map[string]*pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,Doc,GoFiles,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	all := map[string]*pkg{}
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		p := &pkg{}
		if err := d.Decode(p); err != nil {
			t.Fatal(err)
		}
		if name, ok := strings.CutPrefix(p.ImportPath, module); ok {
			all[name] = p
		}
	}
	return all
}

// line is a line of the picture of docs/architecture.md, section "Floors": packages that may not import each other.
type line struct {
	floor   string
	entries []string // names of packages; one that ends with /... stands for what is below it too
}

// holds reports whether the line has a package, and as which entry.
func (l *line) holds(name string) (entry string, ok bool) {
	i := slices.IndexFunc(l.entries, func(e string) bool {
		root, tree := strings.CutSuffix(e, "/...")
		return name == root || tree && strings.HasPrefix(name, root+"/")
	})
	if i < 0 {
		return "", false
	}
	return l.entries[i], true
}

// picture reads the lines, from the ground up.
func picture(t *testing.T) (lines []line) {
	t.Helper()
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Floors\n")
	_, drawn, _ := strings.Cut(section, "```\n")
	drawn, _, _ = strings.Cut(drawn, "```")
	floor := ""
	for text := range strings.Lines(drawn) {
		words := strings.Fields(text)
		if !strings.HasPrefix(text, "  ") {
			floor, words = words[0], words[1:]
		}
		words = slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, "(") })
		l := line{floor: floor}
		for _, w := range words {
			l.entries = append(l.entries, spread(w)...)
		}
		lines = append(lines, l)
	}
	if len(lines) < 2 {
		t.Fatal("docs/architecture.md: section Floors has no picture")
	}
	slices.Reverse(lines)
	return lines
}

// spread expands a/{b,c} to a/b and a/c.
func spread(word string) (out []string) {
	root, list, ok := strings.Cut(strings.TrimSuffix(word, "}"), "{")
	if !ok {
		return []string{word}
	}
	for name := range strings.SplitSeq(list, ",") {
		out = append(out, root+name)
	}
	return out
}

// place finds a package in the picture. The line is -1 if the picture lacks it.
func place(lines []line, name string) (at int, entry string) {
	for i := range lines {
		if e, ok := lines[i].holds(name); ok {
			return i, e
		}
	}
	return -1, ""
}

func TestFloors(t *testing.T) {
	lines, all := picture(t), packages(t)
	for name, p := range all {
		at, entry := place(lines, name)
		if at < 0 {
			t.Errorf("%s stands on no floor: add it to the picture in docs/architecture.md", name)
			continue
		}
		for _, imported := range p.own() {
			if i, e := place(lines, imported); i > at || i == at && e != entry {
				t.Errorf("%s (%s) imports %s (%s): a package imports only what stands on a lower line of the picture in docs/architecture.md",
					name, lines[at].floor, imported, lines[i].floor)
			}
		}
	}
	for _, l := range lines {
		for _, e := range l.entries {
			if all[strings.TrimSuffix(e, "/...")] == nil && !strings.HasSuffix(e, "/...") {
				t.Errorf("docs/architecture.md: there is no package %s", e)
			}
		}
	}
}

// Some packages must not import others, directly or indirectly.
func TestForbiddenImports(t *testing.T) {
	tests := []struct{ from, to, reason string }{
		{"ofnet", "api", "ofnet is a library: it knows nothing of API objects"},
		{"ofnet", "daemon", "ofnet is a library: it knows nothing of the daemons"},
		{"ipam", "api", "ipam is a library: it knows nothing of API objects"},
		{"ipam", "daemon", "ipam is a library: it knows nothing of the daemons"},
		{"api", "daemon", "the API is shared by clients and daemons, and independent of the daemons"},
		{"daemon/agent", "daemon/master", "agent and master meet in the store and daemon/channel"},
		{"daemon/master", "daemon/agent", "agent and master meet in the store and daemon/channel"},
		{"daemon/agent", "daemon/store", "agents receive everything from netmasters: no store is opened on their hosts"},
		{"netctl", "daemon", "netctl is a REST client like any other"},
		{"netctl", "ofnet", "netmaster describes packets; libraries for them take time at each start of netctl"},
		{"console/app", "daemon", "the console is a REST client like any other"},
		{"cni", "daemon", "the kubelet starts it for each pod: it is small, and the agent does the work"},
		{"api/model", "api/rest", "words import nothing"},
	}
	under := func(name, dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }
	all := packages(t)
	for _, test := range tests {
		for name := range all {
			if !under(name, test.from) {
				continue
			}
			if way := wayTo(all, name, func(n string) bool { return under(n, test.to) }); way != nil {
				t.Errorf("%s: %s", strings.Join(way, " imports "), test.reason)
			}
		}
	}
}

// wayTo returns the shortest chain of imports from a package to one for which meant returns true, or nil.
func wayTo(all map[string]*pkg, from string, meant func(string) bool) []string {
	seen := map[string]bool{from: true}
	for ways := [][]string{{from}}; len(ways) > 0; ways = ways[1:] {
		for _, next := range all[ways[0][len(ways[0])-1]].own() {
			way := append(slices.Clone(ways[0]), next)
			if meant(next) {
				return way
			}
			if !seen[next] {
				seen[next] = true
				ways = append(ways, way)
			}
		}
	}
	return nil
}

func TestPackagesSayWhatTheyAre(t *testing.T) {
	for name, p := range packages(t) {
		if p.Doc == "" {
			t.Errorf("%s has no package comment", name)
		}
	}
}
