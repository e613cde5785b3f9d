// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/table"
)

// kind describes how the records below a prefix are applied. put returns an error for a malformed record.
type kind struct {
	prefix string
	put    func(r *records, name string, item channel.Item) error
	del    func(r *records, name string)
}

// kinds returns all kinds that an agent reads. Keys below none of the prefixes are not records of ours.
func kinds() []kind {
	return slices.Concat([]kind{
		{record.GlobalKey, (*records).putGlobal, func(*records, string) {}}, // it cannot be withdrawn, only changed
		rows(record.Tenants, tenants, readTenant),
		rows(record.Networks, networks, readNetwork),
		rows(record.Groups, groups, readGroup),
		{record.Rules, (*records).putRule, (*records).delRule},
		{record.Attachments, (*records).putAttachment, (*records).delAttachment},
		rows(record.ServiceLBs, services, readService),
		rows(record.Providers, providers, func(_ *records, p *record.Provider) (string, error) { return p.ID.String(), nil }),
		rows(record.Endpoints, endpoints, readEndpoint),
	},
		kubernetesKinds(),
		netPolicyKinds(),
		[]kind{
			{record.DockerNetworks, (*records).putDockerNetwork, func(r *records, id string) { r.dockerNetworks.Delete(id) }},
			rows(record.BGPs, routers, func(_ *records, b *record.BGP) (string, error) { return b.Hostname, nil }),
			{record.Hosts, (*records).putHost, (*records).delHost},
			rows(record.Services+record.ServiceMaster+"/", masters, readMaster),
		})
}

func readTenant(_ *records, t *record.Tenant) (string, error) {
	if t.VRF == 0 || t.VRF > 32767 {
		return t.Tenant, fmt.Errorf("VRF %d is not within 1..32767", t.VRF)
	}
	return t.Tenant, nil
}

func readNetwork(_ *records, n *record.Network) (string, error) {
	_, err := segment(n, &record.Global{})
	return n.ID.String(), err
}

func readGroup(_ *records, g *record.Group) (string, error) {
	if g.Number <= 0 {
		return g.ID.String(), fmt.Errorf("group number %d is not positive", g.Number)
	}
	if _, err := profile(g); err != nil {
		return g.ID.String(), partial{fmt.Errorf("its limits are left out: %w", err)}
	}
	return g.ID.String(), nil
}

func readService(_ *records, v *record.ServiceLB) (string, error) {
	_, err := serviceOf(v, nil)
	return v.ID.String(), err
}

// readEndpoint records the address of the endpoint's host, unless another record has it.
func readEndpoint(r *records, e *record.Endpoint) (string, error) {
	if e.MAC == (record.MAC{}) {
		return e.ID.String(), fmt.Errorf("it has no MAC address")
	}
	if r.hosts.Get(e.Host) == nil && e.VTEP.IsValid() {
		r.hosts.Set(e.Host, &ofnet.Host{Label: e.Host, VTEP: e.VTEP})
	}
	return e.ID.String(), nil
}

// partial describes the part of a record that cannot be applied; the rest can.
type partial struct{ error }

// rows returns the kind of JSON objects that become the rows of a table. read returns the object's own name, which must equal the key, and
// an error for a malformed object.
func rows[V any](prefix string, of func(*records) *table.Table[string, *V], read func(r *records, v *V) (name string, err error)) kind {
	return kind{prefix, func(r *records, name string, item channel.Item) error {
		v := new(V)
		if err := decode(item.Value, v); err != nil {
			return err
		}
		own, err := read(r, v)
		if own != name && err == nil {
			err = fmt.Errorf("it calls itself %q", own)
		}
		if _, some := err.(partial); (err == nil || some) && own == name {
			of(r).Set(name, v)
		}
		return err
	}, func(r *records, name string) { of(r).Delete(name) }}
}

// decode is json.Unmarshal without the additional scan of a value that decodes itself.
func decode(text []byte, v any) error {
	if own, is := v.(json.Unmarshaler); is {
		return own.UnmarshalJSON(text)
	}
	return json.Unmarshal(text, v)
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
func masters(r *records) *table.Table[string, *record.Service]    { return r.masters }
func machines(r *records) *table.Table[string, *record.Host]      { return r.machines }
func hosts(r *records) *table.Table[string, *ofnet.Host]          { return r.hosts }
func ports(r *records) *table.Table[string, uint32]               { return r.ports }
