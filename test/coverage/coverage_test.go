// SPDX-License-Identifier: Apache-2.0

package coverage

import (
	"bytes"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

var update = flag.Bool("update", false, "write docs/dev/scenarios.md again")

const (
	root = "../.."
	page = root + "/docs/dev/scenarios.md"
)

func list(t *testing.T) []Behaviour {
	t.Helper()
	f, err := os.Open(root + "/test/scenario/ids.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out, err := Read(f)
	if err != nil {
		t.Fatalf("ids.txt: %v", err)
	}
	return out
}

// The committed page shows the tests as they are.
func TestPage(t *testing.T) {
	found, err := Claims(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	behaviours := list(t)
	for _, c := range found {
		if !slices.ContainsFunc(behaviours, func(b Behaviour) bool { return b.ID == c.ID }) {
			t.Errorf("%s: %s claims %s, which ids.txt does not list", c.File, c.Test, c.ID)
		}
	}
	want := Page(behaviours, found)
	if *update {
		if err := os.WriteFile(page, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(page)
	if err != nil || !bytes.Equal(have, want) {
		t.Errorf("%s is not up to date (%v): run make generate and commit the result", page, err)
	}
}

func TestClaims(t *testing.T) {
	files := fstest.MapFS{
		"a/x_test.go": {Data: []byte("package a\n\n// NET-19: doc.\nfunc TestNET_01_Made() { run(\"NET-02 row\") /* NET-01 */ }\n" +
			"\n// TestNear is about what NET-30 is not, unlike NET-31 (NET-32): see NET-33.\nfunc TestNear() { _ = \"not NET-34\" /* as NET-35 does */ }\n" +
			"\nfunc TestGLB_02_to_04_Set() {}\n\nfunc helper() { _ = \"NET-99\" }\n\n// Pools grow. EPG-13 to EPG-15: pools.\nfunc TestPools() {}\n")},
		"a/x.go":                         {Data: []byte("package a // NET-55\n")},
		"daemon/agent/node/n_test.go":    {Data: []byte("package node\n\nfunc TestEP_01_Seen() {}\n")},
		"test/scenario/reach.txtar":      {Data: []byte("# OVL-06: tenants.\nnetctl NET-77\nping a b # NWC-03\nping a b # as in NWC-04\n# What\n# was. NWC-05,\n# NWC-06: there\n")},
		"a/testdata/x_test.go":           {Data: []byte("not Go: NET-66")},
		"test/coverage/coverage_test.go": {Data: []byte("not Go either")},
	}
	got, err := Claims(files)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, c := range got {
		texts = append(texts, c.ID+" "+c.Test+" "+c.Has.String())
	}
	want := []string{
		"NET-01 TestNET_01_Made api", "NET-19 TestNET_01_Made api", "NET-02 TestNET_01_Made api",
		"GLB-02 TestGLB_02_to_04_Set api", "GLB-03 TestGLB_02_to_04_Set api", "GLB-04 TestGLB_02_to_04_Set api",
		"EPG-13 TestPools api", "EPG-14 TestPools api", "EPG-15 TestPools api",
		"EP-01 TestEP_01_Seen host", "OVL-06 reach cluster", "NWC-03 reach cluster",
		"NWC-05 reach cluster", "NWC-06 reach cluster",
	}
	if !slices.Equal(ordered(texts), ordered(want)) {
		t.Errorf("want\n%s\ngot\n%s", strings.Join(want, "\n"), strings.Join(texts, "\n"))
	}
}

// ordered sorts texts.
func ordered(texts []string) []string { return slices.Sorted(slices.Values(texts)) }

func TestJudge(t *testing.T) {
	api, cluster := Claim{ID: "ENF-01", Test: "TestX", File: "x_test.go", Has: API}, Claim{ID: "ENF-01", Test: "x", File: "x.txtar", Has: Cluster}
	tests := []struct {
		name  string
		needs Level
		found []Claim
		want  string
	}{
		{"no test", API, nil, absent},
		{"another's", API, []Claim{{ID: "ENF-02"}}, absent},
		{"enough", API, []Claim{api}, covered},
		{"too low", Cluster, []Claim{api}, partly},
		{"both", Cluster, []Claim{cluster, api}, covered},
	}
	for _, test := range tests {
		if got, _ := judge(Behaviour{ID: "ENF-01", Needs: test.needs}, test.found); got != test.want {
			t.Errorf("%s: want %s, got %s", test.name, test.want, got)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	tests := []struct{ text, want string }{
		{"NET-1 api x", "NET-1"},
		{"# first\nNET-01 api x\nNET-01 api y", "line 3"},
		{"NET-01 lab x", `level "lab"`},
		{"NET-01 api", "no title"},
	}
	for _, test := range tests {
		if _, err := Read(strings.NewReader(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: want a complaint with %s, got %v", test.text, test.want, err)
		}
	}
}
