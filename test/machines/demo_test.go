// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/test/machines/machine"
)

// make demo does on a machine what the README shows, and make demo-down leaves nothing.
func TestDemo(t *testing.T) {
	t.Parallel() // a machine has one processor
	m := boot(t, 1, machine.Spec{Memory: demoMemory})[0]
	enter := source(t, m)
	state := "ip netns list; ls /sys/class/net; ls /run/lab /run/contiv-lab /var/lib/contiv-lab /var/run/contiv 2>&1; nft list tables"
	before := run(t, m, state)
	out := run(t, m, enter+"make demo")
	for _, row := range []string{
		"web (h1 default/blue) . talks - - - -",
		"db (h2 default/blue) talks . - - - -",
		"app (h1 default/green) - - . talks - -",
		"cache (h3 default/green) - - talks . - -",
		"shop (h1 acme/blue) - - - - . talks",
		"till (h3 acme/blue) - - - - talks .",
		"web to db port 5432 talks rule 2 allows port 5432 from front",
		"web to db port 80 - rule 1 denies all other tcp",
		"db to web port 80 talks front has no policy",
	} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), row) {
			t.Errorf("the demo does not print %q", row)
		}
	}
	if t.Failed() {
		t.Logf("the demo printed:\n%s", out)
	}
	run(t, m, enter+"make demo-down")
	if after := run(t, m, state); after != before {
		t.Errorf("after make demo-down:\n%s\nbefore make demo:\n%s", after, before)
	}
}
