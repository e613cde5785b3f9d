// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/contiv/contiv/test/machines/machine"
)

var faultFlags = flag.String("faults", "-seed 1", "the flags of test/faults in TestFaults, such as -pairs 20 -seed 7")

// The cause of each fault of test/faults is the first finding on a machine, whose lab has the kernel's datapath.
func TestFaults(t *testing.T) {
	t.Parallel() // a machine has one processor
	m := boot(t, 1, machine.Spec{Memory: labMemory})[0]
	program := t.TempDir()
	build(t, "build", "-o", program+"/", "./test/faults")
	bin := filepath.Join(checkout(t), "bin")
	for _, dir := range []string{program, bin} {
		if err := m.Mount(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
	}
	// A lab with the kernel's datapath does not start where there is none.
	if err := detached(t, m, program+"/faults -datapath system "+*faultFlags+" -bin "+bin, t.Output()); err != nil {
		t.Error(err)
	}
}
