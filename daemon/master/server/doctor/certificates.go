// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/health"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// certificates returns the newest certificate of each host's agent: of those that are not revoked, the one that expires last.
func certificates(v *catalog.View) (out []health.Certificate) {
	for _, h := range v.Hosts() {
		var newest *record.Certified
		for _, c := range v.CertifiedAs(trust.Identity{Role: trust.Agent, Name: h.Label}.String()) {
			if newest == nil || newest.Revoked.IsZero() == c.Revoked.IsZero() && c.Until.After(newest.Until) || !newest.Revoked.IsZero() && c.Revoked.IsZero() {
				newest = c
			}
		}
		if newest != nil {
			out = append(out, health.Certificate{Host: h.Label, Issued: newest.Issued, Until: newest.Until, Revoked: newest.Revoked, RevokedBy: newest.RevokedBy})
		}
	}
	return out
}
