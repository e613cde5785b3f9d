// SPDX-License-Identifier: Apache-2.0

package hostcheck

import (
	"context"
	"fmt"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/check"
	"github.com/contiv/contiv/ofnet"
)

// Policies looks at policies of one priority that have more rules together than the switch has room for.
type Policies struct {
	Host    string
	Crowded func() []*ofnet.ClassPolicy
}

// Check looks every five seconds.
func (p *Policies) Check() check.Check {
	return check.Check{Name: "policies", Interval: 5 * time.Second, Look: p.look}
}

func (p *Policies) look(context.Context) (out []model.Finding) {
	for _, c := range p.Crowded() {
		out = append(out, model.Finding{Code: model.FindingPolicyCrowded, Severity: model.SeverityError, Object: "policy/" + c.Name, Host: p.Host,
			Evidence: fmt.Sprintf("policies of tier %s and priority %d that select the same pods have more rules for direction %s than the %d places of their priority, and the %d that all of the tier share beyond that: those without a place deny all traffic of their subjects", c.Stage, c.Priority, c.Direction, ofnet.MaxSlots, ofnet.SpareSlots(c.Stage)),
			Remedy:   "give the policies different priorities", Next: "netctl cnp ls"})
	}
	return out
}
