// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/contiv/contiv/test/machines/machine"
)

var (
	campaignFor  = flag.Duration("campaign", 10*time.Minute, "how long TestCampaign runs")
	campaignSeed = flag.Uint64("seed", 1, "what the choices of TestCampaign follow from")
)

// The campaign of test/campaign finds nothing on a machine, whose lab has the kernel's datapath.
func TestCampaign(t *testing.T) {
	t.Parallel() // a machine has one processor
	m := boot(t, 1, machine.Spec{Memory: labMemory})[0]
	program := t.TempDir()
	build(t, "build", "-o", program+"/", "./test/campaign")
	bin := filepath.Join(checkout(t), "bin")
	for _, dir := range []string{program, bin} {
		if err := m.Mount(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
	}
	// Labs take the kernel's datapath where there is one. Without it the test would prove nothing.
	run(t, m, "ovs-dpctl add-dp probe && ovs-dpctl del-dp probe")
	if err := detached(t, m, fmt.Sprintf("%s/campaign -for %s -seed %d -bin %s", program, *campaignFor, *campaignSeed, bin), t.Output()); err != nil {
		t.Error(err)
	}
}
