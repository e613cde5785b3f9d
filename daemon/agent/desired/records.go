package desired

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/table"
)

// records is what the store says, decoded, and where endpoints are attached here. Rows are not changed: another takes their place.
type records struct {
	self      string
	kinds     []kind
	global    record.Global
	sum, mark string // of global, as it is here and as it is to be; the latter "": no one says

	tenants     *table.Table[string, *record.Tenant]  // by name
	networks    *table.Table[string, *record.Network] // by id
	groups      *table.Table[string, *record.Group]   // by id
	rules       *table.Table[identity.Rule, *ofnet.Rule]
	attachments *table.Table[identity.Attachment, *ofnet.Attachment]
	legacy      legacy
	services    *table.Table[string, *record.ServiceLB] // by id
	providers   *table.Table[string, *record.Provider]  // of services, by id
	endpoints   *table.Table[string, *record.Endpoint]  // by id
	routers     *table.Table[string, *record.BGP]       // by host
	agents      *table.Table[string, *agent]            // registrations, by what is unique in their keys
	hosts       *table.Table[string, *ofnet.Host]       // as their registrations told; they outlive these
	ports       *table.Table[string, uint32]            // OpenFlow port of an endpoint that is attached here, by id
}

// seat is where a tenant is on a host.
type seat struct{ tenant, host string }

// What finds records.
var (
	networksOfTenant    = table.By[string](func(n *record.Network) string { return n.Tenant })
	groupsOfTenant      = table.By[string](func(g *record.Group) string { return g.TenantName })
	groupsOfNetwork     = table.By[string](networkOf)
	groupsNumbered      = table.By[string](func(g *record.Group) int { return g.EndpointGroupID })
	rulesOfTenant       = table.By[identity.Rule](func(r *ofnet.Rule) string { return r.ID.Tenant })
	attachmentsOfTenant = table.By[identity.Attachment](func(a *ofnet.Attachment) string { return a.ID.Tenant })
	servicesOfTenant    = table.By[string](func(v *record.ServiceLB) string { return v.Tenant })
	endpointsOfTenant   = table.By[string](func(e *record.Endpoint) string { return e.Tenant })
	endpointsOfGroup    = table.By[string](func(e *record.Endpoint) string { return e.EndpointGroupKey })
	endpointsOfHost     = table.By[string](func(e *record.Endpoint) string { return e.HomingHost })
	agentsOfHost        = table.By[string](func(a *agent) string { return a.Label })
	tenantsOfHost       = table.Sum[string](func(e *record.Endpoint) (seat, uint64) { return seat{e.Tenant, e.HomingHost}, 1 })
	// strays are the endpoints of a network whose tenant its record alone tells.
	strays = table.By[string](func(e *record.Endpoint) string {
		if e.Tenant != "" {
			return ""
		}
		return e.NetID
	})
)

func newRecords(self string) *records {
	return &records{self: self, kinds: kinds(), tenants: table.New[string, *record.Tenant](), networks: table.New(networksOfTenant),
		groups: table.New(groupsOfTenant, groupsOfNetwork, groupsNumbered), rules: table.New(rulesOfTenant), attachments: table.New(attachmentsOfTenant),
		legacy: newLegacy(), services: table.New(servicesOfTenant),
		providers: table.New[string, *record.Provider](), routers: table.New[string, *record.BGP](),
		endpoints: table.New(endpointsOfTenant, endpointsOfGroup, endpointsOfHost, tenantsOfHost, strays),
		agents:    table.New(agentsOfHost), hosts: table.New[string, *ofnet.Host](), ports: table.New[string, uint32]()}
}

// clone returns records that say the same, while r changes.
func (r *records) clone() *records {
	c := *r
	c.tenants, c.networks, c.groups, c.rules = r.tenants.Clone(), r.networks.Clone(), r.groups.Clone(), r.rules.Clone()
	c.attachments, c.legacy = r.attachments.Clone(), r.legacy.clone()
	c.services, c.providers, c.endpoints = r.services.Clone(), r.providers.Clone(), r.endpoints.Clone()
	c.routers, c.agents, c.hosts, c.ports = r.routers.Clone(), r.agents.Clone(), r.hosts.Clone(), r.ports.Clone()
	return &c
}

// put takes over a record. Of one that cannot be read, what was known of it stays; a rule that may have been meant to deny something
// denies all.
func (r *records) put(item store.Item) error {
	for _, k := range r.kinds {
		if name, ok := strings.CutPrefix(item.Key, k.prefix); ok {
			if err := k.put(r, name, item); err != nil {
				return fmt.Errorf("record %s: %w", item.Key, err)
			}
		}
	}
	return nil
}

// del forgets the record at key.
func (r *records) del(key string) {
	for _, k := range r.kinds {
		if name, ok := strings.CutPrefix(key, k.prefix); ok {
			k.del(r, name)
		}
	}
}

func (r *records) putGlobal(_ string, item store.Item) error {
	var g record.Global
	if err := json.Unmarshal(item.Value, &g); err != nil {
		return err
	}
	r.global, r.sum = g, record.Sum(item.Value)
	return nil
}

func (r *records) putMark(_ string, item store.Item) error {
	var m record.Mark
	if err := json.Unmarshal(item.Value, &m); err != nil {
		return err
	}
	r.mark = m.Sum
	return nil
}

// torn says whether the configuration is not the one that belongs to the other records: it comes by a watch of its own.
func (r *records) torn() bool { return r.mark != "" && r.mark != r.sum }

// tenantOf is the tenant of an endpoint, whose record may be of an older build. Its network's record tells when the network's id, which is
// made of both names, does not; as long as that has not come, the endpoint is of no tenant.
func (r *records) tenantOf(e *record.Endpoint) string {
	tenant := e.TenantOf()
	if n := r.networks.Get(e.NetID); n != nil && tenant == "" {
		tenant = n.Tenant
	}
	return tenant
}

// gather gives the endpoints of a network that has come their tenant.
func (r *records) gather(network string) error {
	for id, e := range strays.In(r.endpoints.Clone(), network).All() {
		found := *e
		found.Tenant = r.tenantOf(e)
		r.endpoints.Set(id, &found)
	}
	return nil
}

// place notes where the host of an endpoint is, as long as no registration has told.
func (r *records) place(endpoint string) error {
	e := r.endpoints.Get(endpoint)
	if r.hosts.Get(e.HomingHost) != nil {
		return nil
	}
	if end, err := netip.ParseAddr(e.VtepIP); err == nil {
		r.hosts.Set(e.HomingHost, &ofnet.Host{Label: e.HomingHost, VTEP: end})
	}
	return nil
}

// checkProfile says what is wrong with a group's limits, which are left out then.
func (r *records) checkProfile(group string) error {
	if _, err := profile(r.groups.Get(group)); err != nil {
		return fmt.Errorf("its limits are left out: %w", err)
	}
	return nil
}

// present reports whether the tenant has a member on this host; the switch needs to know of no others.
func (r *records) present(tenant string) bool {
	n, _ := tenantsOfHost.In(r.endpoints, seat{tenant, r.self})
	return n > 0 && tenant != ""
}

// byACI says whether an ACI fabric carries out the policies, so that the switch gets none.
func (r *records) byACI() bool { return r.global.InfraType == "aci" }

// private is the subnet between hosts and endpoints.
func (r *records) private() netip.Prefix {
	const length = 16
	if p, err := netip.ParsePrefix(r.global.PvtSubnet); err == nil && p.Addr().Is4() && p.Bits() == length {
		return p.Masked()
	}
	return ofnet.DefaultPrivate()
}
