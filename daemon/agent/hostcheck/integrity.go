// SPDX-License-Identifier: Apache-2.0

package hostcheck

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/check"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// lately is for how long a repaired change is shown.
const lately = time.Minute

// Integrity looks whether the switch is the agent's, and shows what others have changed of the host's share in the network.
type Integrity struct {
	Host    string
	Bridge  string                                     // name
	Drift   func() (d ovsdb.BridgeDrift, differs bool) // of the bridge, as it is now
	Changed func() []model.Difference                  // what others have changed, the oldest first
	Now     func() time.Time
}

// Check looks each second.
func (i *Integrity) Check() check.Check {
	return check.Check{Name: "integrity", Interval: time.Second, Look: i.look}
}

func (i *Integrity) look(context.Context) (out []model.Finding) {
	note := func(code model.FindingCode, severity model.Severity, evidence, remedy string) {
		out = append(out, model.Finding{Code: code, Severity: severity, Object: "host/" + i.Host, Evidence: evidence, Remedy: remedy, Next: "netctl drift " + i.Host})
	}
	const restores = "the agent restores it; when it does not, look at its log"
	switch d, differs := i.Drift(); {
	case !differs:
	case d.Gone:
		note(model.FindingBridgeMissing, model.SeverityError, "Open vSwitch has no bridge "+i.Bridge+": all containers of the host are cut off", restores)
	case d.Open:
		note(model.FindingBridgeOpen, model.SeverityError, "bridge "+i.Bridge+" is not closed ("+strings.Join(d.Was, ", ")+"): while it has no flows, containers of all tenants meet",
			restores+", or ovs-vsctl set-fail-mode "+i.Bridge+" secure")
	default:
		note(model.FindingBridgeChanged, model.SeverityWarning, "others have changed bridge "+i.Bridge+": got "+strings.Join(d.Was, ", ")+", want "+strings.Join(d.Want, ", "), restores)
	}
	var last *model.Difference
	count, now, severity := 0, i.Now(), model.SeverityInfo
	for _, d := range i.Changed() {
		if at, err := time.Parse(time.RFC3339, d.At); err == nil && now.Sub(at) <= lately {
			last = &d
			count++
			if cuts(d.Kind) {
				severity = model.SeverityWarning
			}
		}
	}
	if last != nil {
		note(model.FindingChangedByOthers, severity, fmt.Sprintf("within the last minute others have changed what the agent keeps, %d times, and it has restored it; the last: %s", count, last.Text()),
			"look for the program that does it: the reload of a firewall, sysctl --system, a network manager, someone with ovs-vsctl or ovs-ofctl")
	}
	return out
}

// cuts reports whether a change of a kind has cut packets off, or let pass what is to be dropped, until the agent restored it: one of the switch.
// Settings, tables and addresses of the host change for other reasons too, as when ovs-vswitchd or the host's network starts.
func cuts(kind string) bool {
	return kind == "flow" || kind == "group" || kind == "meter" || kind == "bridge"
}
