// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/health"
	"github.com/contiv/contiv/ipam"
)

// Numbers returns the use of the ranges of numbers that the whole cluster shares.
func Numbers(v *catalog.View) (out []model.Resource) {
	own := v.Numbers()
	for _, r := range []struct {
		name, holds string
		pool        *ipam.Numbers
	}{
		{health.NumbersVLAN, "VLAN ids of networks", own.VLANs},
		{health.NumbersVNI, "VNIs of networks", own.VXLANs},
		{health.NumbersGroup, "numbers of groups", own.Groups},
		{health.NumbersTenant, "numbers of tenants", own.VRFs},
	} {
		out = append(out, model.Resource{Name: r.name, Of: "cluster", Holds: r.holds, Used: uint64(r.pool.InUse()), Max: uint64(r.pool.Range().Len())})
	}
	return out
}
