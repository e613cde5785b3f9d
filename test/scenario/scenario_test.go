package scenario

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/lab"
)

// programs are the binaries that scenarios run, and their packages.
var programs = map[string]string{
	"contiv": "console", "netctl": "netctl", "netmaster": "daemon/master", "netplugin": "daemon/agent", "contivk8s": "cni",
}

// build builds the programs from this source.
func build(tb testing.TB) string {
	tb.Helper()
	bin := tb.TempDir()
	for name, dir := range programs {
		cmd := exec.Command("go", "build", "-o", filepath.Join(bin, name), "github.com/contiv/contiv/"+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			tb.Fatalf("build %s: %v\n%s", name, err, out)
		}
	}
	return bin
}

// beside are the scripts for a store that is a process of its own; the others run with the embedded store.
var beside = []string{"store.txtar"}

// FLT-10: after every scenario, no master and no agent has panicked.
func TestScenarios(t *testing.T) {
	bin := build(t)
	scripts, err := filepath.Glob("*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, path := range scripts {
		if slices.Contains(beside, path) {
			continue
		}
		t.Run(strings.TrimSuffix(path, ".txtar"), func(t *testing.T) { Run(t, bin, path, lab.StoreEmbedded) })
	}
}

// TestScenariosOnEtcd runs what depends most on the store with an etcd beside the netmasters, of the distribution's version.
func TestScenariosOnEtcd(t *testing.T) { runOn(t, lab.StoreEtcd) }

// runOn runs the scripts for a store beside the netmasters, and some of the others.
func runOn(t *testing.T, store string) {
	bin := build(t)
	for _, path := range append([]string{"reach.txtar", "pool.txtar", "service-faults.txtar", "history.txtar", "claims.txtar"}, beside...) {
		t.Run(strings.TrimSuffix(path, ".txtar"), func(t *testing.T) { Run(t, bin, path, store) })
	}
}

func TestSplit(t *testing.T) {
	tests := []struct {
		in   string
		want []string
		ok   bool
	}{
		{"", nil, true},
		{"# nothing", nil, true},
		{"ping a b   # why", []string{"ping", "a", "b"}, true},
		{"  stdout 'two words' ''", []string{"stdout", "two words", ""}, true},
		{"a#b", []string{"a#b"}, true},
		{"! on h1 sh -c 'exit 1 # no'", []string{"!", "on", "h1", "sh", "-c", "exit 1 # no"}, true},
		{"open 'quote", nil, false},
	}
	for _, tt := range tests {
		got, err := split(tt.in)
		if !slices.Equal(got, tt.want) || (err == nil) != tt.ok {
			t.Errorf("%q: want %q, got %q (%v)", tt.in, tt.want, got, err)
		}
	}
}

func TestCrashed(t *testing.T) {
	for text, want := range map[string]bool{
		"time=... level=INFO msg=ready\npanic: runtime error: index out of range\n": true,
		"fatal error: concurrent map writes\n":                                      true,
		"time=... level=WARN msg=\"no panic: all is well\"\n":                       false,
		"": false,
	} {
		if got := crashed.MatchString(text); got != want {
			t.Errorf("%q: want %v, got %v", text, want, got)
		}
	}
}
