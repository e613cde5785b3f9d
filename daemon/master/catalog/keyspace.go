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

// keyspace is a part of the store: what the view does with the value of a key there; nil: there is none any more.
type keyspace struct {
	prefix string // of the keys; without a slash at its end, the one key
	set    func(v *View, key string, value []byte) error
	// ahead does what of set needs no view, with a value that is not nil, and returns the rest; nil: there is nothing to be done ahead.
	ahead func(key string, value []byte) func(v *View) error
}

// keyspaces stand in the order in which changes are taken in, so that what others need comes first: an object before its records,
// a network before its groups, those before endpoints. Deletions run backwards.
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
}, ownedSpaces(), authSpaces(), enrolSpaces(), []keyspace{
	timelineSpace(),
	adoptionSpace(),
	rows[identity.EndpointSlice, slice]{in: sliceRows, parse: identity.ParseEndpointSlice, decode: decodeSlice, id: sliceID, changed: (*View).sliceChanged}.at(record.EndpointSlices),
	rows[string, record.KubernetesNode]{in: nodeRows, id: func(n *record.KubernetesNode) string { return n.Name }}.at(record.KubernetesNodes),
	{prefix: record.Services, set: (*View).setService},
	rows[string, record.Host]{in: hostRows, id: func(h *record.Host) string { return h.Label }}.at(record.Hosts),
	rows[string, record.Running]{in: runRows, id: func(r *record.Running) string { return r.Host }}.at(record.Runs),
	rows[string, record.ACIProfile]{in: func(v *View) *of[record.ACIProfile] { return &v.profiles }, id: func(r *record.ACIProfile) string { return r.Key }, changed: (*View).profileChanged}.at(record.ACIProfiles),
	rows[identity.Service, record.Provider]{in: providerRows, parse: identity.ParseService, id: func(r *record.Provider) identity.Service { return r.ID }}.at(record.Providers),
	rows[string, event]{in: func(v *View) *of[event] { return &v.history }, decode: decodeEvent}.at(record.History),
})

// rank is where a key's keyspace stands; of a key that the view has no use for, behind all.
func rank(key string) int {
	i := slices.IndexFunc(keyspaces, func(s keyspace) bool {
		return key == s.prefix || strings.HasSuffix(s.prefix, "/") && strings.HasPrefix(key, s.prefix)
	})
	if i < 0 {
		return len(keyspaces)
	}
	return i
}

// inOrder yields changes, with their indexes, in the order in which they are taken in.
func inOrder(changes []mirror.Change) iter.Seq2[int, *mirror.Change] {
	n := len(keyspaces)
	ranked := make([][]int, 2*n+2) // deletions, backwards, before the others
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

// rows says how the values below a prefix are rows of a table.
type rows[K comparable, V any] struct {
	in         func(*View) *table.Table[K, *V]
	parse      func(name string) (K, error)                // of what follows the prefix in a key; nil: it is the row's key
	decode     func(name string, value []byte) (*V, error) // nil: JSON
	id         func(*V) K                                  // what a record calls itself, if it does
	changed    func(v *View, was, now *V) error            // what else follows; nil is for no row
	allocation func(*V) (allocation, error)                // of the pools, after that
}

// at is the keyspace of a prefix. A value that cannot be decoded leaves the row as it is.
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

// put sets a row; nil: there is none any more.
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

// read decodes a value. A record whose id is another than its key says is an error.
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

// key is the key of the row that a name stands for.
func (r rows[K, V]) key(name string) (id K, err error) {
	if r.parse != nil {
		return r.parse(name)
	}
	id, _ = any(name).(K)
	return id, nil
}

// set takes in the value of a key, or that there is none.
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
