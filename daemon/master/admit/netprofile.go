// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

func createNetprofile(tx *commit.Tx, p *model.Netprofile) error { return tenantOf(tx, p.TenantName) }

// updateNetprofile copies the new values to every group that uses the profile.
func updateNetprofile(tx *commit.Tx, _, p *model.Netprofile) error {
	for _, key := range tx.Referrers(p.Kind(), p.ObjectKey(), model.KindEndpointGroup().Name) {
		g, _ := tx.Object(model.KindEndpointGroup(), key).(*model.EndpointGroup)
		old := tx.Group(g.Identity())
		if old == nil {
			continue
		}
		r := *old
		if limit(&r, p); r == *old {
			continue
		}
		if err := tx.Put(record.Groups+r.ID.String(), &r); err != nil {
			return err
		}
	}
	return nil
}

func removeNetprofile(tx *commit.Tx, p *model.Netprofile) error {
	if groups := tx.Referrers(p.Kind(), p.ObjectKey(), model.KindEndpointGroup().Name); len(groups) > 0 {
		return model.Errorf(model.CodeInUse, "", "NetProfile is being used").Try("take it from the groups %s first", some(groups))
	}
	return nil
}

// limit copies a profile's values into a group's record; no profile: no limits.
func limit(r *record.Group, p *model.Netprofile) {
	r.Bandwidth, r.DSCP, r.Burst, r.ReceiveRate, r.ReceiveBurst = "", 0, 0, "", 0
	if p != nil {
		r.Bandwidth, r.DSCP, r.Burst, r.ReceiveRate, r.ReceiveBurst = p.Bandwidth, p.DSCP, p.Burst, p.ReceiveBandwidth, p.ReceiveBurst
	}
}
