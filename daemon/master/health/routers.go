// SPDX-License-Identifier: Apache-2.0

package health

import (
	"maps"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
)

// routers finds BGP routers that cannot work as they are: of no host, with an address that another has, with neighbours that they cannot reach.
func routers(s *Snapshot) (out []model.Finding) {
	by := map[string][]string{}
	for _, r := range s.Routers {
		for _, a := range r.Addresses {
			by[a] = append(by[a], r.Host)
		}
		if !r.Known {
			out = append(out, model.Finding{Code: model.FindingBGPNoHost, Severity: model.SeverityWarning, Object: "Bgp/" + r.Host, Evidence: "no machine is host " + r.Host + ": the router runs nowhere",
				Remedy: "create it for a host of netctl node ls, and delete this one", Next: "netctl bgp ls"})
		}
		if len(r.OffLink) > 0 {
			out = append(out, model.Finding{Code: model.FindingBGPOffLink, Severity: model.SeverityWarning, Object: "Bgp/" + r.Host,
				Evidence: strings.Join(r.OffLink, " and ") + " is in no subnet of the router (" + strings.Join(r.Addresses, ", ") + "), and the host has no other way to a neighbour",
				Remedy:   "give the router an address of the neighbour's link, or name a neighbour on this one", Next: "netctl bgp inspect " + r.Host})
		}
	}
	for _, a := range slices.Sorted(maps.Keys(by)) {
		if names := by[a]; len(names) > 1 {
			out = append(out, model.Finding{Code: model.FindingAddressTwice, Severity: model.SeverityError, Object: "address/" + a, Peers: names, Evidence: "the BGP routers of hosts " + strings.Join(names, " and ") + " both have " + a,
				Remedy: "give each router an address of its own: netctl bgp create --router-ip", Next: "netctl bgp ls"})
		}
	}
	return out
}
