// SPDX-License-Identifier: Apache-2.0

package oper

import (
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// Summary returns the state of an object that lists show on request. It does not ask agents.
func Summary(v *catalog.View, object model.Object) (out model.Summary) {
	switch o := object.(type) {
	case *model.Network:
		n := v.Network(o.Identity())
		if n == nil {
			return out
		}
		used, endpoints := n.Allocated(), n.Endpoints()
		out.VNI, out.Used, out.Endpoints = n.Record.ExtPktTag, &used, &endpoints
		if out.VNI == 0 {
			out.VNI = n.Record.PktTag
		}
		if own, ok := n.Pool4(); ok {
			free := own.Free()
			out.Free = &free
		}
	case *model.EndpointGroup:
		count := v.CountEndpointsIn(o.Identity())
		out.Endpoints = &count
	case *model.ServiceLB:
		if s := v.ServiceLB(o.Identity()); s != nil {
			list := v.ProvidersOf(s)
			providers := len(list)
			out.Address, out.Endpoints = record.Text(s.IP), &providers
			if !v.IsPast() { // whether agents ran is not kept
				ready := ready(v, list)
				out.Ready = &ready
			}
		}
	case *model.Rule:
		for _, key := range v.Referrers(model.KindPolicy(), model.Key(o.TenantName, o.PolicyName), model.KindEndpointGroup().Name) {
			if _, name, ok := identity.Cut(key); ok {
				out.Groups = append(out.Groups, name)
			}
		}
		slices.Sort(out.Groups)
	}
	return out
}
