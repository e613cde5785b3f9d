// SPDX-License-Identifier: Apache-2.0

package dns

import (
	"net/netip"
	"strings"

	"github.com/contiv/contiv/daemon/agent/names"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/table"
)

// Zone answers by the names of all tenants: services, groups, containers. Names of one tenant do not exist for another. Its methods are safe
// for concurrent use. Names are case-insensitive (RFC 4343).
type Zone struct {
	domain  string                 // under which every name exists too, without dots at its ends
	cluster string                 // under which the names of Kubernetes exist, without dots at its ends; "" for no such names
	read    func() *names.Snapshot // the records as of now
	sorted  sorted
}

// NewZone returns a Zone of the records that read returns, whose names exist under domain, such as "contiv", as well as bare, and those of
// Kubernetes under cluster, such as "cluster.local"; "" for no names of Kubernetes. read must not block.
func NewZone(domain, cluster string, read func() *names.Snapshot) *Zone {
	return &Zone{domain: trim(domain), cluster: trim(cluster), read: read}
}

// trim returns a domain in lower case and without dots at its ends.
func trim(domain string) string { return strings.ToLower(strings.Trim(domain, ".")) }

// view is a Zone with the records of one moment.
type view struct {
	*Zone
	*names.Snapshot
}

func (z *Zone) view() *view { return &view{z, z.read()} }

// kubernetes returns the names of Kubernetes in the view.
func (v *view) kubernetes() *kubeNames { return &kubeNames{v.cluster, v.Kubernetes} }

// Unserved reports whether an address is that of the cluster's name server, which the tenant with this VRF number cannot reach.
func (z *Zone) Unserved(vrf uint16, a netip.Addr) bool {
	v := z.view()
	tenant, known := v.tenantOf(vrf)
	return known && v.kubernetes().Unserved(tenant, a)
}

// tenantOf returns the name of the tenant with a VRF number.
func (v *view) tenantOf(vrf uint16) (name string, known bool) {
	return first(names.TenantsByVRF.In(v.Tenants, vrf))
}

// first returns the first of the keys of some rows, in order; ok is false if there are none.
func first[V any](rows table.Rows[string, V]) (key string, ok bool) {
	for k := range rows.All() {
		if !ok || k < key {
			key, ok = k, true
		}
	}
	return key, ok
}

// service returns the service with a name, or nil.
func (v *view) service(at names.In) *record.ServiceLB {
	id, _ := first(names.ServicesNamed.In(v.Services, at))
	return v.Services.Get(id)
}

// owner returns the name of an address: of a service before an endpoint; "" if there is none.
func (v *view) owner(at names.At) string {
	if id, ok := first(names.ServicesAt.In(v.Services, at)); ok {
		return names.Fold(v.Services.Get(id).ID.Name)
	}
	if id, ok := first(names.EndpointsAt.In(v.Endpoints, at)); ok {
		return names.Name(v.Endpoints.Get(id))
	}
	return ""
}

// relative is a name without the domain and the tenant; under reports whether it had the domain.
func (z *Zone) relative(name, of string) (rest string, under bool) {
	rest, under = strings.CutSuffix(name, "."+z.domain)
	if under {
		rest = strings.TrimSuffix(rest, "."+strings.ToLower(of))
	}
	return rest, under
}

// addresses resolves a name: a service before a group before a container. ok is false if it does not exist.
func (v *view) addresses(at names.In) (addrs []netip.Addr, ok bool) {
	if s := v.service(at); s != nil {
		return []netip.Addr{s.IP}, true
	}
	if rows := names.EndpointsInGroup.In(v.Endpoints, at); rows.Len() > 0 {
		return v.sorted.addresses(rows), true
	}
	if rows := names.EndpointsNamed.In(v.Endpoints, at); rows.Len() > 0 {
		return v.sorted.addresses(rows), true
	}
	return nil, false
}

// Listing has all names of a tenant, for display.
type Listing struct {
	Services   map[string][]string `json:"services"`
	Names      map[string][]string `json:"commonNames"`
	Groups     map[string][]string `json:"endpointGroups"`
	Containers map[string][]string `json:"endpoints"` // addresses by endpoint id
}

// List returns the names of all tenants.
func (z *Zone) List() map[string]Listing {
	v := z.view()
	out := map[string]Listing{}
	of := func(tenant string) Listing {
		l, some := out[tenant]
		if !some {
			l = Listing{map[string][]string{}, map[string][]string{}, map[string][]string{}, map[string][]string{}}
			out[tenant] = l
		}
		return l
	}
	for at, rows := range names.ServicesNamed.Each(v.Services) {
		id, _ := first(rows)
		of(at.Tenant).Services[at.Name] = []string{v.Services.Get(id).IP.String()}
	}
	for at, rows := range names.EndpointsInGroup.Each(v.Endpoints) {
		of(at.Tenant).Groups[at.Name] = texts(sortedAddresses(rows))
	}
	for at, rows := range names.EndpointsNamed.Each(v.Endpoints) {
		of(at.Tenant).Names[at.Name] = texts(sortedAddresses(rows))
	}
	for id, e := range v.Endpoints.All() {
		of(e.ID.Tenant).Containers[id] = texts(names.Addresses(e))
	}
	return out
}

func texts(addrs []netip.Addr) []string {
	out := make([]string, 0, len(addrs))
	for _, a := range addrs {
		out = append(out, a.String())
	}
	return out
}
