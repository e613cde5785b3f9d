package catalog

import (
	"encoding/json"
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
	{record.GlobalKey, putInto((*View).putGlobal, nil), (*View).dropGlobal},
	{record.Objects + "global/", (*View).putObject, (*View).dropObject},
	{record.Objects, (*View).putObject, (*View).dropObject},
	{record.Tenants, putInto((*View).putTenant, (*View).dropTenant), (*View).dropTenant},
	{record.Networks, putInto((*View).putNetwork, nil), (*View).dropNetwork},
	{record.Groups, putInto((*View).putGroup, nil), (*View).dropGroup},
	{record.ServiceLBs, putInto((*View).putServiceLB, (*View).dropServiceLB), (*View).dropServiceLB},
	{record.Endpoints, putInto((*View).putEndpoint, nil), (*View).dropEndpoint},
	{holds, (*View).putHold, (*View).dropHold},
	{record.Services, (*View).putService, (*View).dropService},
	{record.Claims, (*View).putClaim, (*View).dropClaim},
	{record.PolicyRules, putInto((*View).putPolicyRule, (*View).dropPolicyRule), (*View).dropPolicyRule},
	{record.FabricProfiles, putInto((*View).putFabric, nil), (*View).dropFabric},
	{record.Providers, putInto((*View).putProvider, nil), (*View).dropProvider},
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
// where there is a drop.
func putInto[T any](put func(*View, *T) error, drop func(v *View, key string)) func(*View, store.Item) error {
	return func(v *View, it store.Item) error {
		r, err := decode[T](it)
		if err != nil {
			return err
		}
		if drop != nil {
			drop(v, it.Key)
		}
		return put(v, r)
	}
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
