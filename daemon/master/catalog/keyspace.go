package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// keyspace is a part of the store: what the view does with a key there.
type keyspace struct {
	prefix string // of the keys; without a slash at its end, the one key
	put    func(v *View, it store.Item) error
	drop   func(v *View, key string)
}

// keyspaces stand in the order in which changes are taken in, so that what others need comes first: an object before its records,
// a network before its groups, those before endpoints. Deletions run backwards.
var keyspaces = []keyspace{
	{record.GlobalKey, putGlobal, (*View).dropGlobal},
	{record.Objects + "global/", (*View).putObject, (*View).dropObject},
	{record.Objects, (*View).putObject, (*View).dropObject},
	{record.Tenants, putInto(record.Tenants, func(r *record.Tenant) string { return r.ID }, (*View).putTenant, (*View).dropTenant), (*View).dropTenant},
	{record.Networks, putInto(record.Networks, func(r *record.Network) string { return r.ID }, (*View).putNetwork, nil), (*View).dropNetwork},
	{record.Groups, putInto(record.Groups, func(r *record.Group) string { return r.ID }, (*View).putGroup, nil), (*View).dropGroup},
	{record.ServiceLBs, putInto(record.ServiceLBs, func(r *record.ServiceLB) string { return r.ID }, (*View).putServiceLB, (*View).dropServiceLB), (*View).dropServiceLB},
	{record.Endpoints, putInto(record.Endpoints, func(r *record.Endpoint) string { return r.ID }, (*View).putEndpoint, nil), (*View).dropEndpoint},
	{holds, (*View).putHold, (*View).dropHold},
	{record.Services, (*View).putService, (*View).dropService},
	{record.Claims, (*View).putClaim, (*View).dropClaim},
	{record.PolicyRules, putInto(record.PolicyRules, func(r *record.PolicyRule) string { return r.ID }, (*View).putPolicyRule, (*View).dropPolicyRule), (*View).dropPolicyRule},
	{record.FabricProfiles, putInto(record.FabricProfiles, func(r *record.FabricProfile) string { return r.Key }, (*View).putFabric, nil), (*View).dropFabric},
	{record.Providers, putInto(record.Providers, func(r *record.Provider) string { return r.ID }, (*View).putProvider, nil), (*View).dropProvider},
	{record.History, (*View).putHistory, (*View).dropHistory},
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

// putInto is the put of a keyspace of records: it decodes an item and puts it, after dropping what was there before under its key
// where there is a drop. A record whose id is another than its key says is an error: nothing would take away what followed from it.
func putInto[T any](prefix string, id func(*T) string, put func(*View, *T) error, drop func(v *View, key string)) func(*View, store.Item) error {
	return func(v *View, it store.Item) error {
		r, err := decode[T](it)
		if err != nil {
			return err
		}
		if name := strings.TrimPrefix(it.Key, prefix); id(r) != name {
			return fmt.Errorf("it calls itself %q, and its key says %q", id(r), name)
		}
		if drop != nil {
			drop(v, it.Key)
		}
		return put(v, r)
	}
}

func putGlobal(v *View, it store.Item) error {
	r, err := decode[record.Global](it)
	if err != nil {
		return err
	}
	return v.putGlobal(r)
}

func decode[T any](it store.Item) (*T, error) {
	r := new(T)
	return r, json.Unmarshal(it.Value, r)
}

// put takes in one item that is newer than what is known.
func (v *View) put(it store.Item) error {
	v.known[it.Key] = it
	v.concerns(it.Key, it.Revision)
	if i := rank(it.Key); i < len(keyspaces) {
		return keyspaces[i].put(v, it)
	}
	return nil
}

// drop forgets a key and all that followed from it.
func (v *View) drop(key string) {
	if _, ok := v.known[key]; !ok {
		return
	}
	delete(v.known, key)
	if i := rank(key); i < len(keyspaces) {
		keyspaces[i].drop(v, key)
	}
}

// concerns notes the revision of a change that agents must carry out.
func (v *View) concerns(key string, rev store.Revision) {
	if strings.HasPrefix(key, record.State) {
		v.agents = max(v.agents, rev)
	}
}
