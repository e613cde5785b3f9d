package desired

import (
	"encoding/json"
	"errors"
	"maps"
	"testing"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
)

// legacyKey is where an earlier build kept a record.
func legacyKey(r any) string {
	switch r := r.(type) {
	case record.Network:
		return record.LegacyNetworks + record.Dotted(r.ID)
	case record.Group:
		return record.LegacyGroups + record.Reversed(r.ID)
	case record.Endpoint:
		return record.LegacyEndpoints + record.LegacyID(r.ID)
	case record.ServiceLB:
		return record.LegacyServiceLBs + record.Reversed(r.ID)
	case record.Provider:
		return record.LegacyProviders + record.Reversed(r.ID)
	}
	return key(r)
}

func text(tb testing.TB, r any) []byte {
	tb.Helper()
	value, err := json.Marshal(r)
	if err != nil {
		tb.Fatal(err)
	}
	return value
}

// moving are records of every kind that an earlier build kept elsewhere, and of a tenant, which it did not.
func moving() []any {
	net := network("net", "blue", 100)
	g := group("web", "blue", 5)
	g.Network, g.Encap, g.PktTag = net.ID, record.VLAN, 9
	here, there := member(net, "b1", "h1", 1), member(net, "b2", "h2", 2)
	here.Group = g.ID
	return []any{tenant("blue", 1), net, g, here, there, shop(nil), record.Provider{ID: shop(nil).ID, Addresses: addrs("10.1.1.2")}}
}

// What an earlier build has written says the same as what this one writes, also without the tenant, which the first ones left out.
func TestLegacyKeys(t *testing.T) {
	stateOf := func(at func(any) string, list []any) string {
		r, s := newRecords("h1"), ofnet.NewState("h1")
		for _, v := range list {
			if err := r.put(store.Item{Key: at(v), Value: text(t, v)}); err != nil {
				t.Error(err)
			}
		}
		r.translate(newRecords("h1"), s)
		if s.Endpoints.Len() != 2 || s.Segments.Len() != 2 || s.Groups.Len() != 1 || s.Services.Len() != 1 {
			t.Errorf("want all of it, got %s", texts(s))
		}
		return texts(s)
	}
	want := stateOf(key, moving())
	if got := stateOf(legacyKey, moving()); got != want {
		t.Errorf("legacy keys: want\n%s\ngot\n%s", want, got)
	}
	first := moving()
	for i, v := range first {
		if e, ok := v.(record.Endpoint); ok {
			var m map[string]any
			if err := json.Unmarshal(text(t, e), &m); err != nil {
				t.Fatal(err)
			}
			delete(m, "tenant")
			first[i] = named{record.LegacyEndpoints + record.LegacyID(e.ID), m}
		}
	}
	at := func(v any) string {
		if n, ok := v.(named); ok {
			return n.key
		}
		return legacyKey(v)
	}
	if got := stateOf(at, first); got != want {
		t.Errorf("without tenants: want\n%s\ngot\n%s", want, got)
	}
}

// named is a record of any content.
type named struct {
	key   string
	value map[string]any
}

// MarshalJSON gives the content.
func (n named) MarshalJSON() ([]byte, error) { return json.Marshal(n.value) }

// A leader moves what an earlier build has written, each in one transaction: the switch has nothing to do. What is deleted goes, where
// it was and where it is.
func TestRecordsMove(t *testing.T) {
	w := start(t)
	change := func(change func(tx *store.Tx, v any)) uint64 {
		t.Helper()
		var tx store.Tx
		for _, v := range moving() {
			change(&tx, v)
		}
		rev := w.commit(&tx)
		if err := w.b.Wait(w.ctx, rev); err != nil {
			t.Fatal(err)
		}
		return rev
	}
	put := func(tx *store.Tx, v any) { tx.Put(legacyKey(v), text(t, v)) }
	move := func(tx *store.Tx, v any) {
		if legacyKey(v) != key(v) {
			tx.Delete(legacyKey(v))
			tx.Put(key(v), text(t, v))
		}
	}
	look := func() (state string, touched map[ofnet.Key]int, updates int) {
		w.b.mu.Lock()
		defer w.b.mu.Unlock()
		return texts(w.b.state), maps.Clone(w.b.touched), w.b.updates
	}
	nothing, _, _ := look()
	change(put)
	state, touched, updates := look()
	change(move)
	if now, then, n := look(); now != state || !maps.Equal(then, touched) || n != updates+1 {
		t.Errorf("moved: want the same state, no object touched and one update, got\n%s\nwhich was\n%s\ntouched %v, %v before; %d updates", now, state, then, touched, n-updates)
	}
	change(func(tx *store.Tx, v any) { tx.Delete(key(v)) })
	if got, _, _ := look(); got != nothing || state == nothing {
		t.Errorf("deleted after the move: want nothing left, got\n%s", got)
	}
	change(put)
	change(func(tx *store.Tx, v any) { tx.Delete(legacyKey(v)) })
	if got, _, _ := look(); got != nothing {
		t.Errorf("deleted where it was: want nothing left, got\n%s", got)
	}
}

