// SPDX-License-Identifier: Apache-2.0

package hostcheck

import (
	"context"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/check"
	"github.com/contiv/contiv/ofnet"
)

// Datapath looks whether the switch and its datapath can do what the agent asks of them.
type Datapath struct {
	Host        string
	Type        func() string          // system or netdev
	Unsupported func() ofnet.Abilities // what it cannot do
}

// Check looks every ten seconds.
func (d *Datapath) Check() check.Check {
	return check.Check{Name: "datapath", Interval: 10 * time.Second, Look: d.look}
}

func (d *Datapath) look(context.Context) (out []model.Finding) {
	if d.Unsupported().Has(ofnet.Forgetting) {
		out = append(out, model.Finding{Code: model.FindingSwitchLacks, Severity: model.SeverityInfo, Object: "host/" + d.Host,
			Evidence: "Open vSwitch cannot forget single connections (" + ofnet.Forgetting.String() + "): those of deleted containers and services last until they time out",
			Remedy:   "install Open vSwitch 3.1 or newer",
			Next:     "netctl node ls"})
	}
	needed := d.Unsupported().Needed()
	if needed == 0 {
		return out
	}
	return append(out, model.Finding{Code: model.FindingDatapathLacks, Severity: model.SeverityError, Object: "host/" + d.Host,
		Evidence: "datapath " + d.Type() + " of Open vSwitch cannot do " + needed.String() + ": " + needed.Means() + " do not work",
		Remedy:   "boot a kernel that is built with it (4.18 or newer; NF_CONNTRACK_ZONES, NF_CONNTRACK_MARK, NF_CONNTRACK_LABELS, NF_NAT), or start the agent with --datapath netdev",
		Next:     "netctl node ls"})
}
