// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/ovstest"
	"github.com/contiv/contiv/ofnet/pipeline"
	"github.com/contiv/contiv/test/bench/harness"
)

// brName is the bridge that is measured.
const brName = "br0"

// peer is ovs-ofctl with the flows of a State ready in a file, and the switch that both sides program.
type peer struct {
	tb    *harness.Stand
	ovs   *ovstest.OVS
	path  string
	flows int
}

// newPeer starts the switch and writes the file. The groups and meters that the flows name are there before, and stay.
func newPeer(tb *harness.Stand, s *ofnet.State) *peer {
	p := &peer{tb: tb, ovs: ovstest.Start(tb)}
	p.ovs.Bridge(brName)
	all := pipeline.Default().CompileAll(s)
	p.flows, p.path = len(all.Flows), filepath.Join(p.ovs.Dir, "flows.txt")
	write(tb, p.path, all.Flows)
	groups := filepath.Join(p.ovs.Dir, "groups.txt")
	write(tb, groups, all.Groups)
	p.ovs.Ofctl("add-groups", brName, groups)
	for _, m := range all.Meters {
		p.ovs.Ofctl("add-meter", brName, m.String())
	}
	return p
}

func write[T fmt.Stringer](tb *harness.Stand, path string, list []T) {
	var text strings.Builder
	for _, x := range list {
		fmt.Fprintln(&text, x)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		tb.Fatal(err)
	}
}

// mgmt is the path of the switch's OpenFlow socket.
func (p *peer) mgmt() string { return p.ovs.Mgmt(brName) }

// clear takes all flows away.
func (p *peer) clear() { p.ovs.Ofctl("del-flows", brName) }

// program adds all flows to the empty switch in one bundle.
func (p *peer) program() time.Duration { return p.timed("--bundle", "add-flows") }

// replace compares the file with the switch and sends the difference.
func (p *peer) replace() time.Duration { return p.timed("replace-flows") }

func (p *peer) timed(args ...string) time.Duration {
	begin := time.Now()
	out, err := exec.Command("ovs-ofctl", append(append([]string{"-OOpenFlow13"}, args...), "unix:"+p.mgmt(), p.path)...).CombinedOutput()
	if err != nil {
		p.tb.Fatalf("ovs-ofctl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return time.Since(begin)
}
