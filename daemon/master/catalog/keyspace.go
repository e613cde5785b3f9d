// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store/mirror"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/table"
)

// keyspace is a part of the store, with the function that applies the value of a key; nil: the key was deleted.
type keyspace struct {
	prefix string // of the keys; without a slash at its end, the complete key
	set    func(v *View, key string, value []byte) error
	// ahead does the part of set that needs no view, for a value that is not nil, and returns the rest; nil: nothing can be done in
	// advance.
	ahead func(key string, value []byte) func(v *View) error
}

// keyspaces has the order in which changes are applied, so that dependencies come first: an object before its records, a network before its
// groups, groups before endpoints. Deletions are applied in the reverse order.
var keyspaces = slices.Concat([]keyspace{
	{prefix: record.GlobalKey, set: (*View).setGlobal},
	{prefix: record.Objects + "global/", set: (*View).setObject},
	{prefix: record.Objects, set: (*View).setObject},
	rows[string, record.Tenant]{in: func(v *View) *of[record.Tenant] { return &v.tenants }, id: func(r *record.Tenant) string { return r.ID }, allocation: tenantAllocation}.at(record.Tenants),
	rows[identity.Network, network]{in: networkRows, parse: identity.ParseNetwork, decode: decodeNetwork, id: (*network).id, allocation: networkAllocation, changed: (*View).networkChanged}.at(record.Networks),
	rows[identity.Group, record.Group]{in: groupRows, parse: identity.ParseGroup, id: groupID, allocation: groupAllocation}.at(record.Groups),
	rows[identity.Service, record.ServiceLB]{in: serviceRows, parse: identity.ParseService, id: serviceID, allocation: serviceAllocation}.at(record.ServiceLBs),
	rows[identity.Endpoint, Member]{in: memberRows, parse: identity.ParseEndpoint, decode: decodeMember, id: memberID, allocation: endpointAllocation, changed: (*View).endpointChanged}.at(record.Endpoints),
	rows[identity.KubernetesService, record.LoadBalancer]{in: balancerRows, parse: identity.ParseKubernetesService, id: balancerID, allocation: balancerAllocation}.at(record.LoadBalancers),
	rows[networkAddress, Hold]{in: func(v *View) *table.Table[networkAddress, *Hold] { return &v.holds }, parse: parseHold, id: (*Hold).held, allocation: holdAllocation}.at(HoldPrefix),
	rows[string, record.DockerNetwork]{in: func(v *View) *of[record.DockerNetwork] { return &v.dockerNetworks }, id: func(r *record.DockerNetwork) string { return r.ID }}.at(record.DockerNetworks),
}, ownedSpaces(), authSpaces(), enrolSpaces(), alertSpaces(), []keyspace{
	timelineSpace(),
	adoptionSpace(),
	acknowledgementSpace(),
	rows[identity.EndpointSlice, slice]{in: sliceRows, parse: identity.ParseEndpointSlice, decode: decodeSlice, id: sliceID, changed: (*View).sliceChanged}.at(record.EndpointSlices),
	rows[string, record.KubernetesNode]{in: nodeRows, id: func(n *record.KubernetesNode) string { return n.Name }}.at(record.KubernetesNodes),
	{prefix: record.Services, set: (*View).setService},
	rows[string, record.Host]{in: hostRows, id: func(h *record.Host) string { return h.Label }}.at(record.Hosts),
	rows[string, record.Running]{in: runRows, id: func(r *record.Running) string { return r.Host }}.at(record.Runs),
	rows[string, record.ACIProfile]{in: func(v *View) *of[record.ACIProfile] { return &v.profiles }, id: func(r *record.ACIProfile) string { return r.Key }, changed: (*View).profileChanged}.at(record.ACIProfiles),
	rows[identity.Service, record.Provider]{in: providerRows, parse: identity.ParseService, id: func(r *record.Provider) identity.Service { return r.ID }}.at(record.Providers),
	rows[string, event]{in: func(v *View) *of[event] { return &v.history }, decode: decodeEvent}.at(record.History),
})

// rank returns the position of a key's keyspace; unknown keys come last.
func rank(key string) int {
	i := slices.IndexFunc(keyspaces, func(s keyspace) bool {
		return key == s.prefix || strings.HasSuffix(s.prefix, "/") && strings.HasPrefix(key, s.prefix)
	})
	if i < 0 {
		return len(keyspaces)
	}
	return i
}

