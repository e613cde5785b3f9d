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
)

// keyspace is a part of the store: what the view does with the value of a key there; nil: there is none any more.
type keyspace struct {
	prefix string // of the keys; without a slash at its end, the one key
	set    func(v *View, key string, value []byte) error
}

// keyspaces stand in the order in which changes are taken in, so that what others need comes first: an object before its records,
// a network before its groups, those before endpoints. Deletions run backwards.
var keyspaces = []keyspace{
	{record.GlobalKey, (*View).setGlobal},
	{record.Objects + "global/", (*View).setObject},
	{record.Objects, (*View).setObject},
	rows[record.Tenant]{in: func(v *View) *of[record.Tenant] { return v.tenants }, id: func(r *record.Tenant) string { return r.ID }, takes: tenantTakes}.at(record.Tenants),
	rows[Network]{in: func(v *View) *of[Network] { return v.networks }, decode: decodeNetwork, takes: networkTakes, changed: (*View).networkChanged}.at(record.Networks),
	rows[record.Group]{in: func(v *View) *of[record.Group] { return v.groups }, id: groupID, takes: groupTakes, changed: (*View).groupChanged}.at(record.Groups),
	rows[record.ServiceLB]{in: func(v *View) *of[record.ServiceLB] { return v.serviceLBs }, id: func(r *record.ServiceLB) string { return r.ID }, takes: serviceTakes}.at(record.ServiceLBs),
	rows[Member]{in: func(v *View) *of[Member] { return v.endpoints }, decode: decodeMember, takes: endpointTakes, changed: (*View).endpointChanged}.at(record.Endpoints),
	rows[Hold]{in: func(v *View) *of[Hold] { return v.holds }, takes: holdTakes}.at(holdPrefix),
	{record.Services, (*View).setService},
	rows[record.Claim]{in: func(v *View) *of[record.Claim] { return v.claims }, decode: decodeClaim}.at(record.Claims),
	rows[record.ACIProfile]{in: func(v *View) *of[record.ACIProfile] { return v.profiles }, id: func(r *record.ACIProfile) string { return r.Key }, changed: (*View).profileChanged}.at(record.ACIProfiles),
	rows[record.Provider]{in: func(v *View) *of[record.Provider] { return v.providers }, id: func(r *record.Provider) string { return r.ID }}.at(record.Providers),
	rows[event]{in: func(v *View) *of[event] { return v.history }, decode: decodeEvent}.at(record.History),
}

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

// inOrder yields changes in the order in which they are taken in.
func inOrder(changes []mirror.Change) iter.Seq[*mirror.Change] {
	n := len(keyspaces)
	ranked := make([][]*mirror.Change, 2*n+2) // deletions, backwards, before the others
	for i := range changes {
		at := n - rank(changes[i].Key)
		if changes[i].Has {
			at = 2*n + 1 - at
		}
		ranked[at] = append(ranked[at], &changes[i])
	}
	return func(yield func(*mirror.Change) bool) {
		for _, list := range ranked {
			for _, c := range list {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// rows says how the values below a prefix are rows of a table.
type rows[V any] struct {
	in      func(*View) *of[V]                          // by what follows the prefix in their keys
	decode  func(name string, value []byte) (*V, error) // nil: JSON
	id      func(*V) string                             // what a record calls itself, if it does
	changed func(v *View, was, now *V) error            // what else follows; nil is for no row
	takes   func(*V) (taking, error)                    // of the pools, after that
}

// at is the keyspace of a prefix. A value that cannot be decoded leaves the row as it is.
func (r rows[V]) at(prefix string) keyspace {
	return keyspace{prefix, func(v *View, key string, value []byte) (err error) {
		name := strings.TrimPrefix(key, prefix)
		var was, now *V
		if value == nil {
			was, _ = r.in(v).Delete(name)
		} else {
			if now, err = r.read(name, value); now == nil || err != nil {
				return err
			}
			was, _ = r.in(v).Set(name, now)
		}
		if r.changed != nil && (was != nil || now != nil) {
			err = r.changed(v, was, now)
		}
		if r.takes == nil {
			return err
		}
		var before, after taking
		if was != nil {
			before, _ = r.takes(was)
		}
		if now != nil {
			var wrong error
			after, wrong = r.takes(now)
			err = errors.Join(err, wrong)
		}
		return errors.Join(err, v.take(key, before, after))
	}}
}

// read decodes a value. A record whose id is another than its key says is an error.
func (r rows[V]) read(name string, value []byte) (*V, error) {
	if r.decode != nil {
		return r.decode(name, value)
	}
	now := new(V)
	if err := json.Unmarshal(value, now); err != nil {
		return nil, err
	}
	if r.id != nil && r.id(now) != name {
		return nil, fmt.Errorf("it calls itself %q, and its key says %q", r.id(now), name)
	}
	return now, nil
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
