// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"

	"github.com/contiv/contiv/daemon/agent/names"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/table"
)

// records are the decoded records of the store, and the ports of attached endpoints. Rows are replaced, never changed.
type records struct {
	self   string
	kinds  []kind
	global record.Global

	tenants        *table.Table[string, *record.Tenant]  // by name
	networks       *table.Table[string, *record.Network] // by id
	groups         *table.Table[string, *record.Group]   // by id
	rules          *table.Table[identity.Rule, *ofnet.Rule]
	attachments    *table.Table[identity.Attachment, *ofnet.Attachment]
	kube           kubernetes
	net            netPolicies
	services       *table.Table[string, *record.ServiceLB]     // by id
	providers      *table.Table[string, *record.Provider]      // of services, by id
	endpoints      *table.Table[string, *record.Endpoint]      // by id
	routers        *table.Table[string, *record.BGP]           // by host
	dockerNetworks *table.Table[string, *record.DockerNetwork] // by Docker's id
	masters        *table.Table[string, *record.Service]       // netmasters, by "address:port"
	machines       *table.Table[string, *record.Host]          // that are hosts, by label
	// the same, and hosts of endpoints whose machine is not or no longer known
	hosts *table.Table[string, *ofnet.Host]
	ports *table.Table[string, uint32] // OpenFlow port of an endpoint that is attached here, by id
}

// tenantOnHost is a tenant with endpoints on a host.
type tenantOnHost struct{ tenant, host string }

// Indexes of records.
var (
	networksOfTenant    = table.By[string](func(n *record.Network) string { return n.ID.Tenant })
	groupsOfTenant      = table.By[string](func(g *record.Group) string { return g.ID.Tenant })
	groupsOfNetwork     = table.By[string](func(g *record.Group) identity.Network { return g.Network })
	rulesOfTenant       = table.By[identity.Rule](func(r *ofnet.Rule) string { return r.ID.Tenant })
	attachmentsOfTenant = table.By[identity.Attachment](func(a *ofnet.Attachment) string { return a.ID.Tenant })
	servicesOfTenant    = table.By[string](func(v *record.ServiceLB) string { return v.ID.Tenant })
	endpointsOfTenant   = table.By[string](func(e *record.Endpoint) string { return e.ID.Tenant })
	endpointsOfGroup    = table.By[string](func(e *record.Endpoint) identity.Group { return e.Group })
	endpointsOfHost     = table.By[string](func(e *record.Endpoint) string { return e.Host })
	tenantsOfHost       = table.Sum[string](func(e *record.Endpoint) (tenantOnHost, uint64) { return tenantOnHost{e.ID.Tenant, e.Host}, 1 })
)

func newRecords(self string) *records {
	return &records{self: self, kinds: kinds(), tenants: table.New(names.TenantsByVRF), networks: table.New(networksOfTenant),
		groups: table.New(groupsOfTenant, groupsOfNetwork), rules: table.New(rulesOfTenant), attachments: table.New(attachmentsOfTenant),
		kube: newKubernetes(), net: newNetPolicies(), services: table.New(servicesOfTenant, names.ServicesNamed, names.ServicesAt),
		providers: table.New[string, *record.Provider](), routers: table.New[string, *record.BGP](),
		endpoints:      table.New(endpointsOfTenant, endpointsOfGroup, endpointsOfHost, tenantsOfHost, names.EndpointsInGroup, names.EndpointsNamed, names.EndpointsAt),
		dockerNetworks: table.New[string, *record.DockerNetwork](),
		masters:        table.New[string, *record.Service](), machines: table.New[string, *record.Host](), hosts: table.New[string, *ofnet.Host](), ports: table.New[string, uint32]()}
}

// clone returns a copy that does not follow changes of r.
func (r *records) clone() *records {
	c := *r
	c.tenants, c.networks, c.groups, c.rules = r.tenants.Clone(), r.networks.Clone(), r.groups.Clone(), r.rules.Clone()
	c.attachments, c.kube = r.attachments.Clone(), r.kube.clone()
	c.services, c.providers, c.endpoints = r.services.Clone(), r.providers.Clone(), r.endpoints.Clone()
	c.routers, c.masters, c.machines = r.routers.Clone(), r.masters.Clone(), r.machines.Clone()
	c.hosts, c.ports = r.hosts.Clone(), r.ports.Clone()
	c.dockerNetworks, c.net = r.dockerNetworks.Clone(), r.net.clone()
	return &c
}

// names returns the records with names. They change with r.
func (r *records) names() *names.Snapshot {
	return &names.Snapshot{Tenants: r.tenants, Endpoints: r.endpoints, Services: r.services,
		Kubernetes: names.Kubernetes{Services: r.kube.services, Slices: r.kube.slices, Namespaces: r.kube.namespaces}}
}

// put applies a record. A malformed record leaves the previous one; a rule that may have been meant to deny something denies everything.
func (r *records) put(item channel.Item) error {
	for _, k := range r.kinds {
		if name, ok := strings.CutPrefix(item.Key, k.prefix); ok {
			if err := k.put(r, name, item); err != nil {
				return fmt.Errorf("record %s: %w", item.Key, err)
			}
		}
	}
	return nil
}

// del deletes the record at key.
func (r *records) del(key string) {
	for _, k := range r.kinds {
		if name, ok := strings.CutPrefix(key, k.prefix); ok {
			k.del(r, name)
		}
	}
}

func (r *records) putGlobal(_ string, item channel.Item) error {
	var g record.Global
	if err := json.Unmarshal(item.Value, &g); err != nil {
		return err
	}
	r.global = g
	return nil
}

// direct reports whether hosts and endpoints use their own addresses with each other.
func (r *records) direct() bool { return r.global.HostAccess == record.HostDirect }

// present reports whether the switch needs the tenant: it has a member on this host, or the host itself accesses all tenants.
func (r *records) present(tenant string) bool {
	if r.direct() {
		return tenant != ""
	}
	n, _ := tenantsOfHost.In(r.endpoints, tenantOnHost{tenant, r.self})
	return n > 0 && tenant != ""
}

// byACI reports whether an ACI fabric enforces the policies, so that the switch gets none.
func (r *records) byACI() bool { return r.global.InfraType == "aci" }

// private returns the subnet between hosts and endpoints.
func (r *records) private() netip.Prefix {
	const length = 16
	if p := r.global.PvtSubnet; p.IsValid() && p.Addr().Is4() && p.Bits() == length {
		return p.Masked()
	}
	return ofnet.DefaultPrivate()
}
