// SPDX-License-Identifier: Apache-2.0

package hostcheck

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/check"
)

// Published looks at containers whose ports are to be published and that the host does not reach, and at ports that services cannot have
// there.
type Published struct {
	Host      string
	Unreached func() map[string]string // the reason, by endpoint
	Kept      func() map[string]string // the reason, by the service, its port and the host's address, in words
}

// Check looks every five seconds.
func (p *Published) Check() check.Check {
	return check.Check{Name: "published ports", Interval: 5 * time.Second, Look: p.look}
}

func (p *Published) look(context.Context) (out []model.Finding) {
	unreached := p.Unreached()
	for _, endpoint := range slices.Sorted(maps.Keys(unreached)) {
		out = append(out, model.Finding{Code: model.FindingPortUnpublished, Severity: model.SeverityWarning, Object: "endpoint/" + endpoint, Host: p.Host,
			Evidence: "ports of the host are to lead to it and lead nowhere: " + unreached[endpoint],
			Remedy:   "have a VXLAN network be the container's gateway: connect the VLAN with docker network connect --gw-priority -1, or by a network whose name sorts behind",
			Next:     "netctl endpoint inspect " + endpoint})
	}
	kept := p.Kept()
	for _, what := range slices.Sorted(maps.Keys(kept)) {
		out = append(out, model.Finding{Code: model.FindingPortKept, Severity: model.SeverityWarning, Object: "host/" + p.Host, Host: p.Host,
			Evidence: "a service borrows a port of the host that a program of it has, which keeps it: " + what + " (" + kept[what] + ")",
			Remedy:   "stop the program, or give the service another port or address", Next: "netctl ksvc ls"})
	}
	return out
}
