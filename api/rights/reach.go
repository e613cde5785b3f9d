// SPDX-License-Identifier: Apache-2.0

package rights

import (
	"strings"

	"github.com/contiv/contiv/api/model"
)

// Reach returns the field by which an object of a tenant reaches beyond the tenant, and its value; "": none. Changing such an object
// requires the right for the cluster.
func Reach(o model.Object) (field, what string) {
	switch o := o.(type) {
	case *model.Network:
		switch {
		case o.NwType == "infra":
			return "nwType", "an interface and a route of every host"
		case o.Encap == "vlan" && o.PktTag != 0:
			return "pktTag", "a VLAN of the physical network"
		}
	case *model.ExtContractsGroup:
		for _, dn := range o.Contracts {
			if !strings.HasPrefix(dn, "uni/tn-"+o.TenantName+"/") {
				return "contracts", "contracts of another tenant of the ACI fabric"
			}
		}
	}
	return "", ""
}

// OfObject returns the right to change an object: that for its tenant, or for the cluster if it reaches beyond.
func OfObject(o model.Object) Right {
	r := Of(Change, o.Kind(), o.ObjectKey())
	if field, _ := Reach(o); field != "" {
		r.Tenant = ""
	}
	return r
}

// RefusalOf is the error of a change without the right. It names the field by which the object reaches beyond its tenant.
func RefusalOf(o model.Object) *model.Error {
	e := Refusal(OfObject(o))
	if field, what := Reach(o); field != "" {
		e.Field = field
		e.Message += ": " + field + " of " + o.Kind().Name + " " + o.ObjectKey() + " reaches " + what
	}
	return e
}
