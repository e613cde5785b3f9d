// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/table"
)

// objects are rows of a State's tables, by their keys.
type objects map[ofnet.Key]struct{}

func (o objects) add(kind ofnet.Kind, name string) {
	o[ofnet.Key{Kind: kind, Name: name}] = struct{}{}
}

// kindAttachment is the kind of attachments, which cause no flows.
const kindAttachment ofnet.Kind = "attachment"

func (o objects) rule(id identity.Rule)             { o.add(ofnet.KindRule, id.String()) }
func (o objects) attachment(id identity.Attachment) { o.add(kindAttachment, id.String()) }

// changed calls whose with the previous and the current value of each row that differs in two records.
func changed[K comparable, V any](before, after *records, of func(*records) *table.Table[K, V], whose func(r *records, name K, row V)) {
	for c := range table.Changes(of(before), of(after)) {
		if c.Had {
			whose(before, c.Key, c.Before)
		}
		if c.Has {
			whose(after, c.Key, c.After)
		}
	}
}

// affected returns the objects that follow from the differences of two records.
func affected(before, after *records) objects {
	out, concerned := objects{}, map[string]struct{}{} // tenants
	changed(before, after, tenants, func(_ *records, name string, _ *record.Tenant) { out.add(ofnet.KindTenant, name) })
	changed(before, after, networks, func(r *records, id string, _ *record.Network) { out.network(r, id) })
	changed(before, after, groups, func(r *records, id string, _ *record.Group) { out.group(r, id) })
	changed(before, after, rules, func(_ *records, id identity.Rule, _ *ofnet.Rule) { out.rule(id) })
	changed(before, after, attachments, func(_ *records, id identity.Attachment, _ *ofnet.Attachment) { out.attachment(id) })
	out.kubernetes(before, after)
	changed(before, after, services, func(_ *records, id string, _ *record.ServiceLB) { out.add(ofnet.KindService, id) })
	changed(before, after, providers, func(_ *records, id string, _ *record.Provider) { out.add(ofnet.KindService, id) })
	changed(before, after, endpoints, func(_ *records, id string, e *record.Endpoint) {
		out.add(ofnet.KindEndpoint, id)
		out.add(ofnet.KindHost, e.Host)
		concerned[e.ID.Tenant] = struct{}{}
	})
	changed(before, after, machines, func(_ *records, label string, _ *record.Host) { out.add(ofnet.KindHost, label) })
	changed(before, after, hosts, func(_ *records, label string, _ *ofnet.Host) { out.add(ofnet.KindHost, label) })
	changed(before, after, ports, func(_ *records, id string, _ uint32) { out.add(ofnet.KindEndpoint, id) })
	for tenant := range concerned {
		// A tenant that gets its first member here, or loses its last, changes as a whole.
		if before.present(tenant) != after.present(tenant) {
			out.tenant(before, tenant)
			out.tenant(after, tenant)
		}
	}
	if before.direct() != after.direct() {
		for name := range after.tenants.All() {
			out.tenant(before, name)
			out.tenant(after, name)
		}
	}
	if before.global != after.global {
		for id := range after.networks.All() {
			out.network(after, id)
		}
	}
	if before.byACI() != after.byACI() {
		for id := range after.attachments.All() {
			out.attachment(id)
		}
	}
	return out
}

// network adds a network, and the segments of groups that have its addresses.
func (o objects) network(r *records, id string) {
	o.add(ofnet.KindSegment, id)
	network, _ := identity.ParseNetwork(id)
	for group := range groupsOfNetwork.In(r.groups, network).All() {
		o.apart(r, group)
	}
}

// group adds a group.
func (o objects) group(r *records, id string) {
	o.add(ofnet.KindGroup, id)
	o.apart(r, id)
}

// apart adds the segment of a group that has one, and its endpoints.
func (o objects) apart(r *records, group string) {
	own, ok := r.ownVLAN(group)
	if !ok {
		return
	}
	o.add(ofnet.KindSegment, own.ID.String())
	for id := range endpointsOfGroup.In(r.endpoints, r.groups.Get(group).ID).All() {
		o.add(ofnet.KindEndpoint, id)
	}
}

// tenant adds a tenant and all its objects.
func (o objects) tenant(r *records, name string) {
	o.add(ofnet.KindTenant, name)
	for id := range networksOfTenant.In(r.networks, name).All() {
		o.network(r, id)
	}
	for id := range groupsOfTenant.In(r.groups, name).All() {
		o.group(r, id)
	}
	for id := range rulesOfTenant.In(r.rules, name).All() {
		o.rule(id)
	}
	for id := range attachmentsOfTenant.In(r.attachments, name).All() {
		o.attachment(id)
	}
	for id := range servicesOfTenant.In(r.services, name).All() {
		o.add(ofnet.KindService, id)
	}
	o.kubernetesOf(r, name)
	for id := range endpointsOfTenant.In(r.endpoints, name).All() {
		o.add(ofnet.KindEndpoint, id)
	}
}
