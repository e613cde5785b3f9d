// SPDX-License-Identifier: Apache-2.0

package hostcheck

import (
	"context"
	"fmt"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/check"
)

// Descriptors looks whether the agent has file descriptors left.
type Descriptors struct {
	Host  string
	Count func() (used, most int) // 0 of 0: it is not known
}

// Check looks every five seconds.
func (d *Descriptors) Check() check.Check {
	return check.Check{Name: "descriptors", Interval: 5 * time.Second, Look: d.look}
}

func (d *Descriptors) look(context.Context) []model.Finding {
	used, most := d.Count()
	severity, short := model.ShortOfDescriptors(used, most)
	if !short {
		return nil
	}
	return []model.Finding{{Code: model.FindingResourcesExhausted, Severity: severity, Object: "host/" + d.Host, Host: d.Host,
		Evidence: fmt.Sprintf("netplugin has %d file descriptors of %d that it may have; without one it reaches neither Open vSwitch nor netmasters", used, most),
		Remedy:   "raise LimitNOFILE of its unit, or ulimit -n, and restart it; look what it has open in /proc/PID/fd", Next: "netctl node ls"}}
}
