package desired

import (
	"encoding/json"
	"fmt"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/table"
)

// kind is how the records below a prefix are taken in. Of one that cannot be read put returns why.
type kind struct {
	prefix string
	put    func(r *records, name string, item store.Item) error
	del    func(r *records, name string)
}

// kinds are all that an agent reads. Keys that are below none of the prefixes are not records of ours.
func kinds() []kind {
	return append(legacyKinds(), []kind{
		{record.GlobalKey, (*records).putGlobal, func(*records, string) {}}, // it cannot be withdrawn, only changed
		{record.GlobalMark, (*records).putMark, func(r *records, _ string) { r.mark = "" }},
		rows(record.Tenants, tenants, func(_ *records, t *record.Tenant) (string, error) {
			if t.VRF == 0 || t.VRF > 32767 {
				return t.Tenant, fmt.Errorf("VRF %d is not within 1..32767", t.VRF)
			}
			return t.Tenant, nil
		}),
		rows(record.Networks, networks, func(_ *records, n *record.Network) (string, error) {
			_, err := segment(n, &record.Global{})
			return n.ID, err
		}).then((*records).gather),
		rows(record.Groups, groups, func(_ *records, g *record.Group) (string, error) {
			if g.EndpointGroupID <= 0 {
				return g.ID, fmt.Errorf("group number %d is not positive", g.EndpointGroupID)
			}
			return g.ID, nil
		}).then((*records).checkProfile),
		{record.Rules, (*records).putRule, (*records).delRule},
		{record.Attachments, (*records).putAttachment, (*records).delAttachment},
		rows(record.ServiceLBs, services, func(_ *records, v *record.ServiceLB) (string, error) {
			_, err := serviceOf(v)
			return v.ID, err
		}),
		rows(record.Providers, providers, func(_ *records, p *record.Provider) (string, error) {
			_, err := backendsOf(p)
			return p.ID, err
		}),
		rows(record.Endpoints, endpoints, func(r *records, e *record.Endpoint) (string, error) {
			_, err := endpoint(e, 0)
			e.Tenant = r.tenantOf(e)
			return e.ID, err
		}).then((*records).place),
		rows(record.BGPs, routers, func(_ *records, b *record.BGP) (string, error) { return b.Hostname, nil }),
		{record.Services + record.ServiceAgentVTEP + "/", (*records).putAgent, (*records).delAgent},
	}...)
}

// rows is the kind of JSON objects that become the rows of a table. read returns the name that the object bears, which must be what
// the key says, and what is wrong with it; what is missing in it it may add.
func rows[V any](prefix string, of func(*records) *table.Table[string, *V], read func(r *records, v *V) (name string, err error)) kind {
	return kind{prefix, func(r *records, name string, item store.Item) error {
		v := new(V)
		if err := json.Unmarshal(item.Value, v); err != nil {
			return err
		}
		own, err := read(r, v)
		if own != name {
			return fmt.Errorf("it calls itself %q", own)
		}
		if err == nil {
			of(r).Set(name, v)
		}
		return err
	}, func(r *records, name string) { of(r).Delete(name) }}
}

// then does something more when a record has been put.
func (k kind) then(more func(r *records, name string) error) kind {
	put := k.put
	k.put = func(r *records, name string, item store.Item) error {
		if err := put(r, name, item); err != nil {
			return err
		}
		return more(r, name)
	}
	return k
}

// The tables, for rows and changed.

func tenants(r *records) *table.Table[string, *record.Tenant]   { return r.tenants }
func networks(r *records) *table.Table[string, *record.Network] { return r.networks }
func groups(r *records) *table.Table[string, *record.Group]     { return r.groups }
func rules(r *records) *table.Table[identity.Rule, *ofnet.Rule] { return r.rules }
func attachments(r *records) *table.Table[identity.Attachment, *ofnet.Attachment] {
	return r.attachments
}
func services(r *records) *table.Table[string, *record.ServiceLB] { return r.services }
func providers(r *records) *table.Table[string, *record.Provider] { return r.providers }
func endpoints(r *records) *table.Table[string, *record.Endpoint] { return r.endpoints }
func routers(r *records) *table.Table[string, *record.BGP]        { return r.routers }
func agents(r *records) *table.Table[string, *agent]              { return r.agents }
func hosts(r *records) *table.Table[string, *ofnet.Host]          { return r.hosts }
func ports(r *records) *table.Table[string, uint32]               { return r.ports }
