// SPDX-License-Identifier: Apache-2.0

package commit

import (
	"encoding/json"
	"net/netip"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/identity"
)

// Tx is one request's share of a store transaction: the current state, with the changes of earlier requests and its own. It is valid only
// inside the function that received it.
type Tx struct {
	*catalog.View
	draft  *catalog.Draft // of the View
	ops    []store.Op
	limits store.Limits
	maxOps int // operations; 0: any number, if nothing is committed
	guards []store.Guard
	before map[string][]byte // values of keys before the request; nil: none
	made   map[string]any    // the values before they were encoded, by store key
}

func newTx(d *catalog.Draft, limits store.Limits) *Tx {
	return &Tx{View: d.View, draft: d, limits: limits, before: map[string][]byte{}, made: map[string]any{}}
}

// Put writes v as JSON at key. It returns CodeTooLarge if v is too large for any store.
func (t *Tx) Put(key string, v any) error {
	if t.maxOps > 0 && len(t.ops) >= t.maxOps {
		return model.Errorf(model.CodeTooLarge, "", "the change needs more than %d store operations, which are what one transaction holds", t.maxOps).Try(smaller)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return model.Errorf(model.CodeInternal, "", "encode %s: %v", key, err).Because(err)
	}
	t.made[key] = v
	t.add(store.Op{Key: key, Value: text})
	return nil
}

// add adds a change, which is visible from then on.
func (t *Tx) add(op store.Op) {
	t.ops = append(t.ops, op)
	if _, known := t.before[op.Key]; !known {
		t.before[op.Key] = t.Value(op.Key)
	}
	t.draft.Apply(op)
}

// PutObject writes an API object, without its computed links.
func (t *Tx) PutObject(o model.Object) error {
	return t.Put(ObjectKey(o.Kind(), o.ObjectKey()), o.Clone())
}

// Require makes the transaction depend on a key's last change: it fails unless that was at rev (0: unless the key is absent). It is for
// keys with other writers than the leader, and for requests that do not share their transaction, because the whole transaction fails.
func (t *Tx) Require(key string, rev store.Revision) {
	t.guards = append(t.guards, store.Guard{Key: key, Revision: rev})
}

// Delete removes key.
func (t *Tx) Delete(key string) {
	delete(t.made, key)
	t.add(store.Op{Key: key, Delete: true})
}

// Room returns the number of changes that the transaction may still hold, besides the fence and the history.
func (t *Tx) Room() int { return max(0, t.limits.Ops*3/4-len(t.ops)) }

// DeleteObject removes an API object.
func (t *Tx) DeleteObject(k *model.Kind, key string) { t.Delete(ObjectKey(k, key)) }

// PutEndpoint writes an endpoint.
func (t *Tx) PutEndpoint(e *record.Endpoint) error {
	return t.Put(record.Endpoints+e.ID.String(), e)
}

// DeleteEndpoint removes an endpoint.
func (t *Tx) DeleteEndpoint(id identity.Endpoint) { t.Delete(record.Endpoints + id.String()) }

// EndHold ends the hold on an address of a network, if there is one.
func (t *Tx) EndHold(network identity.Network, a netip.Addr) { t.Delete(catalog.HoldKey(network, a)) }

// EndOldestQuarantine ends the quarantine that has lasted longest since the release of its address, of the addresses that within accepts,
// and returns that address.
func (t *Tx) EndOldestQuarantine(n *catalog.Network, within func(netip.Addr) bool) (netip.Addr, bool) {
	h, ok := t.Resting(n, within)
	if ok {
		t.EndHold(h.Network, h.Address)
	}
	return h.Address, ok
}

// ObjectKey returns the store key of an API object.
func ObjectKey(k *model.Kind, key string) string { return record.Objects + k.Name + "/" + key }
