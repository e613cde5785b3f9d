// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/health"
	"github.com/contiv/contiv/daemon/ownership"
	"github.com/contiv/contiv/daemon/record"
)

// claims are the addresses that hosts report and that are not taken for theirs. Those that are merely nowhere near others count where they would be closed:
// where there are other hosts, whose containers do not meet hosts.
func claims(v *catalog.View) (out []health.DisputedAddress) {
	g := v.Global()
	closes := len(v.Hosts()) > 1 && g != nil && g.HostAccess != record.HostDirect
	for _, r := range v.Ownership().Reports() {
		if r.Whose != "" || r.Alone && closes {
			out = append(out, health.DisputedAddress{Host: r.Host, Address: r.Addr.String(), Whose: r.Whose})
		}
	}
	return out
}

// clashes are the infra networks that a host cannot join. Netmaster refuses to make such, but hosts come later, and change.
func clashes(v *catalog.View) (out []health.Clash) {
	hosts := v.Hosts()
	for _, n := range v.Networks("") {
		for _, h := range hosts {
			if field, what := ownership.Clash(n.Record, h); field != "" {
				out = append(out, health.Clash{Host: h.Label, Network: n.Record.ID.String(), What: what})
			}
		}
	}
	return out
}

// refusals are the addresses that services of Kubernetes name and do not have.
func refusals(v *catalog.View) (out []health.Refusal) {
	for _, r := range v.RefusedAddresses() {
		out = append(out, health.Refusal{Service: r.Service.Path(), What: r.String()})
	}
	return out
}
