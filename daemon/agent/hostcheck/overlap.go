// SPDX-License-Identifier: Apache-2.0

package hostcheck

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/check"
	"github.com/contiv/contiv/ofnet/link"
)

// Overlap looks whether another interface of the host has the private subnet too, or a part of it: what the host answers to containers
// goes there.
type Overlap struct {
	Host    string
	Private func() []netip.Prefix // subnets between the host and its containers; none: they do not meet
	Find    func(within ...netip.Prefix) ([]link.Claimed, error)
}

// Check looks every two seconds.
func (o *Overlap) Check() check.Check {
	return check.Check{Name: "private subnet", Interval: 2 * time.Second, Look: o.look}
}

func (o *Overlap) look(context.Context) []model.Finding {
	private := o.Private()
	if len(private) == 0 {
		return nil
	}
	f := model.Finding{Code: model.FindingPrivateOverlap, Severity: model.SeverityError, Object: "host/" + o.Host, Next: "netctl node ls"}
	list, err := o.Find(private...)
	switch {
	case err != nil:
		f.Code, f.Severity, f.Evidence, f.Remedy = model.FindingOverlapUnknown, model.SeverityUnknown, "the host's routes were not read: "+err.Error(), "check the agent's log"
	case len(list) == 0:
		return nil
	default:
		f.Evidence = fmt.Sprintf("private subnet %s, by which containers reach the host and the world, is also behind %s (%s): answers to containers go there", list[0].Within, list[0].Dev, list[0].Prefix)
		f.Remedy = "while there is no network: netctl global set --private-subnet with one that is free; or remove that interface, and keep Docker from the subnet by default-address-pools in /etc/docker/daemon.json"
	}
	return []model.Finding{f}
}
