// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"slices"
	"testing"

	"github.com/contiv/contiv/ofnet/flow"
)

// Table output is the only way to an endpoint: what it counts is all that an endpoint gets.
func TestOneWayToEndpoints(t *testing.T) {
	s := testState(t)
	p := Default()
	fixed := append(s.Local.Uplinks(), s.Local.Tunnel, s.Local.Host)
	if s.Router != nil {
		fixed = append(fixed, s.Router.Port)
	}
	check := func(what string, table flow.TableID, back bool, a flow.Actions) {
		for _, step := range a.Steps(p.Tables()) {
			back = back || step.Verb == flow.Push // a tag is for the trunk
			to := uint32(step.Value)
			if step.Verb == flow.OutputFrom && table != tOutput || step.Verb == flow.OutputTo && !slices.Contains(fixed, to) && !(back && to == flow.PortInPort) {
				t.Errorf("past table output: %s", what)
			}
		}
	}
	all := p.CompileAll(s)
	for _, f := range all.Flows {
		flags, _ := f.Match.Uint(regFlags)
		check(f.Text(p.Tables()), f.Table, flags == 1<<bitHost || f.Table == tOverlay, f.Actions) // what the tunnel brings may go back
	}
	for _, g := range all.Groups {
		for b := range g.Buckets.All {
			check(g.String(), 0, false, b.Actions)
		}
	}
}
