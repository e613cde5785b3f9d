// SPDX-License-Identifier: Apache-2.0

package adopt

import (
	"cmp"
	"context"
	"fmt"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ipam"
)

// grounds creates missing tenants, networks and groups of offered endpoints, unless something contradicts them: only during the adoption of
// a new incarnation, and by the rules for objects of users. A refusal makes conflicts of the endpoints.
func (e *Engine) grounds(ctx context.Context, o *channel.Offer) {
	settled := false
	e.Catalog.View(func(v *catalog.View) { settled = e.finished(v) })
	if settled {
		return
	}
	for i := range o.Tenants {
		t := &model.Tenant{TenantName: o.Tenants[i].Tenant}
		e.make(ctx, t)
	}
	for i := range o.Networks {
		e.make(ctx, networkOf(&o.Networks[i]))
	}
	for i := range o.Groups {
		g := &o.Groups[i]
		e.make(ctx, &model.EndpointGroup{TenantName: g.ID.Tenant, GroupName: g.ID.Name, NetworkName: g.Network.Name, CfgdTag: own(g.Tag, g.ID.Reversed()), IpPool: rangeText(g.Pool)})
	}
}

// make creates a missing object.
func (e *Engine) make(ctx context.Context, o model.Object) {
	o.SetKey(o.ObjectKey())
	o.SetDefaults()
	if err := o.Validate(); err != nil {
		e.Log.Warn("cannot recreate the object of a host's endpoints", "object", o.ObjectKey(), "error", err)
		return
	}
	made := false
	_, err := e.Commit.InTurn(ctx, func(tx *commit.Tx) error {
		if made = !tx.Has(o.Kind().Name, o.ObjectKey()); !made {
			return nil
		}
		return e.Admit.Put(tx, o.Clone())
	})
	switch {
	case err != nil:
		e.Log.Warn("object of a host's endpoints contradicts the store", "object", o.ObjectKey(), "error", err)
	case made:
		e.Log.Info("recreated the object of a host's endpoints", "object", o.ObjectKey())
	}
}

// networkOf returns the object of a network's record, with the same number.
func networkOf(r *record.Network) *model.Network {
	n := &model.Network{TenantName: r.ID.Tenant, NetworkName: r.ID.Name, NwType: r.Kind, Encap: string(r.Encap), Subnet: r.Declared(), CfgdTag: own(r.Tag, r.ID.Dotted()),
		Gateway: record.Text(r.Gateway), Ipv6Gateway: record.Text(r.Gateway6), PktTag: r.PktTag}
	if r.Encap == record.VXLAN {
		n.PktTag = cmp.Or(r.ExtPktTag, 0)
	}
	if r.Subnet6.IsValid() {
		n.Ipv6Subnet = r.Subnet6.String()
	}
	return n
}

// own returns a tag that a user has chosen; "" for the common one.
func own(tag, common string) string {
	if tag == common {
		return ""
	}
	return tag
}

// rangeText returns a range of addresses in the form of objects, "" for none.
func rangeText(r ipam.Range) string {
	if r == (ipam.Range{}) {
		return ""
	}
	return fmt.Sprint(r)
}
