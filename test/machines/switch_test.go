// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/contiv/contiv/test/machines/machine"
)

// The tests of ofnet pass with the machine's kernel and Open vSwitch.
func TestSwitch(t *testing.T) {
	t.Parallel() // a machine has one processor
	m := boot(t, 1, machine.Spec{Memory: 3000})[0]
	enter := source(t, m)
	dir := testPrograms(t, m, "./ofnet/...")
	programs, err := filepath.Glob(dir + "/*.test")
	if err != nil || len(programs) == 0 {
		t.Fatalf("no tests of ofnet: %v", err)
	}
	for _, program := range programs {
		name := strings.TrimSuffix(filepath.Base(program), ".test")
		where, _ := filepath.Glob("../../ofnet/" + name)
		if name == "ofnet" {
			where = []string{"../../ofnet"}
		}
		if nested, _ := filepath.Glob("../../ofnet/*/" + name); len(where) == 0 {
			where = nested
		}
		t.Run(name, func(t *testing.T) {
			if len(where) != 1 {
				t.Fatalf("directory of %s: %v", name, where)
			}
			rel, err := filepath.Rel("../..", where[0])
			if err != nil {
				t.Fatal(err)
			}
			args := " -test.timeout 20m"
			if name == "pipeline" && !*all {
				args += " -test.run 'ReadBack|Packets$|Trace$|AskBack'" // the others take ten minutes
			}
			cmd := m.Command(t.Context(), enter+"cd "+rel+" && "+program+args)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
