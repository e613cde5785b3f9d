// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/contiv/contiv/test/machines/machine"
)

// Figures of a machine, whose datapath is the kernel's: what attaching a container takes, and what packets between containers take,
// beside the CNI plugin bridge. They are printed, not judged. Nothing else may run meanwhile.
func BenchmarkFigures(b *testing.B) {
	m := boot(b, 1, machine.Spec{Memory: labMemory})[0]
	dir := benchPrograms(b, m)
	bin := filepath.Join(checkout(b), "bin")
	if err := m.Mount(b.Context(), bin); err != nil {
		b.Fatal(err)
	}
	for _, command := range []string{"uname -r; ovs-vsctl --version | head -n 1", dir + "/datapath -rounds 9 -firsts 5", dir + "/cni -ports 0 -bin " + bin + " -peers " + dir} {
		cmd := m.Command(b.Context(), command)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr // a benchmark's log is cut after ten lines
		if err := cmd.Run(); err != nil {
			b.Errorf("%s: %v", command, err)
		}
	}
}

// benchPrograms builds the programs that measure, and the plugins beside them, into a directory, which the machine gets.
func benchPrograms(b *testing.B, m *machine.Machine) string {
	b.Helper()
	const plugins = "github.com/containernetworking/plugins/plugins/"
	dir := b.TempDir()
	build(b, "build", "-o", dir+"/", "./test/bench/datapath", "./test/bench/cni", plugins+"main/bridge", plugins+"ipam/host-local")
	if err := m.Mount(b.Context(), dir); err != nil {
		b.Fatal(err)
	}
	return dir
}
