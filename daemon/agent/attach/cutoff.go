// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"context"
	"fmt"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/drift"
	"github.com/contiv/contiv/ofnet"
)

// cutOff finds ports of living containers whose interface someone has deleted, at either end: the kernel removes both. Only the runtime
// knows how it configured the interface, so this is reported and not repaired.
type cutOff struct{ *Engine }

// CutOff returns a source of differences: ports without an interface.
func (e *Engine) CutOff() drift.Source { return cutOff{e} }

// recreate is the remedy for a container whose interface is gone.
const recreate = "Contiv cannot repair it: have the runtime recreate the container or pod"

// Kind returns drift.KindPort.
func (c cutOff) Kind() string { return drift.KindPort }

// Differences lists the ports. It asks the kernel about those that Open vSwitch shows without a link, or could not attach: a userspace
// datapath keeps the number of a port whose device is gone, and shows that only by the link. Containers whose namespace has ended are for
// Sweep; attachments that an operation of this process holds are skipped.
func (c cutOff) Differences() (out []drift.Difference, err error) {
	for _, a := range c.List() {
		if a.Port.Up || c.locks.isBusy(a.Port.Name) || a.ended() {
			continue
		}
		exists, err := c.Links.Exists(a.Port.Name)
		if err != nil {
			return out, fmt.Errorf("interface of %s: %w", a.StateID, err)
		}
		if exists {
			continue
		}
		d := model.Difference{Owner: ofnet.Key{Kind: ofnet.KindEndpoint, Name: a.StateID}.String(),
			What: "removed: interface " + a.Port.Name + " of container " + a.ContainerID + ", its port is left",
			Was:  "port " + a.Port.Name + " without an interface", Want: "port " + a.Port.Name + " with the container's interface", Remedy: recreate}
		out = append(out, drift.Difference{Difference: d, Thing: a.Port.Name})
	}
	return out, nil
}

// Repair does nothing: Differences names the remedy.
func (c cutOff) Repair(context.Context, string) error { return nil }
