package contiv_test

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/contiv/contiv"

// floors is the picture of docs/architecture.md, section "Floors", from the ground up. A package belongs to the entry
// with the longest matching prefix, and may import only packages of lower floors, or of its own floor where `within`
// says so.
var floors = []struct {
	name     string
	within   bool // packages of this floor may import each other
	prefixes []string
}{
	{"words", true, []string{"api/model", "daemon/record", "ofnet", "ipam/bitmap"}},
	{"pure", true, []string{"ofnet/flow", "ofnet/frame", "ofnet/pipeline", "ofnet/trace", "ofnet/lacp", "ofnet/capture", "ipam", "ipam/tag", "daemon/store", "netctl/term", "api", "api/fields", "api/verdict", "build", "daemon/task", "daemon/logging", "daemon/budget"}},
	{"instruments", true, []string{"api/client", "cni/wire", "console/feed", "console/theme", "console/picture", "console/tape", "console/widget", "daemon/store/etcd", "daemon/store/consul", "daemon/store/memory", "daemon/store/embedded",
		"daemon/store/open", "daemon/store/storetest", "daemon/cluster", "daemon/flags", "daemon/socket", "ofnet/bridge", "ofnet/openflow", "ofnet/ovsdb", "ofnet/link", "ofnet/trap", "ofnet/unixctl", "ofnet/ovstest"}},
	{"engines", true, []string{"daemon/master/admit", "daemon/master/catalog", "daemon/master/commit", "daemon/master/derive", "daemon/master/endpoint", "daemon/master/fabric", "daemon/master/history", "daemon/master/oper", "daemon/master/why",
		"daemon/agent/attach", "daemon/agent/sync", "daemon/agent/podlabels", "daemon/agent/names", "daemon/agent/bgp", "daemon/agent/drift", "daemon/agent/hostaccess", "daemon/agent/responder"}},
	{"doors", true, []string{"api/rest", "daemon/door", "daemon/master/server", "daemon/master/mastertest", "daemon/agent/cniserver", "daemon/agent/inspect", "daemon/agent/node",
		"netctl/command", "console/app", "console/page", "lab", "lab/command", "lab/frr", "lab/hostinit", "test"}},
	{"programs", false, []string{"console", "netctl", "daemon/master", "daemon/agent", "cni", "api/gen"}},
}

// floorOf is the number of the floor of a package of this module, -1 when the picture does not show it.
func floorOf(path string) int {
	rel := strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
	best, length := -1, -1
	for i, f := range floors {
		for _, p := range f.prefixes {
			if (rel == p || strings.HasPrefix(rel, p+"/")) && len(p) > length {
				best, length = i, len(p)
			}
		}
	}
	return best
}

type pkg struct {
	ImportPath string
	Doc        string
	Imports    []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Doc,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p pkg
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		if p.ImportPath != module {
			all = append(all, p)
		}
	}
	return all
}

func TestFloors(t *testing.T) {
	for _, p := range packages(t) {
		own := floorOf(p.ImportPath)
		if own < 0 {
			t.Errorf("%s stands on no floor: add it to the picture in arch_test.go and docs/architecture.md", p.ImportPath)
			continue
		}
		for _, imported := range p.Imports {
			if !strings.HasPrefix(imported, module+"/") {
				continue
			}
			if f := floorOf(imported); f > own || f == own && !floors[own].within {
				t.Errorf("%s (%s) imports %s (%s): a package imports only what lies below it", p.ImportPath, floors[own].name, imported, floors[f].name)
			}
		}
	}
}

func TestForbiddenImports(t *testing.T) {
	tests := []struct{ from, to, reason string }{
		{"ofnet", "api", "ofnet is a library: it knows nothing of API objects"},
		{"ofnet", "daemon", "ofnet is a library: it knows nothing of the daemons"},
		{"ipam", "api", "ipam is a library: it knows nothing of API objects"},
		{"ipam", "daemon", "ipam is a library: it knows nothing of the daemons"},
		{"daemon/agent", "daemon/master", "agent and master meet in the store and api/client"},
		{"daemon/master", "daemon/agent", "agent and master meet in the store and api/client"},
		{"netctl", "daemon", "what netctl can do, any REST client can do"},
		{"netctl", "ofnet", "netmaster says what packets are; libraries for them take time at each start of netctl"},
		{"api/model", "api/rest", "words import nothing"},
	}
	under := func(path, dir string) bool {
		rel := strings.TrimPrefix(path, module+"/")
		return rel == dir || strings.HasPrefix(rel, dir+"/")
	}
	for _, p := range packages(t) {
		for _, test := range tests {
			if !under(p.ImportPath, test.from) {
				continue
			}
			for _, imported := range p.Imports {
				if strings.HasPrefix(imported, module+"/") && under(imported, test.to) {
					t.Errorf("%s imports %s: %s", p.ImportPath, imported, test.reason)
				}
			}
		}
	}
}

// What computes must not reach outside: no sockets, files or clocks on the two lowest floors.
func TestPureFloors(t *testing.T) {
	pure := []string{"api/model", "daemon/record", "ofnet", "ofnet/flow", "ofnet/frame", "ofnet/pipeline", "ipam", "ipam/tag", "ipam/bitmap"}
	reach := []string{"net", "net/http", "os", "os/exec", "syscall", "sync"}
	for _, p := range packages(t) {
		if !slices.Contains(pure, strings.TrimPrefix(p.ImportPath, module+"/")) {
			continue
		}
		for _, imported := range p.Imports {
			// Of api/model: status codes are net/http's, and expressions are compiled once, at first use.
			words := p.ImportPath == module+"/api/model" && (imported == "net/http" || imported == "sync")
			if slices.Contains(reach, imported) && !words {
				t.Errorf("%s imports %s: this floor computes only", p.ImportPath, imported)
			}
		}
	}
}

func TestPackagesSayWhatTheyAre(t *testing.T) {
	for _, p := range packages(t) {
		if p.Doc == "" {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}
