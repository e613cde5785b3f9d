// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/contiv/contiv/test/machines/machine"
)

// Memory of machines in which labs of three hosts run, in MiB. /run has a tenth or a fifth of it: that of demoMemory has no room for
// stores, that of labMemory has.
const (
	demoMemory = 4000
	labMemory  = 7000
)

// environment is what Go needs on a machine: it builds without a network, and without what is built here already.
const environment = `export HOME=/root GOFLAGS='-buildvcs=false -trimpath' GOPROXY=off CGO_ENABLED=0 `

// source gives a machine the Go of this machine, its caches, and a copy of the source by the same path. It returns the lines of a
// shell that enter the source.
func source(t testing.TB, m *machine.Machine) string {
	t.Helper()
	root := checkout(t)
	out, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	dirs := strings.Fields(string(out))
	for _, dir := range dirs {
		if err := m.Mount(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	pack := exec.Command("sh", "-c", "git ls-files -z -co --exclude-standard | tar -c --null --ignore-failed-read -T - -f "+dir+"/source.tar")
	pack.Dir = root
	if out, err := pack.CombinedOutput(); err != nil {
		t.Fatalf("pack the source: %v: %s", err, out)
	}
	if err := m.Mount(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	run(t, m, "mkdir -p "+root+" && tar -x --no-same-owner -C "+root+" -f "+dir+"/source.tar && umount "+dir)
	return environment + "PATH=" + dirs[0] + "/bin:$PATH GOMODCACHE=" + dirs[1] + " GOCACHE=" + dirs[2] + "; cd " + root + " && "
}

// testPrograms builds the tests of packages into a directory, which the machine gets.
func testPrograms(t testing.TB, m *machine.Machine, packages string) string {
	t.Helper()
	dir := t.TempDir()
	build(t, "test", "-c", "-vet=off", "-o", dir+"/", packages)
	if err := m.Mount(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// build runs a command of go that makes programs which need nothing of a machine but its kernel.
func build(t testing.TB, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = checkout(t)
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false -trimpath")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %v: %v\n%s", args, err, out)
	}
}
