// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"flag"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/contiv/contiv/test/machines/machine"
)

// most are the scenarios that together pass most of the pipeline, longest first.
const most = "routing policy networks service host intruder policy-six rates arp fabric dns address"

// lanes is how many machines share the scenarios. A machine keeps two processors busy.
var lanes = max(1, runtime.NumCPU()/2)

var scenarios = flag.String("scenarios", most, "the names of the scenarios that TestScenarios runs without -all")

// Scenarios pass on machines, whose labs have the kernel's datapath.
func TestScenarios(t *testing.T) {
	t.Parallel()
	names := strings.Fields(*scenarios)
	if *all {
		names = every(t)
	}
	for lane := range lanes {
		var own []string
		for i := lane; i < len(names); i += lanes {
			own = append(own, names[i])
		}
		if len(own) == 0 {
			continue
		}
		t.Run(strconv.Itoa(lane+1), func(t *testing.T) {
			t.Parallel()
			play(t, standName(t)+"-"+strconv.Itoa(lane+1), "'^TestScenarios$/^("+strings.Join(own, "|")+")$'")
		})
	}
}

// Scenarios that depend most on the store pass with an etcd beside the netmasters, of the release's version.
func TestScenariosOnEtcd(t *testing.T) {
	t.Parallel()
	play(t, standName(t), "'^TestScenariosOnEtcd$'")
}

// every returns the names of all scenarios. Those for a store beside the netmasters run in TestScenariosOnEtcd.
func every(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(checkout(t), "test/scenario/*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".txtar")
	}
	// Scenario qos sends 20 Mbit/s beside three netmasters, which a machine's one emulated processor does not; rates measures a tenth of that.
	return slices.DeleteFunc(files, func(name string) bool { return name == "qos" })
}

// play runs the scenarios whose tests match a pattern on one machine of a stand of its own.
func play(t *testing.T, stand, pattern string) {
	t.Helper()
	m := bootNamed(t, stand, 1, machine.Spec{Memory: labMemory})[0]
	enter := source(t, m)
	program := testPrograms(t, m, "./test/scenario") + "/scenario.test"
	bin := filepath.Join(checkout(t), "bin")
	if err := m.Mount(t.Context(), bin); err != nil {
		t.Fatal(err)
	}
	// Labs take the kernel's datapath where there is one. Without it the test would prove nothing.
	run(t, m, "ovs-dpctl add-dp probe && ovs-dpctl del-dp probe")
	shell := enter + "cd test/scenario && " + program + " -test.v -test.count 1 -test.timeout 90m -test.parallel 1 -test.run " + pattern + " -bin " + bin
	if err := detached(t, m, shell, t.Output()); err != nil {
		t.Error(err)
	}
}
