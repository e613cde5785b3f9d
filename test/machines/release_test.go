// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contiv/contiv/test/machines/machine"
)

var (
	release = flag.String("release", "bookworm", "release of Debian that the machines have, by name or number")
	all     = flag.Bool("all", false, "run every scenario, not those that cover most of the pipeline")
)

// checkout is the root of the source.
func checkout(t testing.TB) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// parts are what the machines are booted from.
func parts(t testing.TB) machine.Parts {
	t.Helper()
	r, err := machine.FindRelease(*release)
	if err != nil {
		t.Fatal(err)
	}
	p, err := cache(t).Find(r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// standName is a stand's name: tests run side by side, and so do runs of tests.
func standName(t testing.TB) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(t.Name(), "Test"), "/")
	return fmt.Sprintf("%s%d", strings.ToLower(name), os.Getpid())
}

// cache is where the parts are kept.
func cache(t testing.TB) machine.Cache {
	t.Helper()
	return machine.Cache{Dir: filepath.Join(checkout(t), ".cache", "machines"), Kernels: os.Getenv(machine.KernelsVariable), Log: t.Output()}
}

// boot boots machines on a stand, which is gone when the test ends. Of a test that fails the consoles are printed.
func boot(t testing.TB, count int, spec machine.Spec) []*machine.Machine {
	t.Helper()
	return bootNamed(t, standName(t), count, spec)
}

// bootNamed boots machines on a stand of that name, as boot does.
func bootNamed(t testing.TB, name string, count int, spec machine.Spec) []*machine.Machine {
	t.Helper()
	spec.Parts = parts(t)
	s, err := machine.New(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	var out []*machine.Machine
	for range count {
		m, err := s.Add(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("console of %s:\n%s", m.Name, m.Console(40))
			}
		})
		out = append(out, m)
	}
	errs := make(chan error, count)
	for _, m := range out {
		go func() { errs <- m.Boot(t.Context()) }()
	}
	for range out {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
	return out
}

// run runs a command that must succeed.
func run(t testing.TB, m *machine.Machine, shell string) string {
	t.Helper()
	out, err := m.Run(t.Context(), shell)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
