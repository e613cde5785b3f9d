// SPDX-License-Identifier: Apache-2.0

package hostcheck

import (
	"context"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/check"
	"github.com/contiv/contiv/daemon/usage"
)

// Resources checks whether the agent, or its machine, runs out of something.
type Resources struct {
	Host string
	// Now measures the resources. It blocks at most until ctx ends.
	Now func(ctx context.Context) []model.Resource
}

// Check looks at each interval of package usage.
func (r *Resources) Check() check.Check {
	return check.Check{Name: "resources", Interval: usage.Interval, Look: r.look}
}

func (r *Resources) look(ctx context.Context) []model.Finding {
	return usage.Findings(usage.Daemon{Name: "netplugin", Object: "host/" + r.Host, Host: r.Host,
		Lost: "without one it reaches neither Open vSwitch nor netmasters", Next: "netctl node ls"}, r.Now(ctx))
}
