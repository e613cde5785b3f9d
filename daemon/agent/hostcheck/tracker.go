// SPDX-License-Identifier: Apache-2.0

package hostcheck

import (
	"context"
	"fmt"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/check"
	"github.com/contiv/contiv/daemon/agent/tracker"
)

// Tracker looks at how full the connection tracker is.
type Tracker struct {
	Host  string
	Usage func() tracker.Usage
}

// Check looks every five seconds.
func (t *Tracker) Check() check.Check {
	return check.Check{Name: "tracker", Interval: 5 * time.Second, Look: t.look}
}

func (t *Tracker) look(context.Context) (out []model.Finding) {
	u := t.Usage()
	note := func(code model.FindingCode, severity model.Severity, object, evidence, remedy, next string) {
		out = append(out, model.Finding{Code: code, Severity: severity, Object: object, Host: t.Host, Evidence: evidence, Remedy: remedy, Next: next})
	}
	host, observe := "host/"+t.Host, "netctl observe --host "+t.Host
	switch {
	case u.At.IsZero():
		return nil
	case u.Unknown != "":
		note(model.FindingTrackerUnknown, model.SeverityUnknown, host, "how full the connection tracker is could not be read: "+u.Unknown, "look whether ovs-vswitchd runs", "netctl node ls")
		return out
	}
	const raise = "find out who opens them; raise it with ovs-appctl dpctl/ct-set-maxconns, or for the kernel's datapath with sysctl net.netfilter.nf_conntrack_max"
	switch {
	case u.Count >= u.Limit || u.Refused:
		note(model.FindingTrackerFull, model.SeverityError, host, fmt.Sprintf("the connection tracker has %d connections of %d that it holds, and refuses new ones: what needs a policy or a service does not open", u.Count, u.Limit), raise, observe)
	case nearly(u.Count, u.Limit):
		note(model.FindingTrackerLow, model.SeverityWarning, host, fmt.Sprintf("the connection tracker has %d connections of %d that it holds", u.Count, u.Limit), raise, observe)
	}
	for _, z := range u.Zones {
		const less = "find out which of its containers opens them, and for how long connections stay; a tenant has a share of what the tracker holds"
		switch {
		case z.Count >= z.Limit:
			note(model.FindingTrackerFull, model.SeverityError, "tenant/"+z.Tenant, fmt.Sprintf("the tenant has all of the %d connections that it may have on host %s: its new ones are refused, others' are not", z.Limit, t.Host), less, observe)
		case nearly(z.Count, z.Limit):
			note(model.FindingTrackerLow, model.SeverityWarning, "tenant/"+z.Tenant, fmt.Sprintf("the tenant has %d of the %d connections that it may have on host %s", z.Count, z.Limit, t.Host), less, observe)
		}
	}
	if u.Unlimited != "" {
		note(model.FindingSwitchLacks, model.SeverityInfo, "tracker/"+t.Host, "Open vSwitch does not limit the connections of a tenant (ct-set-limits), so one tenant can use up the tracker: "+u.Unlimited,
			"use Open vSwitch 2.13 or newer, with the kernel's datapath Linux 4.18 or newer", "netctl node ls")
	}
	return out
}

// nearly is from 80 % on. Of a small limit it is at least one.
func nearly(count, limit int) bool { return count >= limit/5*4+(limit%5*4+4)/5 }
