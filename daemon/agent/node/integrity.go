// SPDX-License-Identifier: Apache-2.0

package node

import (
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/check"
	"github.com/contiv/contiv/daemon/agent/drift"
	"github.com/contiv/contiv/daemon/agent/hostcheck"
	"github.com/contiv/contiv/daemon/agent/vswitch"
)

// integrity checks what others have changed and the agent has restored.
func (n *Node) integrity() check.Check {
	c := &hostcheck.Integrity{Host: n.Host, Bridge: vswitch.Bridge, Drift: n.conn.Switch.BridgeDrift, Changed: n.changedByOthers, Now: time.Now}
	return c.Check()
}

// changedByOthers lists what others have changed and the agent has restored, of what it keeps and of flows, the oldest first. Ports are
// left out: they go with their containers, too.
func (n *Node) changedByOthers() (out []model.Difference) {
	for _, d := range n.drift.Found() {
		if d.Kind != drift.KindPort {
			out = append(out, d)
		}
	}
	if !n.Observe {
		for _, d := range n.forward.Drifted() {
			out = append(out, model.Difference{At: d.At.UTC().Format(time.RFC3339), Kind: string(d.Kind), What: "a " + string(d.Kind) + " of the switch"})
		}
	}
	slices.SortStableFunc(out, func(a, b model.Difference) int { return strings.Compare(a.At, b.At) })
	return out
}