// In whatever order a move is told, and in however many parts, the row that has come stays.
func TestRecordsMove_Order(t *testing.T) {
	net := network("a.b", "c", 100)
	value := text(t, net)
	for name, first := range map[string]bool{"put first": true, "deleted first": false} {
		r := newRecords("h1")
		put := func(key string) {
			if err := r.put(store.Item{Key: key, Value: value}); err != nil {
				t.Fatal(err)
			}
		}
		put(legacyKey(net))
		if first {
			put(key(net))
		}
		r.del(legacyKey(net))
		if !first {
			put(key(net))
		}
		if got := r.networks.Get("c:a.b"); got == nil || r.networks.Len() != 1 {
			t.Errorf("%s: want the network, got %d", name, r.networks.Len())
		}
		r.del(key(net))
		if r.networks.Len() != 0 {
			t.Errorf("%s: want nothing after its deletion, got %d networks", name, r.networks.Len())
		}
	}
	// Two networks that an earlier build could not tell apart: the second takes the key of the first when that is gone.
	r, other := newRecords("h1"), network("a", "b.c", 200)
	for _, v := range []record.Network{net, other} {
		if err := r.put(store.Item{Key: legacyKey(v), Value: text(t, v)}); err != nil {
			t.Fatal(err)
		}
	}
	if legacyKey(net) != legacyKey(other) || r.networks.Len() != 1 || r.networks.Get("b.c:a") == nil {
		t.Errorf("two networks of one key: want the later one, got %d networks", r.networks.Len())
	}
}

// A network that no watch has told of yet is read where it is, and no other is taken for it.
func TestNetworkFromTheStore(t *testing.T) {
	db := memory.New()
	now, earlier := network("net", "blue", 100), network("a.b", "c", 200)
	var tx store.Tx
	tx.Put(key(now), text(t, now))
	tx.Put(legacyKey(earlier), text(t, earlier))
	if _, err := db.Commit(t.Context(), &tx); err != nil {
		t.Fatal(err)
	}
	e := New(Options{Store: db, Bridge: newSwitchless()}) // that does not run
	for id, vni := range map[identity.Network]int{now.ID: 100, earlier.ID: 200, {Tenant: "b.c", Name: "a"}: 0, {Tenant: "blue", Name: "none"}: 0} {
		n, err := e.Network(t.Context(), id)
		if (err == nil) != (vni != 0) || err == nil && n.ExtPktTag != vni || err != nil && !errors.Is(err, store.ErrNotFound) {
			t.Errorf("network %s: want VNI %d, got %d, %v", id, vni, n.ExtPktTag, err)
		}
	}
}

// The legacy id of one group reads like the identity of another: they stay two.
func TestLegacyGroupsDoNotMix(t *testing.T) {
	earlier, now := group("a", "b", 1), group("b", "a", 2)
	name := record.Reversed(earlier.ID)
	if name != now.ID.String() {
		t.Fatalf("want groups whose ids read alike, got %s and %s", name, now.ID)
	}
	r := newRecords("h1")
	for at, g := range map[string]record.Group{record.LegacyGroups + name: earlier, record.Groups + name: now} {
		if err := r.put(store.Item{Key: at, Value: text(t, g)}); err != nil {
			t.Fatal(err)
		}
	}
	if one, two := r.groups.Get("b:a"), r.groups.Get("a:b"); one == nil || two == nil || one.Number != 1 || two.Number != 2 {
		t.Errorf("want both groups, got %+v and %+v", one, two)
	}
	r.del(record.LegacyGroups + name)
	if r.groups.Get("b:a") != nil || r.groups.Get("a:b") == nil {
		t.Error("after the legacy one is deleted: want the other alone")
	}
}

// A group with a VLAN of its own may have the name of a network of its tenant: its members are not on that.
func TestGroupNamedLikeANetwork(t *testing.T) {
	net, other := network("net", "blue", 100), network("web", "blue", 200)
	g := group("web", "blue", 5)
	g.Network, g.Encap, g.PktTag = net.ID, record.VLAN, 9
	here := member(net, "b1", "h1", 1)
	here.Group = g.ID
	net.Encap = record.VLAN
	w := start(t, tenant("blue", 1), net, other, g, here)
	w.reach("the group's segment beside the network", func(s *ofnet.State) bool {
		e, own, like := s.Endpoints.Get("blue:net:b1"), s.Segments.Get("blue:net/web"), s.Segments.Get("blue:web")
		return e != nil && own != nil && like != nil && e.Segment == own.Name && own.Tag == 9 && like.Tag == 200
	})
	w.del(g)
	w.reach("no segment of a group that is gone", func(s *ofnet.State) bool {
		return s.Segments.Len() == 2 && s.Endpoints.Get("blue:net:b1").Segment == "blue:net"
	})
}
