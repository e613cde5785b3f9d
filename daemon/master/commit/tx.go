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

// Tx is one request's share of a store transaction: what is known, what it changes, and how to take back what it took
// from pools. It is valid only inside the function that received it.
type Tx struct {
	*catalog.View
	overlay *overlay
	ops     []store.Op
	undo    []func()
	limits  store.Limits
	guards  []store.Guard
	trial   *[]func() // not nil: what is written is seen by what follows; how to take it back
	// pending is what this request has put, by store key; nil: deleted.
	pending map[string]any
}

// Put writes v as JSON at key.
func (t *Tx) Put(key string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return model.Errorf(model.CodeInternal, "", "encode %s: %v", key, err).Because(err)
	}
	t.note(key, v)
	return t.add(store.Op{Key: key, Value: text})
}

// add notes a change, and lets the request see it if it asked for that.
func (t *Tx) add(op store.Op) error {
	t.ops = append(t.ops, op)
	if t.trial == nil {
		return nil
	}
	back, err := t.View.Try(op)
	*t.trial = append(*t.trial, back)
	if err != nil {
		return model.Errorf(model.CodeInternal, "", "%s: %v", op.Key, err).Because(err)
	}
	return nil
}

// PutObject writes an API object, without its computed links.
func (t *Tx) PutObject(o model.Object) error {
	return t.Put(ObjectKey(o.Kind(), o.ObjectKey()), o.Clone())
}

// Require makes the transaction depend on a key's last change: it is not carried out unless that was at rev (0: unless the key is
// absent). It is for keys that others than the leader write, and for requests that share their transaction with no other: all of
// it fails.
func (t *Tx) Require(key string, rev store.Revision) {
	t.guards = append(t.guards, store.Guard{Key: key, Revision: rev})
}

// Delete removes key.
func (t *Tx) Delete(key string) {
	t.note(key, nil)
	_ = t.add(store.Op{Key: key, Delete: true}) // a deletion cannot fail
}

// Room is how many changes the transaction may still hold, beside the fence and what history tells of them.
func (t *Tx) Room() int { return max(0, t.limits.Ops*3/4-len(t.ops)) }

// DeleteObject removes an API object.
func (t *Tx) DeleteObject(k *model.Kind, key string) { t.Delete(ObjectKey(k, key)) }

// OnAbort registers how to take back a change of the catalog's pools, should the request fail or the transaction not
// be committed.
func (t *Tx) OnAbort(undo func()) { t.undo = append(t.undo, undo) }

// PutEndpoint writes an endpoint. Later requests of the same transaction see it.
func (t *Tx) PutEndpoint(e *record.Endpoint) error {
	t.overlay.endpoints[e.ID] = e
	t.OnAbort(func() { delete(t.overlay.endpoints, e.ID) })
	return t.Put(record.Endpoints+e.ID.String(), e)
}

// DeleteEndpoint removes an endpoint.
func (t *Tx) DeleteEndpoint(id identity.Endpoint) {
	t.overlay.endpoints[id] = nil
	t.OnAbort(func() { delete(t.overlay.endpoints, id) })
	t.Delete(record.Endpoints + id.String())
}

// Endpoint returns an endpoint as this transaction would leave it, nil when there is none.
func (t *Tx) Endpoint(id identity.Endpoint) *record.Endpoint {
	if e, ok := t.overlay.endpoints[id]; ok {
		return e
	}
	return t.View.Endpoint(id)
}

// Claim takes what is queued for this request, by store key; it reports whether no other request of the transaction did.
func (t *Tx) Claim(key string) bool {
	if _, taken := t.overlay.claimed[key]; taken {
		return false
	}
	t.overlay.claimed[key] = struct{}{}
	t.OnAbort(func() { delete(t.overlay.claimed, key) })
	t.Delete(key)
	return true
}

// Rested claims the address that has been in quarantine longest since its release, of those that within accepts and that
// no other request of the transaction has claimed. The address stays taken in its pool.
func (t *Tx) Rested(n *catalog.Network, within func(netip.Addr) bool) (netip.Addr, bool) {
	h, ok := t.Resting(n, func(a netip.Addr) bool {
		_, taken := t.overlay.claimed[catalog.HoldKey(n.Record.ID, a)]
		return !taken && within(a)
	})
	if !ok || !t.Claim(catalog.HoldKey(h.Network, h.Address)) {
		return netip.Addr{}, false
	}
	return h.Address, true
}

// Together runs fn such that it sees its own changes, for requests of several objects that need each other. Outside of
// fn they are not seen.
func (t *Tx) Together(fn func() error) error {
	var backs []func()
	t.trial = &backs
	err := fn()
	t.trial = nil
	for i := len(backs) - 1; i >= 0; i-- {
		backs[i]()
	}
	return err
}

// abort takes everything back, last first.
func (t *Tx) abort() {
	for i := len(t.undo) - 1; i >= 0; i-- {
		t.undo[i]()
	}
	t.undo, t.ops, t.pending = nil, nil, nil
}

// ObjectKey is where an API object is stored.
func ObjectKey(k *model.Kind, key string) string { return record.Objects + k.Name + "/" + key }
