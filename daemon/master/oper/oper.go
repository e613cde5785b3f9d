// SPDX-License-Identifier: Apache-2.0

// Package oper computes the operational state that inspect shows: counts, tags, address lists, endpoints. It is not stored.
package oper

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ipam"
)

// bandwidth formats an endpoint's own rates; "" without any.
func bandwidth(b *record.Bandwidth) string {
	var out []string
	if b.Send != 0 {
		out = append(out, fmt.Sprintf("sends %d kbit/s", b.Send))
	}
	if b.Receive != 0 {
		out = append(out, fmt.Sprintf("receives %d kbit/s", b.Receive))
	}
	return strings.Join(out, ", ")
}

// Endpoint returns the operational state of an endpoint.
func Endpoint(e *record.Endpoint) model.EndpointOper {
	return model.EndpointOper{
		Key: e.ID.String(), ContainerID: e.Container(), ContainerName: e.CommonName, EndpointGroupId: e.GroupNumber,
		EndpointGroupKey: e.Group.Reversed(), EndpointID: e.ID.Endpoint, HomingHost: e.Host, IntfName: e.IfName,
		IpAddress: []string{record.Text(e.IP), record.Text(e.IP6)}, Labels: fmt.Sprint(e.Labels), MacAddress: e.MAC.String(),
		Network: e.ID.Network.Dotted(), Pod: e.Pod.ID.Path(), ServiceName: e.Service, Bandwidth: bandwidth(&e.Bandwidth), VtepIP: record.Text(e.VTEP),
	}
}

func endpoints(list []*record.Endpoint) []model.EndpointOper {
	out := make([]model.EndpointOper, len(list))
	for i, e := range list {
		out[i] = Endpoint(e)
	}
	return out
}

// Network returns the operational state of a network, without its endpoints, which may be many.
func Network(v *catalog.View, n *catalog.Network) model.NetworkOper {
	o := model.NetworkOper{
		AllocatedAddressesCount: n.Allocated(), ExternalPktTag: n.Record.ExtPktTag,
		NetworkTag: n.Record.Tag, NumEndpoints: n.Endpoints(), PktTag: n.Record.PktTag,
	}
	if own, ok := n.Pool4(); ok {
		o.AllocatedIPAddresses, o.AvailableIPAddresses = own.AllocatedText(), own.AvailableText()
		o.PooledIPAddresses = n.BlocksText()
	}
	var held, quarantined []netip.Addr
	for _, h := range v.HoldsOn(n) {
		a := h.Address
		switch {
		case !a.Is4():
		case h.Quarantine != "":
			quarantined = append(quarantined, a)
		default:
			held = append(held, a)
		}
	}
	o.HeldIPAddresses, o.QuarantinedIPAddresses = ipam.Text(held), ipam.Text(quarantined)
	return o
}

// Group returns the operational state of a group.
func Group(v *catalog.View, g *record.Group) model.EndpointGroupOper {
	list := v.EndpointsIn(g.ID)
	o := model.EndpointGroupOper{
		Endpoints: endpoints(list), ExternalPktTag: g.ExtPktTag, GroupTag: g.Tag, NumEndpoints: len(list), PktTag: g.PktTag,
		GroupID: g.Number,
	}
	if n := v.Network(g.Network); n != nil {
		if block, ok := n.Block(g.ID); ok {
			o.AllocatedIPAddresses, o.AvailableIPAddresses = block.AllocatedText(), block.AvailableText()
		}
	}
	return o
}

// Tenant returns the operational state of a tenant.
func Tenant(v *catalog.View, name string) model.TenantOper {
	count := func(kind string) int { return len(v.Referrers(model.KindTenant(), name, kind)) }
	o := model.TenantOper{
		TotalNetworks: count("network"), TotalEPGs: count("endpointGroup"), TotalNetprofiles: count("netprofile"),
		TotalAppProfiles: count("appProfile"), TotalServicelbs: count("serviceLB"), TotalPolicies: count("policy"),
	}
	if t := v.Tenant(name); t != nil {
		o.Vrf = int(t.VRF)
	}
	for _, n := range v.Networks(name) {
		no := Network(v, n)
		no.Endpoints = endpoints(v.EndpointsOf(n))
		no.NetworkTag = ""
		o.Networks = append(o.Networks, no)
		o.TotalEndpoints += n.Endpoints()
	}
	for _, g := range v.Groups(name) {
		shown := Group(v, g)
		shown.AllocatedIPAddresses, shown.AvailableIPAddresses, shown.GroupTag = "", "", ""
		o.EndpointGroups = append(o.EndpointGroups, shown)
	}
	return o
}

// Global returns the operational state of the cluster.
func Global(v *catalog.View, clusterMode string) model.GlobalOper {
	n := v.Numbers()
	o := model.GlobalOper{
		ClusterMode: clusterMode, NumNetworks: n.VLANs.InUse() + n.VXLANs.InUse(), VlansInUse: n.VLANs.String(), VxlansInUse: n.VXLANs.String(),
	}
	if r := n.VXLANs.Range(); r.Len() > 0 {
		o.FreeVXLANsStart = r.Min - 1
	}
	return o
}

// Policy returns the operational state of a policy: the endpoints of its groups.
func Policy(v *catalog.View, p *model.Policy) model.PolicyOper {
	var o model.PolicyOper
	for _, key := range v.Referrers(p.Kind(), p.ObjectKey(), model.KindEndpointGroup().Name) {
		g, _ := v.Object(model.KindEndpointGroup(), key).(*model.EndpointGroup)
		o.Endpoints = append(o.Endpoints, endpoints(v.EndpointsIn(g.Identity()))...)
	}
	o.NumEndpoints = len(o.Endpoints)
	return o
}

// ready counts the endpoints on hosts whose agents run.
func ready(v *catalog.View, list []*record.Endpoint) (n int) {
	for _, e := range list {
		if v.Running(e.Host) {
			n++
		}
	}
	return n
}

// Service returns the operational state of a service: its address and its providers.
func Service(v *catalog.View, s *record.ServiceLB) model.ServiceLBOper {
	o := model.ServiceLBOper{ServiceVip: record.Text(s.IP), Providers: endpoints(v.ProvidersOf(s))}
	for i := range o.Providers {
		o.Providers[i].ServiceName = s.ID.Name
	}
	if o.NumProviders = len(o.Providers); !v.IsPast() { // whether agents ran is not kept
		o.NumReady = ready(v, v.ProvidersOf(s))
	}
	return o
}
