// SPDX-License-Identifier: Apache-2.0

package conflicts

import (
	"time"

	"github.com/contiv/contiv/daemon/agent/check"
	"github.com/contiv/contiv/daemon/agent/part"
	"github.com/contiv/contiv/daemon/task"
)

// Part returns the checks of address conflicts, and the task that receives announcements from outside if the host has uplinks.
func Part(stages *part.Stages, claims *Detector, spoofs *Spoofs, uplinks bool) part.Part {
	p := part.Part{Checks: []check.Check{
		{Name: "conflicts", Interval: 5 * time.Second, Look: claims.Look},
		{Name: "spoofed sources", Interval: 10 * time.Second, Look: spoofs.Look},
	}}
	if uplinks {
		p.Tasks = []task.Task{stages.AfterSync("claims of addresses", claims.Run)}
	}
	return p
}