// inOrder yields changes, with their indexes, in the order in which they are applied.
func inOrder(changes []mirror.Change) iter.Seq2[int, *mirror.Change] {
	n := len(keyspaces)
	ranked := make([][]int, 2*n+2) // deletions, in reverse, before the others
	for i := range changes {
		at := n - rank(changes[i].Key)
		if changes[i].Has {
			at = 2*n + 1 - at
		}
		ranked[at] = append(ranked[at], i)
	}
	return func(yield func(int, *mirror.Change) bool) {
		for _, list := range ranked {
			for _, i := range list {
				if !yield(i, &changes[i]) {
					return
				}
			}
		}
	}
}

// rows describes how the values below a prefix become rows of a table.
type rows[K comparable, V any] struct {
	in         func(*View) *table.Table[K, *V]
	parse      func(name string) (K, error)                // parses the key after the prefix; nil: the rest is the row's key
	decode     func(name string, value []byte) (*V, error) // nil: JSON
	id         func(*V) K                                  // the id in a record, if it has one
	changed    func(v *View, was, now *V) error            // updates derived data; nil for no row
	allocation func(*V) (allocation, error)                // of the pools, after that
}

// at returns the keyspace of a prefix. A value that cannot be decoded leaves the row unchanged.
func (r rows[K, V]) at(prefix string) keyspace {
	read := func(key string, value []byte) (id K, now *V, err error) {
		name := strings.TrimPrefix(key, prefix)
		if id, err = r.key(name); err == nil && value != nil {
			now, err = r.read(id, name, value)
		}
		return id, now, err
	}
	return keyspace{prefix: prefix, set: func(v *View, key string, value []byte) error {
		id, now, err := read(key, value)
		if err != nil || now == nil && value != nil {
			return err
		}
		return r.put(v, key, id, now)
	}, ahead: func(key string, value []byte) func(v *View) error {
		id, now, err := read(key, value)
		return func(v *View) error {
			if err != nil || now == nil {
				return err
			}
			return r.put(v, key, id, now)
		}
	}}
}

// put sets a row; nil deletes it.
func (r rows[K, V]) put(v *View, key string, id K, now *V) (err error) {
	var was *V
	if now == nil {
		was, _ = r.in(v).Delete(id)
	} else {
		was, _ = r.in(v).Set(id, now)
	}
	if r.changed != nil && (was != nil || now != nil) {
		err = r.changed(v, was, now)
	}
	if r.allocation == nil {
		return err
	}
	var before, after allocation
	if was != nil {
		before, _ = r.allocation(was)
	}
	if now != nil {
		var wrong error
		after, wrong = r.allocation(now)
		err = errors.Join(err, wrong)
	}
	return errors.Join(err, v.updatePools(key, before, after))
}

// read decodes a value. A record whose id differs from its key is an error.
func (r rows[K, V]) read(id K, name string, value []byte) (now *V, err error) {
	if r.decode != nil {
		now, err = r.decode(name, value)
	} else {
		now = new(V)
		err = json.Unmarshal(value, now)
	}
	if err != nil || now == nil {
		return nil, err
	}
	if r.id != nil && r.id(now) != id {
		return nil, fmt.Errorf("it calls itself %v, and its key says %v", r.id(now), id)
	}
	return now, nil
}

// key returns the key of the row with a name.
func (r rows[K, V]) key(name string) (id K, err error) {
	if r.parse != nil {
		return r.parse(name)
	}
	id, _ = any(name).(K)
	return id, nil
}

// set applies the value of a key, or its deletion.
func (v *View) set(key string, value []byte, has bool) error {
	i := rank(key)
	switch {
	case i == len(keyspaces):
		return nil
	case !has:
		value = nil
	case value == nil:
		value = []byte{}
	}
	return keyspaces[i].set(v, key, value)
}

// The tables, for rows.

func networkRows(v *View) *table.Table[identity.Network, *network]          { return &v.networks }
func groupRows(v *View) *table.Table[identity.Group, *record.Group]         { return &v.groups }
func serviceRows(v *View) *table.Table[identity.Service, *record.ServiceLB] { return &v.serviceLBs }
func providerRows(v *View) *table.Table[identity.Service, *record.Provider] { return &v.providers }
func sliceRows(v *View) *table.Table[identity.EndpointSlice, *slice]        { return &v.slices }
func memberRows(v *View) *table.Table[identity.Endpoint, *Member]           { return &v.endpoints }
