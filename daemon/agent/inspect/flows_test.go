// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// A packet that only the connection log receives counts as dropped; a packet that the agent answers does not.
func TestObservedIsDropped(t *testing.T) {
	o := &Options{Pipeline: pipeline.Default()}
	words := o.Pipeline.NewGlossary(ofnet.NewState("h1"))
	shown := func(f flow.Flow) bool { return o.flow(&bridge.LiveFlow{Flow: f}, words).Drop }
	observed := pipeline.Observations()
	for i := range observed {
		if !shown(observed[i]) {
			t.Errorf("%s is not shown as a drop", observed[i].Text(o.Pipeline.Tables()))
		}
	}
	for _, f := range pipeline.ProbeAnswers("h1") {
		if shown(f) {
			t.Errorf("%s is shown as a drop", f.Text(o.Pipeline.Tables()))
		}
		if got := o.flow(&bridge.LiveFlow{Flow: f}, words); got.Owner != "agent/probes" || got.Feature != "leased" {
			t.Errorf("%s: want it of agent/probes, got %s of %s", f.Text(o.Pipeline.Tables()), got.Owner, got.Feature)
		}
	}
	if len(observed) == 0 {
		t.Error("nothing is observed")
	}
}
