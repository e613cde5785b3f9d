// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/health"
	"github.com/contiv/contiv/daemon/record"
)

// routers returns each BGP router with its host, and the neighbours that are not on its link. It leaves out routers that it cannot parse: the host's agent
// reports those.
func routers(v *catalog.View) (out []health.Router) {
	hosts := v.Hosts()
	for _, o := range v.Objects(model.KindBgp()) {
		b := o.(*model.Bgp)
		r := health.Router{Host: b.Hostname, Known: slices.ContainsFunc(hosts, func(h *record.Host) bool { return h.Label == b.Hostname })}
		var links []netip.Prefix
		for _, text := range []string{b.Routerip, b.Routerip6} {
			if p, err := netip.ParsePrefix(text); err == nil {
				links, r.Addresses = append(links, p), append(r.Addresses, p.Addr().String())
			}
		}
		for word := range strings.SplitSeq(b.Neighbor, ",") {
			n, err := netip.ParseAddr(strings.TrimSpace(word))
			if err == nil && len(links) > 0 && !slices.ContainsFunc(links, func(p netip.Prefix) bool { return p.Contains(n) }) {
				r.OffLink = append(r.OffLink, n.String())
			}
		}
		out = append(out, r)
	}
	return out
}
